// SPDX-License-Identifier: BSD-3-Clause
// The histograms of one sample: checked, booked, and their fills added to its plan.
#pragma once

#include "config/read/naming.h"
#include "plan/event_selections.h"
#include "plan/plan_user.h"
#include "plan/result_content.h"
#include "plan/sample_expressions.h"

#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/config.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// A histogram that is filled. Its number is that of the set.
struct BookedHistogram {
  HistogramKey key;
  std::string weight;  ///< empty if there is none
  io::CellType type = io::CellType::kDouble;
  SelectionId events;
  std::size_t fill = 0;    ///< number of the plan's fill, which those of other weights share
  ValueContent content{};  ///< if it is asked for
  bool is_known = false;   ///< not filled
};

/// Books the histograms of a config, one for each of their regions, weights and variations, in the order of
/// the config. Must outlive runs of the plan.
class HistogramPlan {
 public:
  /// All must outlive it. `is_known` may be empty.
  HistogramPlan(SampleExpressions& expressions, EventSelections& selections,
                histograms::HistogramSet& histograms, IsKnown is_known);
  HistogramPlan(const HistogramPlan&) = delete;
  HistogramPlan& operator=(const HistogramPlan&) = delete;

  const std::vector<BookedHistogram>& booked() const { return booked_; }

  /// By region, "" for all that is selected: the histogram whose fills are the events of it, one each. Of
  /// several one of all weights, then one of any weight, then one of few axes.
  std::map<std::string, std::set<std::string>> counting() const;

  /// Notes a mistake if there are too many cells, once all are booked.
  void place();

  /// Who has the value of `expression` computed for a fill of the plan; nothing if that is of no histogram.
  std::optional<PlanUser> user_of(std::size_t fill, const std::string& expression) const;

 private:
  // Of histograms that have the same positions.
  struct Fill {
    SelectionId events;
    std::vector<VariedExpression> expressions;  // positions, value of a profile, weights
    std::vector<std::size_t> values, weights;   // their numbers in the plan
    std::vector<std::size_t> ids;               // of the histograms, one for each weight
    bool is_weighted = false;
    bool is_for_weights = false;  // of each element of weights that are deeper lists than all else
  };

  // The less, the better it counts events.
  using CountingRank = std::pair<int, std::size_t>;
  void book(const HistogramConfig& config);
  void check_collections(const HistogramConfig& config);
  bool has_fill_for_each_event(const HistogramConfig& config);
  bool has_all_weights(const HistogramConfig& config) const;
  void note_counting(std::optional<std::size_t> region, const HistogramConfig& config);
  void book_in(std::optional<std::size_t> region, const HistogramConfig& config,
               const histograms::HistogramSpec& spec);
  Fill fill_of(const HistogramKey& key, std::optional<std::size_t> region, const PlannedVariation& variation);
  static bool is_same(const Fill& a, const Fill& b);
  using FillNumbers = std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t>;
  void note_content(BookedHistogram& booked, const Fill& fill);
  static std::size_t join(Fill fill, std::vector<Fill>& fills, FillNumbers& weighted);
  histograms::HistogramSpec named_spec(const HistogramKey& key, histograms::HistogramSpec spec) const;

  SampleExpressions& expressions_;
  EventSelections& selections_;
  histograms::HistogramSet& histograms_;
  IsKnown is_known_;
  const Config& config_;
  const Sample& sample_;
  HistogramNaming naming_;
  PlanBuilder& builder_;
  Diagnostics& diagnostics_;
  std::vector<BookedHistogram> booked_;
  std::map<std::string, std::pair<CountingRank, std::string>> counting_;  // by region, with their names
  std::deque<histograms::HistogramFill> fills_;  // a deque never moves what the plan points at
};

}  // namespace skimline::skims
