// SPDX-License-Identifier: BSD-3-Clause
// From a config and the columns of its files to a plan: every expression, name and pattern is checked here.
#pragma once

#include "cutflow.h"
#include "naming.h"

#include "skimline/framework/plan.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/config.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// A skim whose columns are known.
struct PlannedSkim {
  const SkimConfig* config = nullptr;
  SelectionId selection;
  std::shared_ptr<const io::CarriedFields> carried;  ///< fields of the input, as they are stored
  std::vector<std::string> carried_names;
  std::vector<io::Collection> collections;  ///< of the input: lists that share their counts
  Schema computed;                          ///< definitions, and counts without their collection
  std::size_t num_columns = 0;              ///< of both
};

/// A histogram that is filled, for one region if it has any and with one of its weights. Its number is that
/// of the set.
struct BookedHistogram {
  const HistogramConfig* config = nullptr;
  const Text* weight = nullptr;                ///< null if there is none
  const Region* region = nullptr;              ///< null if there is none
  const WeightVariation* variation = nullptr;  ///< null for the weight itself
  SelectionId events;
  std::size_t fill = 0;  ///< number of the plan's fill, which those of other weights share
};

/// What is planned for one sample: what it reads, and where its histograms are.
struct PlanTarget {
  const Sample& sample;
  io::InputSource& source;
  histograms::HistogramSet& histograms;
  int threads = 1;               ///< that will fill
  std::optional<Text> weight{};  ///< whose sums are made for the cutflow; each event counts 1 unless given
};

/// Checks a config against the columns of a sample and books its histograms, one for each of their regions
/// and weights, in the order of the config. The config and the target must outlive it.
class JobPlan {
 public:
  /// If there are mistakes, only they may be asked for. Throws ConfigError for an external function that
  /// cannot be defined.
  JobPlan(const Config& config, const PlanTarget& target);

  void add_mistake(Location location, std::string message) { diagnostics_.add(location, std::move(message)); }
  const Diagnostics& mistakes() const { return diagnostics_; }

  const std::vector<PlannedSkim>& skims() const { return skims_; }
  const std::vector<BookedHistogram>& booked() const { return booked_; }
  /// The selection after each cut.
  const std::vector<SelectionId>& cuts() const { return cuts_; }
  /// The selection of each region, and the one that it is taken from.
  const std::vector<SelectionId>& regions() const { return regions_; }
  SelectionId point_before(const Region& region) const { return after(region.num_cuts); }

  /// All events, those of the luminosity mask if there is one, and those after each cut.
  std::vector<CountedStep> cutflow() const;
  /// By cut, the events that pass all others; empty unless the config wants it.
  const std::vector<CountedStep>& n_minus_1() const { return n_minus_1_; }
  /// The cutflow up to the events of a skim.
  std::vector<CountedStep> cutflow_of(const PlannedSkim& skim) const;
  /// The events of the luminosity mask, if there is one.
  std::optional<SelectionId> certified() const;
  /// Sums of the weights of all these, to be asked for after the run.
  const SelectionWeights& weights() const { return weights_; }

  /// What the config holds that is seldom meant, each with its place: to be asked for when all skims have
  /// been passed to sinks, as what they keep is used.
  std::vector<std::string> warnings();

  /// Passes the columns of a skim to a sink.
  void write(const PlannedSkim& skim, Sink& sink);

  /// The type of a column, definition or expression. Throws ExpressionError.
  Type type_of(const std::string& expression) const;
  /// Passes the values of such expressions for the events that pass all cuts to a sink. Throws
  /// ExpressionError for the first that has a mistake.
  void write(const std::vector<std::string>& expressions, Sink& sink);

  /// The plan; no other call may follow. The JobPlan must outlive runs of it.
  Plan build() { return std::move(builder_).build(); }

 private:
  void define(const ExternalFunction& function);
  void define(const FunctionConfig& function);
  void define(const NamedValue& value);
  void define(const Definition& definition);
  void apply_mask();
  void apply(const Cut& cut);
  void count_without(std::size_t cut);
  void sum(const Text& weight);
  void add(const Region& region);
  void book(const HistogramConfig& config, histograms::HistogramSet& histograms);
  void book_once(const HistogramConfig& config, const histograms::HistogramSpec& spec, const Region* region,
                 SelectionId events, histograms::HistogramSet& histograms);
  void place(histograms::HistogramSet& histograms);
  void plan(const SkimConfig& config);
  void check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept);
  bool cannot_be_kept(const SkimConfig& config, const std::string& name);
  void check_tree_can_hold(const SkimConfig& config, const std::vector<std::string>& kept);
  void divide(const std::vector<std::string>& kept, PlannedSkim& skim);

  /// Runs `step`; a mistake that it finds in `text` is noted, unless it follows from an earlier one.
  template <typename Step>
  bool check(const Text& text, Step step);
  /// Returns the type of an expression, in which `problem_of` finds nothing; nothing if there is a mistake.
  template <typename ProblemOf>
  std::optional<Type> check_type(const Text& text, ProblemOf problem_of);
  void report(const Text& text, const ExpressionError& error);
  ExpressionError explained(const ExpressionError& error) const;
  SelectionId after(std::optional<std::size_t> num_cuts) const;
  std::vector<SelectionId> select(const EventChoice& events);

  // A column that a skim could not keep.
  struct LeftOut {
    const SkimConfig* skim = nullptr;
    std::string what;
  };

  const Config& config_;
  const Sample& sample_;
  HistogramNaming naming_;
  io::InputSource& source_;
  const Schema& schema_;
  const std::vector<io::UnsupportedField>& unsupported_fields_;
  PlanBuilder builder_;
  Diagnostics diagnostics_;
  std::vector<std::string> definitions_;
  std::vector<std::string> failed_definitions_;
  std::vector<std::string> failed_functions_;
  SelectionId base_ = kAllEntries;  // what cuts and regions select from
  std::vector<SelectionId> cuts_;
  std::vector<CountedStep> n_minus_1_;
  std::vector<SelectionId> regions_;
  std::vector<PlannedSkim> skims_;
  std::vector<LeftOut> left_out_;
  std::vector<BookedHistogram> booked_;
  SelectionWeights weights_;
  std::deque<histograms::HistogramFill> fills_;  // a deque never moves what the plan points at
};

}  // namespace skimline::skims
