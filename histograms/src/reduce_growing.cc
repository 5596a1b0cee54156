// SPDX-License-Identifier: BSD-3-Clause
#include "reduce_growing.h"

#include <algorithm>
#include <set>

namespace skimline::histograms {
namespace {

template <typename T>
std::vector<T> all_categories(const std::vector<T>& booked, std::span<const Instance* const> instances,
                              std::size_t axis, const std::vector<T>& (GrowingAxis::*categories)() const) {
  std::set<T> all(booked.begin(), booked.end());
  for (const Instance* instance : instances) {
    const std::vector<T>& met = (instance->growing[axis].*categories)();
    all.insert(met.begin(), met.end());
  }
  return {all.begin(), all.end()};
}

Axis with_categories(const HistogramSpec& spec, std::size_t axis,
                     std::span<const Instance* const> instances) {
  const Axis& booked = spec.axes[axis];
  if (!booked.is_growing()) return booked;
  Axis grown =
      booked.values() == AxisValues::kTexts
          ? Axis::categories(all_categories(booked.names(), instances, axis, &GrowingAxis::names), true)
          : Axis::categories(all_categories(booked.numbers(), instances, axis, &GrowingAxis::numbers), true);
  grown.label = booked.label;
  grown.unit = booked.unit;
  return grown;
}

// For each cell that a slot uses on an axis, the cell of the result.
std::vector<std::size_t> targets_of(const Axis& axis, const GrowingAxis& grown) {
  std::vector<std::size_t> targets;
  if (!axis.is_growing()) {
    for (std::size_t cell = 0; cell < axis.num_cells(); ++cell) targets.push_back(cell);
    return targets;
  }
  std::vector<std::int32_t> cells(grown.num_categories());
  if (axis.values() == AxisValues::kTexts)
    axis.index(std::vector<std::string_view>(grown.names().begin(), grown.names().end()), cells.data());
  else
    axis.index(std::span<const std::int64_t>(grown.numbers()), cells.data());
  targets.push_back(0);
  targets.insert(targets.end(), cells.begin(), cells.end());
  return targets;
}

void raise_windows(std::span<const Instance* const> instances, Histogram& result) {
  for (std::size_t sum = 0; sum < result.exact_cells.size(); ++sum)
    for (const Instance* instance : instances)
      result.exact_cells[sum].set_window(
          std::max(result.exact_cells[sum].window(), instance->cells->stripe(0).window(sum)));
}

void add_cell(const CellCopy& from, std::size_t cell, Histogram& result, std::size_t target) {
  if (!has_weights(result.storage)) {
    result.sums[kWeight][target] += static_cast<double>(from.counts()[cell]);
    return;
  }
  for (std::size_t sum = 0; sum < result.exact_cells.size(); ++sum) {
    const SumParts parts = from.stripe(0).parts(cell, sum);
    if (!parts.are_zero()) result.exact_cells[sum].add_parts(target, parts);
  }
}

void add_instance(const Instance& instance, Histogram& result) {
  std::vector<std::vector<std::size_t>> targets;
  for (std::size_t axis = 0; axis < result.axes.size(); ++axis)
    targets.push_back(targets_of(result.axes[axis], instance.growing[axis]));
  for (std::size_t cell = 0; cell < instance.cells->num_cells(); ++cell) {
    std::size_t rest = cell, target = 0, stride = 1;
    bool is_used = true;
    for (std::size_t axis = 0; axis < targets.size(); ++axis) {
      const std::size_t on_axis = rest % instance.extents[axis];
      rest /= instance.extents[axis];
      is_used = is_used && on_axis < targets[axis].size();
      if (is_used) target += stride * targets[axis][on_axis];
      stride *= result.axes[axis].num_cells();
    }
    if (is_used) add_cell(*instance.cells, cell, result, target);
  }
}

}  // namespace

std::vector<Axis> axes_with_categories(const HistogramSpec& spec,
                                       std::span<const Instance* const> instances) {
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis)
    axes.push_back(with_categories(spec, axis, instances));
  return axes;
}

void reduce_growing(std::span<const Instance* const> instances, Histogram& result) {
  raise_windows(instances, result);
  for (const Instance* instance : instances) add_instance(*instance, result);
  for (ExactCells& cells : result.exact_cells) cells.drop_zeros();
}

}  // namespace skimline::histograms
