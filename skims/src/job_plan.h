// SPDX-License-Identifier: BSD-3-Clause
// From a config and the columns of its files to a plan: every expression, name and pattern is checked here.
#pragma once

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
  Schema computed;              ///< definitions, and counts without their collection
  std::size_t num_columns = 0;  ///< of both
};

/// A histogram that is filled, for one region if it has any and with one of its weights. Its number is that
/// of the set.
struct BookedHistogram {
  const HistogramConfig* config = nullptr;
  const Text* weight = nullptr;  ///< null if there is none
  SelectionId events;
  std::size_t fill = 0;  ///< number of the plan's fill, which those of other weights share
};

/// Checks a config against the columns of its input and books its histograms, one for each of their regions
/// and weights, in the order of the config. The config, the source and the set must outlive it.
class JobPlan {
 public:
  /// Throws ConfigError listing all mistakes with line and column.
  JobPlan(const Config& config, io::RNTupleSource& source, histograms::HistogramSet& histograms);

  const std::vector<PlannedSkim>& skims() const { return skims_; }
  const std::vector<BookedHistogram>& booked() const { return booked_; }
  /// The selection after each cut.
  const std::vector<SelectionId>& cuts() const { return cuts_; }
  /// The selection of each region, and the one that it is taken from.
  const std::vector<SelectionId>& regions() const { return regions_; }
  SelectionId point_before(const Region& region) const { return after(region.num_cuts); }

  /// What the expressions hold that is seldom meant, each with its place in the config.
  std::vector<std::string> warnings();

  /// Passes the columns of a skim to a sink.
  void write(const PlannedSkim& skim, Sink& sink);

  /// The plan; no other call may follow. The JobPlan must outlive runs of it.
  Plan build() { return std::move(builder_).build(); }

 private:
  void define(const FunctionConfig& function);
  void define(const NamedValue& value);
  void define(const Definition& definition);
  void apply(const Cut& cut);
  void add(const Region& region);
  void book(const HistogramConfig& config, histograms::HistogramSet& histograms);
  void book_once(const HistogramConfig& config, const histograms::HistogramSpec& spec, const Region* region,
                 SelectionId events, histograms::HistogramSet& histograms);
  void place(histograms::HistogramSet& histograms);
  void plan(const SkimConfig& config);
  void check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept);
  void divide(const std::vector<std::string>& kept, PlannedSkim& skim);

  /// Runs `step`; a mistake that it finds in `text` is noted, unless it follows from an earlier one.
  template <typename Step>
  bool check(const Text& text, Step step);
  /// Returns the type of an expression, in which `problem_of` finds nothing; nothing if there is a mistake.
  template <typename ProblemOf>
  std::optional<Type> check_type(const Text& text, ProblemOf problem_of);
  void report(const Text& text, const ExpressionError& error);
  SelectionId after(std::optional<std::size_t> num_cuts) const;
  std::vector<SelectionId> select(const EventChoice& events);

  const Config& config_;
  HistogramNaming naming_;
  io::RNTupleSource& source_;
  const Schema& schema_;
  const std::vector<io::UnsupportedField>& unsupported_fields_;
  PlanBuilder builder_;
  Diagnostics diagnostics_;
  std::vector<std::string> definitions_;
  std::vector<std::string> failed_definitions_;
  std::vector<std::string> failed_functions_;
  std::vector<SelectionId> cuts_;
  std::vector<SelectionId> regions_;
  std::vector<PlannedSkim> skims_;
  std::vector<BookedHistogram> booked_;
  std::deque<histograms::HistogramFill> fills_;  // a deque never moves what the plan points at
};

}  // namespace skimline::skims
