// SPDX-License-Identifier: BSD-3-Clause
// From a config and the columns of its files to a plan: every expression, name and pattern is checked here.
#pragma once

#include "plan/cutflow.h"
#include "plan/event_selections.h"
#include "plan/histogram_plan.h"
#include "plan/plan_user.h"
#include "plan/sample_expressions.h"
#include "plan/skim_plan.h"

#include "skimline/framework/evaluation_purpose.h"
#include "skimline/framework/plan.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/config.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// What is planned for one sample: what it reads, and where its histograms are.
struct PlanTarget {
  const Sample& sample;
  io::InputSource& source;
  histograms::HistogramSet& histograms;
  int threads = 1;               ///< that will fill
  std::optional<Text> weight{};  ///< whose sums are made for the cutflow; each event counts 1 unless given
  double normalisation = 1;      ///< kNormalisation
  std::set<std::size_t> uncounted = {};  ///< cuts that "n_minus_1" is not to leave out
  IsKnown is_known = {};                 ///< which results are not computed; unless given, all are
};

/// Checks a config against the columns of a sample and plans all that it asks for, in the order of the
/// config. The config and the target must outlive it.
class JobPlan {
 public:
  /// If there are mistakes, only they may be asked for. Throws ConfigError for an external function that
  /// cannot be defined.
  JobPlan(const Config& config, const PlanTarget& target);

  void add_mistake(Location location, std::string message) {
    expressions_.mistakes().add(location, std::move(message));
  }
  const Diagnostics& mistakes() const { return expressions_.mistakes(); }

  const std::vector<PlannedSkim>& skims() const { return skims_.skims(); }
  const std::vector<BookedHistogram>& booked() const { return histograms_.booked(); }
  /// As in SampleRecord::counted_by.
  std::map<std::string, std::set<std::string>> counting() const { return histograms_.counting(); }
  const PlannedVariation& nominal() const { return selections_.nominal(); }
  const std::vector<PlannedVariation>& variations() const { return selections_.variations(); }
  /// The selection that a region is taken from.
  SelectionId point_before(const Region& region, const PlannedVariation& variation) const {
    return selections_.after(region.num_cuts, variation);
  }

  /// All events, those of the luminosity mask if there is one, and those after each cut.
  std::vector<CountedStep> cutflow(const PlannedVariation& variation) const {
    return selections_.cutflow(variation);
  }
  std::vector<CountedStep> cutflow() const { return cutflow(nominal()); }
  /// By cut, the events that pass all others; empty unless the config wants it.
  const std::vector<CountedStep>& n_minus_1() const { return selections_.n_minus_1(); }
  /// The cutflow up to the events of a skim.
  std::vector<CountedStep> cutflow_of(const PlannedSkim& skim) const { return skims_.cutflow_of(skim); }
  /// The events of the luminosity mask, if there is one.
  std::optional<SelectionId> certified() const { return selections_.certified(); }
  /// The events of the entry list, if there is one.
  std::optional<SelectionId> listed() const { return selections_.listed(); }
  /// Sums of the weights of all these, to be asked for after the run.
  const SelectionWeights& weights() const { return weights_; }
  /// As SelectionWeights::expect_results() and add_results().
  void expect_weights(std::vector<SelectionId> selections) { weights_.expect_results(std::move(selections)); }
  void add_weights(const histograms::Histogram& sums, std::vector<std::string>& names) {
    weights_.add_results(sums, names);
  }

  /// The events whose numbers and sums of weights are reported; some may be there several times.
  std::vector<SelectionId> counted() const;
  /// What the number of the events of a selection is computed from, and the sum of their weights, if there is
  /// one.
  ValueContent content_of_count(SelectionId selection) const;
  std::optional<ValueContent> content_of_weight(SelectionId selection);
  /// What the skims hold; nothing if not all is known that one depends on.
  std::vector<ValueContent> contents_of_skims();

  /// What the config holds that is seldom meant, each with its place: to be asked for when all skims have
  /// been passed to sinks, as what they keep is used.
  std::vector<std::string> warnings();

  /// What is defined that nothing of the sample needs: definitions, weights, and kNormalisation. As
  /// warnings().
  std::vector<std::string> unused_names() const;
  bool uses_normalisation() const { return uses(kNormalisation); }
  /// Whether something that is asked for needs a name.
  bool uses(const std::string& name) const { return expressions_.builder().is_used(name); }

  /// What a run of the plan has computed `expression` for.
  PlanUser user_of(const EvaluationPurpose& purpose, const std::string& expression) const;

  /// Passes the columns of a skim to a sink.
  void write(const PlannedSkim& skim, Sink& sink) { skims_.write(skim, sink); }

  /// The type of a column, definition or expression. Throws ExpressionError.
  Type type_of(const std::string& expression) const { return expressions_.type_of(expression); }
  /// Passes the values of such expressions for the events that pass all cuts to a sink. Throws
  /// ExpressionError for the first that has a mistake.
  void write(const std::vector<std::string>& expressions, Sink& sink);

  /// Leaves nothing to the plan but the skims.
  void only_write() { expressions_.builder().only_write(); }

  /// The plan; no other call may follow. The JobPlan must outlive runs of it.
  Plan build();

 private:
  void sum(const Text& weight, const IsKnown& is_known);
  void count_unknown(const IsKnown& is_known);

  const Config& config_;
  std::optional<std::string> weight_;  // whose sums are made
  SampleExpressions expressions_;
  EventSelections selections_;
  HistogramPlan histograms_;
  SkimPlan skims_;
  SelectionWeights weights_;
};

}  // namespace skimline::skims
