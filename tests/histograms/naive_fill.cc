// SPDX-License-Identifier: BSD-3-Clause
#include "naive_fill.h"

#include <algorithm>
#include <cmath>

namespace skimline::histograms::testing {
namespace {

std::vector<double> edges_of(const Axis& axis) {
  if (axis.kind() == AxisKind::kVariable) return axis.edges();
  std::vector<double> edges;
  for (int i = 0; i < axis.num_bins(); ++i)
    edges.push_back(axis.low() + i * ((axis.high() - axis.low()) / axis.num_bins()));
  edges.push_back(axis.high());
  return edges;
}

// By steps of the axis's length: the tests have positions for which this is exact.
double moved_into_range(const Axis& axis, double x) {
  const double length = axis.high() - axis.low();
  while (axis.flow().circular && x < axis.low()) x += length;
  while (axis.flow().circular && x >= axis.high()) x -= length;
  return x;
}

template <typename T, typename Value>
std::size_t category_cell(const std::vector<T>& categories, const Value& value) {
  for (std::size_t i = 0; i < categories.size(); ++i)
    if (categories[i] == value) return i + 1;
  return categories.size() + 1;
}

double position(const Axis& axis, const RandomFills::OnAxis& positions, std::size_t fill) {
  return axis.is_category() ? 0 : moved_into_range(axis, positions.numbers[fill]);
}

void add_with_largest(NaiveSum& sum, double& largest, double term) {
  sum.add(term);
  largest = std::max(largest, std::fabs(term));
}

// One fill, with its cells on all axes.
struct Fill {
  std::vector<double> positions;
  std::vector<std::size_t> cells;
  std::array<double, kMaxCellSums> terms;
};

bool is_inside(const std::vector<Axis>& axes, const Fill& fill) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (fill.cells[i] == 0 || fill.cells[i] + 1 == axes[i].num_cells()) return false;
  return true;
}

bool has_cell(const std::vector<Axis>& axes, const Fill& fill) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].is_category()) continue;
    if (fill.cells[i] == 0 && !axes[i].flow().underflow) return false;
    if (fill.cells[i] + 1 == axes[i].num_cells() && !axes[i].flow().overflow) return false;
  }
  return true;
}

Fill fill_at(const RandomFills& fills, const std::vector<Axis>& axes, std::size_t i) {
  Fill fill;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    fill.positions.push_back(position(axes[axis], fills.axes[axis], i));
    fill.cells.push_back(naive_cell(axes[axis], fills.axes[axis], i));
  }
  const double weight = fills.weights.empty() ? 1 : fills.weights[i];
  const double value = fills.values.empty() ? 0 : fills.values[i];
  const double weighted = weight * value;
  fill.terms = {weight, weight * weight, weighted, weighted * value};
  return fill;
}

void add_positions(NaiveHistogram& histogram, const std::vector<Axis>& axes, const Fill& fill) {
  const std::size_t num_axes = axes.size();
  const auto add = [&](std::size_t sum, double term) {
    add_with_largest(histogram.positions[sum], histogram.largest_position[sum], term);
  };
  for (std::size_t i = 0; i < num_axes; ++i) {
    const double weighted = fill.terms[kWeight] * fill.positions[i];
    add(i, weighted);
    add(num_axes + i, weighted * fill.positions[i]);
  }
  for (std::size_t i = 0, sum = 2 * num_axes; i < num_axes && sum < histogram.positions.size(); ++i)
    for (std::size_t j = i + 1; j < num_axes; ++j)
      add(sum++, fill.terms[kWeight] * fill.positions[i] * fill.positions[j]);
}

}  // namespace

void NaiveSum::add(double term) {
  exact.add(term);
  plain += term;
  ++terms;
}

std::size_t naive_cell(const Axis& axis, const RandomFills::OnAxis& positions, std::size_t fill) {
  if (axis.kind() == AxisKind::kStringCategories) return category_cell(axis.names(), positions.names[fill]);
  if (axis.kind() == AxisKind::kIntegerCategories)
    return category_cell(axis.numbers(), positions.integers[fill]);
  const double x = position(axis, positions, fill);
  const std::vector<double> edges = edges_of(axis);
  std::size_t cell = 0;
  while (cell < edges.size() && !(x < edges[cell])) ++cell;
  return cell;
}

NaiveHistogram naive_fill(const RandomFills& fills, const std::vector<Axis>& axes) {
  NaiveHistogram histogram;
  histogram.positions.resize(num_position_sums(axes.size()));
  histogram.largest_position.resize(histogram.positions.size());
  for (std::size_t i = 0; i < fills.size; ++i) {
    const Fill fill = fill_at(fills, axes, i);
    std::size_t cell = 0, stride = 1;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      cell += stride * fill.cells[axis];
      stride *= axes[axis].num_cells();
    }
    const bool inside = is_inside(axes, fill), is_kept = has_cell(axes, fill);
    for (std::size_t sum = 0; sum < kMaxCellSums; ++sum) {
      histogram.largest[sum] = std::max(histogram.largest[sum], std::fabs(fill.terms[sum]));
      if (is_kept) histogram.cells[cell][sum].add(fill.terms[sum]);
      if (inside) histogram.totals[sum].add(fill.terms[sum]);
    }
    if (inside) add_positions(histogram, axes, fill);
    histogram.num_nan +=
        std::any_of(fill.positions.begin(), fill.positions.end(), [](double x) { return std::isnan(x); }) ? 1
                                                                                                          : 0;
  }
  return histogram;
}

}  // namespace skimline::histograms::testing
