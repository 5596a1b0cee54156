// SPDX-License-Identifier: BSD-3-Clause
// From a config and the columns of its files to a plan: every expression, name and pattern is checked here.
#pragma once

#include "base/ordered_names.h"
#include "config/read/naming.h"
#include "plan/cutflow.h"
#include "plan/plan_user.h"

#include "skimline/framework/evaluation_purpose.h"
#include "skimline/framework/plan.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/config.h"
#include "skimline/skims/left_out_columns.h"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline::skims {

/// A skim whose columns are known.
struct PlannedSkim {
  const SkimConfig* config = nullptr;
  SelectionId selection;
  std::size_t num_common_cuts = 0;                   ///< before what varies
  std::vector<const Variation*> variations;          ///< for which it takes events too
  std::shared_ptr<const io::CarriedFields> carried;  ///< fields of the input, as they are stored
  std::vector<std::string> carried_names;
  std::vector<io::Collection> collections;  ///< of the input: lists that share their counts
  std::set<std::string> not_of_input;       ///< names of columns that expressions make
  Schema computed;                          ///< what is not carried, as it is called in the file
  std::vector<std::string> computed_from;   ///< by column of these, its name in the plan
  std::size_t num_columns = 0;              ///< of both
  std::vector<LeftOutColumn> left_out;      ///< what the patterns take and it cannot hold
  std::string renamed;                      ///< what has another name in it; see renamed_text()
};

/// What is to be said of a skim's columns, each with the place of the skim.
std::vector<std::string> warnings_of(const PlannedSkim& skim, const ConfigText& source);

/// A histogram that is filled. Its number is that of the set.
struct BookedHistogram {
  HistogramKey key;
  std::string weight;  ///< empty if there is none
  io::CellType type = io::CellType::kDouble;
  SelectionId events;
  std::size_t fill = 0;  ///< number of the plan's fill, which those of other weights share
};

/// The analysis in one variation, or nominal.
struct PlannedVariation {
  const Variation* config = nullptr;  ///< null if nominal
  VariationId id = kNominal;
  std::vector<SelectionId> cuts;     ///< after each
  std::vector<SelectionId> regions;  ///< of each
  bool is_different = false;         ///< whether it changes a histogram or a skim
};

/// What is planned for one sample: what it reads, and where its histograms are.
struct PlanTarget {
  const Sample& sample;
  io::InputSource& source;
  histograms::HistogramSet& histograms;
  int threads = 1;               ///< that will fill
  std::optional<Text> weight{};  ///< whose sums are made for the cutflow; each event counts 1 unless given
  double normalisation = 1;      ///< kNormalisation
  std::set<std::size_t> uncounted = {};  ///< cuts that "n_minus_1" is not to leave out
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
  const PlannedVariation& nominal() const { return variations_.front(); }
  /// The nominal analysis, then those variations that the sample has, in the order of the config.
  const std::vector<PlannedVariation>& variations() const { return variations_; }
  /// The selection that a region is taken from.
  SelectionId point_before(const Region& region, const PlannedVariation& variation) const {
    return after(region.num_cuts, variation);
  }

  /// All events, those of the luminosity mask if there is one, and those after each cut.
  std::vector<CountedStep> cutflow(const PlannedVariation& variation) const;
  std::vector<CountedStep> cutflow() const { return cutflow(nominal()); }
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

  /// What is defined that nothing of the sample needs: definitions, weights, and kNormalisation. As
  /// warnings().
  std::vector<std::string> unused_names() const;
  bool uses_normalisation() const { return builder_.is_used(kNormalisation); }

  /// What a run of the plan has computed `expression` for.
  PlanUser user_of(const EvaluationPurpose& purpose, const std::string& expression) const;

  /// Passes the columns of a skim to a sink.
  void write(const PlannedSkim& skim, Sink& sink);

  /// The type of a column, definition or expression. Throws ExpressionError.
  Type type_of(const std::string& expression) const;
  /// Passes the values of such expressions for the events that pass all cuts to a sink. Throws
  /// ExpressionError for the first that has a mistake.
  void write(const std::vector<std::string>& expressions, Sink& sink);

  /// The plan; no other call may follow. The JobPlan must outlive runs of it.
  Plan build();

 private:
  // Of histograms that have the same positions.
  struct Fill {
    SelectionId events;
    std::vector<VariedExpression> expressions;  // positions, value of a profile, weights
    std::vector<std::size_t> values, weights;   // their numbers in the plan
    std::vector<std::size_t> ids;               // of the histograms, one for each weight
    bool is_weighted = false;
  };

  void check_defaults();
  void define(const ExternalFunction& function);
  void define(const CorrectionConfig& correction);
  void define(const FunctionConfig& function);
  void define(const NamedValue& value);
  void define_all(const std::vector<Definition>& definitions, const std::vector<Definition>& own);
  void define(const Definition& definition, const Text& expression);
  void define_weight();
  void vary(const Variation& variation);
  void apply_mask();
  void apply(const Cut& cut);
  void count_without(std::size_t cut);
  void sum(const Text& weight);
  void add(const Region& region);
  void book(const HistogramConfig& config, histograms::HistogramSet& histograms);
  void book_in(std::optional<std::size_t> region, const HistogramConfig& config,
               const histograms::HistogramSpec& spec, histograms::HistogramSet& histograms);
  Fill fill_of(const HistogramKey& key, std::optional<std::size_t> region, const PlannedVariation& variation);
  static bool is_same(const Fill& a, const Fill& b);
  using FillNumbers = std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t>;
  static std::size_t join(Fill fill, std::vector<Fill>& fills, FillNumbers& weighted);
  histograms::HistogramSpec named_spec(const HistogramKey& key, histograms::HistogramSpec spec) const;
  void check_that_variations_matter();
  void place(histograms::HistogramSet& histograms);
  void plan(const SkimConfig& config);
  void check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept);
  std::vector<LeftOutColumn> reasons_against(const SkimConfig& config,
                                             const std::vector<std::string>& kept) const;
  void leave_out(std::vector<LeftOutColumn> columns, std::vector<std::string>& kept, PlannedSkim& skim);
  void divide(const std::vector<std::string>& kept, PlannedSkim& skim);
  void add_computed(const std::vector<std::string>& columns, PlannedSkim& skim) const;
  std::string own_name(const PlannedSkim& skim, const std::string& what) const;
  void add_columns(PlannedSkim& skim);
  void add_masked_lists(PlannedSkim& skim);
  void select_for(PlannedSkim& skim);
  void select_any(PlannedSkim& skim);

  /// Runs `step`; a mistake that it finds in `text` is noted, unless it follows from an earlier one.
  template <typename Step>
  bool check(const Text& text, Step step);
  /// Returns the type of an expression, in which `problem_of` finds nothing; nothing if there is a mistake.
  template <typename ProblemOf>
  std::optional<Type> check_type(const Text& text, ProblemOf problem_of);
  void report(const Text& text, const ExpressionError& error);
  ExpressionError explained(const ExpressionError& error) const;
  /// Says of a mistake in `step` that is one only in a variation which one it is.
  template <typename Step>
  void in(const PlannedVariation& variation, Step step);
  static ExpressionError in_variation(const ExpressionError& error, const Variation& variation);
  const Text& text_of(const Variation& variation, const std::string& expression) const;
  /// What is planned for a variation, null for nominal; null if it has mistakes.
  PlannedVariation* planned(const Variation* variation);
  SelectionId after(std::optional<std::size_t> num_cuts, const PlannedVariation& variation) const;
  SelectionId select(const EventChoice& events, std::optional<std::size_t> region,
                     const PlannedVariation& variation, const std::string& user);
  SelectionId select(SelectionId parent, const Text& where, const PlannedVariation& variation,
                     const std::string& user);
  PlanUser user_of_fill(std::size_t fill, const std::string& expression) const;
  PlanUser user_of_skim(const SkimConfig& skim) const;

  const Config& config_;
  const Sample& sample_;
  HistogramNaming naming_;
  io::InputSource& source_;
  const Schema& schema_;
  const std::vector<io::UnsupportedField>& unsupported_fields_;
  PlanBuilder builder_;
  Diagnostics diagnostics_;
  OrderedNames definitions_;
  OrderedNames failed_definitions_;
  OrderedNames failed_functions_;
  SelectionId base_ = kAllEntries;  // what cuts and regions select from
  std::vector<PlannedVariation> variations_{1};
  std::unordered_map<const Variation*, std::size_t> variation_numbers_{{nullptr, 0}};
  std::vector<CountedStep> n_minus_1_;
  std::map<std::size_t, PlanUser> users_;  // by selection, those that made it
  std::vector<PlannedSkim> skims_;
  std::vector<BookedHistogram> booked_;
  SelectionWeights weights_;
  std::deque<histograms::HistogramFill> fills_;  // a deque never moves what the plan points at
};

}  // namespace skimline::skims
