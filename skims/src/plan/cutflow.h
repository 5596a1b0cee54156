// SPDX-License-Identifier: BSD-3-Clause
// Events and sums of weights step by step.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/histograms/histogram.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/job_report.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A step of a cutflow, and the events that have passed it.
struct CountedStep {
  std::string name;
  SelectionId events;
};

/// A cutflow as outputs carry it: two histograms with a category for each step.
struct Cutflow {
  histograms::Histogram counts;
  histograms::Histogram weights;
};

/// The cell of the first step; that before it is underflow.
inline constexpr std::size_t kFirstStep = 1;

/// Returns a cutflow of steps that nothing has passed.
Cutflow empty_cutflow(const std::vector<std::string>& names);

/// Sums up, while a plan runs, the weights of the events in selections.
class SelectionWeights {
 public:
  /// `threads` will fill.
  explicit SelectionWeights(int threads);

  /// Adds the fills to a plan, which must not outlive this. Selections may be given several times. Throws
  /// ExpressionError.
  void book(PlanBuilder& builder, const std::vector<SelectionId>& selections, const std::string& weight);

  bool is_booked() const { return !fills_.empty() || results_; }

  /// Selections whose weights are summed up.
  const std::vector<SelectionId>& selections() const { return selections_; }
  /// Returns the sums after the run, with a category for each of selections(), by these names.
  histograms::Histogram named_sums(const std::vector<std::string>& names) const;
  /// From now on the sums are those that are added here in place of those of the run: of selection i, what
  /// the category names[i] of `sums` has. Names that it has become empty.
  void expect_results(std::vector<SelectionId> selections);
  void add_results(const histograms::Histogram& sums, std::vector<std::string>& names);

  /// Returns the sums after the run, with a cell for each of the steps, of which all were booked.
  histograms::Histogram sums_of(const std::vector<CountedStep>& steps) const;

 private:
  histograms::HistogramSet set_;
  std::vector<SelectionId> selections_;
  std::deque<histograms::HistogramFill> fills_;  // a deque never moves what the plan points at
  std::optional<histograms::Histogram> results_;
};

/// Returns the cutflow of the steps after a run. Without weights each event counts 1.
Cutflow cutflow_of(const std::vector<CountedStep>& steps, const RunReport& run,
                   const SelectionWeights& weights);

/// Returns the steps of `first`, then those of `second`.
Cutflow joined(const Cutflow& first, const Cutflow& second);

/// Returns the cutflow in plain numbers.
std::vector<CutflowStep> steps_of(const Cutflow& cutflow);

}  // namespace skimline::skims
