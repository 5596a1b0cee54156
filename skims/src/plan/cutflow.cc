// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cutflow.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::ExactCells;
using histograms::Histogram;
using histograms::Storage;

histograms::Histogram empty_steps(const std::vector<std::string>& names, Storage storage) {
  Histogram histogram = histograms::empty_histogram("", "", {Axis::categories(names)}, storage);
  histogram.value_title = has_weights(storage) ? "Sum of weights" : "Events";
  return histogram;
}

void copy_exact(const ExactCells& from, std::size_t cell, ExactCells& to, std::size_t target) {
  ExactCells single(to.size());
  single.set_window(from.window());
  single.set_parts(target, from.parts(cell));
  to.add(single);
}

// Copies the sums of a cell, which is zero in `to`.
void copy_cell(const Histogram& from, std::size_t cell, Histogram& to, std::size_t target) {
  for (std::size_t which = 0; which < to.exact_cells.size(); ++which)
    copy_exact(from.exact_cells[which], cell, to.exact_cells[which], target);
  if (!has_weights(to.storage)) to.sums[0][target] = from.sums[0][cell];
}

std::vector<std::int64_t> numbers_to(std::size_t end) {
  std::vector<std::int64_t> numbers(end);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Steps of a skim and of what reads it may have one name, and a cut that of what comes before or behind all.
std::string unused_name(const std::string& name, const std::vector<std::string>& names) {
  std::string unused = name;
  for (int number = 2; std::count(names.begin(), names.end(), unused) != 0; ++number)
    unused = name + " (" + std::to_string(number) + ")";
  return unused;
}

std::vector<std::string> names_of(const std::vector<CountedStep>& steps) {
  std::vector<std::string> names;
  for (const CountedStep& step : steps) names.push_back(unused_name(step.name, names));
  return names;
}

Histogram joined(const Histogram& first, const Histogram& second) {
  std::vector<std::string> names = first.axes.front().names();
  const std::size_t num_first = names.size();
  for (const std::string& name : second.axes.front().names()) names.push_back(unused_name(name, names));
  Histogram sum = empty_steps(names, first.storage);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_first = i < num_first;
    copy_cell(is_first ? first : second, kFirstStep + (is_first ? i : i - num_first), sum, kFirstStep + i);
  }
  histograms::round_exact_sums(sum);
  sum.entries = first.entries + second.entries;
  return sum;
}

// The same as weights of 1.
Histogram weighted(const Histogram& counts) {
  Histogram sums = empty_steps(counts.axes.front().names(), Storage::kWeighted);
  for (std::size_t which = 0; which < sums.exact_cells.size(); ++which)
    for (std::size_t cell = 0; cell < counts.num_cells(); ++cell) {
      histograms::ExactSum sum;
      sum.add(std::vector<double>{counts.contents()[cell]});
      ExactCells single(counts.num_cells());
      single.set_window(sum.window());
      single.set_parts(cell, sum.parts());
      if (counts.contents()[cell] != 0) sums.exact_cells[which].add(single);
    }
  histograms::round_exact_sums(sums);
  sums.entries = counts.entries;
  return sums;
}

}  // namespace

Cutflow empty_cutflow(const std::vector<std::string>& names) {
  return {empty_steps(names, Storage::kCount), empty_steps(names, Storage::kWeighted)};
}

SelectionWeights::SelectionWeights(int threads) : set_({.threads = threads, .memory_limit = 0}) {}

void SelectionWeights::book(PlanBuilder& builder, const std::vector<SelectionId>& selections,
                            const std::string& weight) {
  if (selections.empty()) return;
  for (const SelectionId each : selections)
    if (std::none_of(selections_.begin(), selections_.end(),
                     [&](SelectionId known) { return known.index == each.index; }))
      selections_.push_back(each);
  histograms::HistogramSpec spec;
  spec.name = "sums of weights";
  spec.axes.push_back(Axis::categories(numbers_to(selections_.size())));
  spec.storage = Storage::kWeighted;
  const std::size_t id = set_.add(std::move(spec));
  for (std::size_t i = 0; i < selections_.size(); ++i)
    builder.fill(selections_[i], {std::to_string(i), weight},
                 fills_.emplace_back(set_, std::vector<std::size_t>{id}));
}

histograms::Histogram SelectionWeights::named_sums(const std::vector<std::string>& names) const {
  const Histogram all = set_.reduce(0);
  Histogram sums = empty_steps(names, Storage::kWeighted);
  for (std::size_t i = 0; i < names.size(); ++i) copy_cell(all, kFirstStep + i, sums, kFirstStep + i);
  histograms::round_exact_sums(sums);
  return sums;
}

void SelectionWeights::expect_results(std::vector<SelectionId> selections) {
  selections_ = std::move(selections);
  results_ = histograms::empty_histogram("", "", {Axis::categories(numbers_to(selections_.size()))},
                                         Storage::kWeighted);
}

void SelectionWeights::add_results(const histograms::Histogram& sums, std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> cells;
  for (const std::string& name : sums.axes.front().names()) cells.emplace(name, kFirstStep + cells.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto cell = cells.find(names[i]);
    if (cell == cells.end()) continue;
    for (std::size_t which = 0; which < results_->exact_cells.size(); ++which)
      copy_exact(sums.exact_cells[which], cell->second, results_->exact_cells[which], kFirstStep + i);
    names[i].clear();
  }
}

histograms::Histogram SelectionWeights::sums_of(const std::vector<CountedStep>& steps) const {
  const Histogram all = results_ ? *results_ : set_.reduce(0);
  Histogram sums = empty_steps(names_of(steps), Storage::kWeighted);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto found = std::find_if(selections_.begin(), selections_.end(),
                                    [&](SelectionId known) { return known.index == steps[i].events.index; });
    if (found == selections_.end()) throw InternalError("the weights of a selection were not summed up");
    const auto cell = kFirstStep + static_cast<std::size_t>(found - selections_.begin());
    copy_cell(all, cell, sums, kFirstStep + i);
  }
  histograms::round_exact_sums(sums);
  return sums;
}

Cutflow cutflow_of(const std::vector<CountedStep>& steps, const RunReport& run,
                   const SelectionWeights& weights) {
  Cutflow cutflow;
  cutflow.counts = empty_steps(names_of(steps), Storage::kCount);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::uint64_t count = run.entries_kept.at(steps[i].events.index);
    cutflow.counts.sums[0][kFirstStep + i] = static_cast<double>(count);
    cutflow.counts.entries += count;
  }
  histograms::round_exact_sums(cutflow.counts);
  cutflow.weights = weights.is_booked() ? weights.sums_of(steps) : weighted(cutflow.counts);
  cutflow.weights.entries = cutflow.counts.entries;
  return cutflow;
}

Cutflow joined(const Cutflow& first, const Cutflow& second) {
  return {joined(first.counts, second.counts), joined(first.weights, second.weights)};
}

std::vector<CutflowStep> steps_of(const Cutflow& cutflow) {
  std::vector<CutflowStep> steps;
  const std::vector<std::string>& names = cutflow.counts.axes.front().names();
  for (std::size_t i = 0; i < names.size(); ++i)
    steps.push_back({names[i], static_cast<std::uint64_t>(cutflow.counts.contents()[kFirstStep + i]),
                     cutflow.weights.contents()[kFirstStep + i],
                     cutflow.weights.variances()[kFirstStep + i]});
  return steps;
}

}  // namespace skimline::skims
