// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/histogram.h"

#include "axis_union.h"
#include "cell_order.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::histograms {
namespace {

// The exact sum over the bins, flow cells left out: integers still, so it is what summing fill by fill gives.
double sum_in_range(const Histogram& histogram, const ExactCells& cells) {
  SumParts total;
  for_each_row_in_range(histogram.axes,
                        [&](std::size_t first, std::size_t last) { total.add(cells.total(first, last)); });
  return total.value();
}

double count_in_range(const Histogram& histogram) {
  double count = 0;
  for_each_row_in_range(histogram.axes, [&](std::size_t first, std::size_t last) {
    for (std::size_t cell = first; cell < last; ++cell) count += histogram.sums[kWeight][cell];
  });
  return count;
}

void round_positions(Histogram& histogram) {
  const std::size_t num_axes = histogram.axes.size();
  Statistics& statistics = histogram.statistics;
  statistics.position.clear();
  statistics.position_squared.clear();
  statistics.position_product.clear();
  for (std::size_t i = 0; i < histogram.exact_positions.size(); ++i) {
    std::vector<double>& sums = i < num_axes       ? statistics.position
                                : i < 2 * num_axes ? statistics.position_squared
                                                   : statistics.position_product;
    sums.push_back(histogram.exact_positions[i].value());
  }
}

void add_all(std::vector<double>& sums, const std::vector<double>& others) {
  if (sums.size() != others.size()) throw InternalError("histograms with different sums were added");
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
}

void add_rounded(Histogram& sum, const Histogram& other) {
  for (std::size_t which = 0; which < num_sums(sum.storage); ++which)
    add_all(sum.sums[which], other.sums[which]);
  Statistics& total = sum.statistics;
  total.weight += other.statistics.weight;
  total.weight_squared += other.statistics.weight_squared;
  add_all(total.position, other.statistics.position);
  add_all(total.position_squared, other.statistics.position_squared);
  add_all(total.position_product, other.statistics.position_product);
  total.weighted_value += other.statistics.weighted_value;
  total.weighted_value_squared += other.statistics.weighted_value_squared;
}

void add_exact(Histogram& sum, const Histogram& other) {
  if (!has_weights(sum.storage)) add_all(sum.sums[kWeight], other.sums[kWeight]);
  for (std::size_t which = 0; which < sum.exact_cells.size(); ++which)
    sum.exact_cells[which].add(other.exact_cells[which]);
  for (std::size_t i = 0; i < sum.exact_positions.size(); ++i)
    sum.exact_positions[i].add(other.exact_positions[i]);
  round_exact_sums(sum);
}

void forget_exact_sums(Histogram& histogram) {
  histogram.has_exact_sums = false;
  histogram.exact_cells.clear();
  histogram.exact_positions.clear();
}

void add_same_bins(Histogram& sum, const Histogram& other) {
  sum.entries += other.entries;
  sum.num_nan += other.num_nan;
  sum.num_bad_weights += other.num_bad_weights;
  if (sum.has_exact_sums && other.has_exact_sums) return add_exact(sum, other);
  forget_exact_sums(sum);
  add_rounded(sum, other);
}

void copy_cell(const Histogram& from, std::size_t cell, Histogram& to, std::size_t target) {
  for (std::size_t which = 0; which < num_sums(from.storage); ++which)
    to.sums[which][target] = from.sums[which][cell];
  for (std::size_t which = 0; which < from.exact_cells.size(); ++which)
    to.exact_cells[which].set_parts(target, from.exact_cells[which].parts(cell));
}

// The same fills in the cells of other axes, which have all bins of the histogram's own.
Histogram with_axes(const Histogram& histogram, std::vector<Axis> axes) {
  Histogram moved = empty_histogram(histogram.name, histogram.title, std::move(axes), histogram.storage);
  moved.value_title = histogram.value_title;
  moved.entries = histogram.entries;
  moved.statistics = histogram.statistics;
  moved.num_nan = histogram.num_nan;
  moved.num_bad_weights = histogram.num_bad_weights;
  moved.has_exact_sums = histogram.has_exact_sums;
  moved.exact_positions = histogram.exact_positions;
  if (!histogram.has_exact_sums) moved.exact_cells.clear();
  for (std::size_t which = 0; which < histogram.exact_cells.size(); ++which)
    moved.exact_cells[which].set_window(histogram.exact_cells[which].window());
  std::vector<std::vector<std::size_t>> targets;
  for (std::size_t i = 0; i < moved.axes.size(); ++i)
    targets.push_back(cells_in(histogram.axes[i], moved.axes[i]));
  for_each_cell(histogram.axes, [&](std::span<const std::size_t> cells, std::size_t number) {
    std::size_t target = 0, stride = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      target += stride * targets[i][cells[i]];
      stride *= moved.axes[i].num_cells();
    }
    copy_cell(histogram, number, moved, target);
  });
  return moved;
}

// Whether there are values that are in none of the bins of an axis.
bool has_flow(const Histogram& histogram, std::size_t axis) {
  bool found = false;
  for_each_cell(histogram.axes, [&](std::span<const std::size_t> cells, std::size_t number) {
    if (cells[axis] != 0 && cells[axis] + 1 != histogram.axes[axis].num_cells()) return;
    for (const std::vector<double>& sums : histogram.sums) found |= !sums.empty() && sums[number] != 0;
  });
  return found;
}

std::string difference_on(std::size_t axis, const Histogram& left, const Histogram& right) {
  const Axis &one = left.axes[axis], &other = right.axes[axis];
  if (std::string difference = difference_of(one, other); !difference.empty()) return difference;
  const bool are_united = !one.is_growing() && !have_same_bins(one, other);
  if (are_united && (has_flow(left, axis) || has_flow(right, axis)))
    return "other categories, and values that are none of them";
  return {};
}

}  // namespace

std::size_t num_cells(std::span<const Axis> axes) {
  std::size_t cells = 1;
  for (const Axis& axis : axes) cells *= axis.num_cells();
  return cells;
}

std::size_t num_position_sums(std::size_t num_axes) {
  const std::size_t num_products = num_axes == 2 ? 1 : num_axes == 3 ? 3 : 0;
  return 2 * num_axes + num_products;
}

std::size_t Histogram::num_cells() const { return histograms::num_cells(axes); }

Histogram empty_histogram(std::string name, std::string title, std::vector<Axis> axes, Storage storage) {
  Histogram histogram{.name = std::move(name),
                      .title = std::move(title),
                      .axes = std::move(axes),
                      .value_title = {},
                      .storage = storage};
  const std::size_t cells = histogram.num_cells();
  for (std::size_t which = 0; which < num_sums(storage); ++which) histogram.sums[which].resize(cells);
  histogram.has_exact_sums = true;
  if (has_weights(storage)) histogram.exact_cells.assign(num_sums(storage), ExactCells(cells));
  histogram.exact_positions.resize(num_position_sums(histogram.axes.size()));
  round_positions(histogram);
  return histogram;
}

void round_exact_sums(Histogram& histogram) {
  Statistics& statistics = histogram.statistics;
  round_positions(histogram);
  if (!has_weights(histogram.storage)) {
    statistics.weight = statistics.weight_squared = count_in_range(histogram);
    return;
  }
  double* const totals[kMaxCellSums] = {&statistics.weight, &statistics.weight_squared,
                                        &statistics.weighted_value, &statistics.weighted_value_squared};
  for (std::size_t which = 0; which < histogram.exact_cells.size(); ++which) {
    const ExactCells& cells = histogram.exact_cells[which];
    histogram.sums[which].resize(cells.size());
    cells.round(0, cells.size(), histogram.sums[which].data());
    *totals[which] = sum_in_range(histogram, cells);
  }
}

std::string difference_of_bins(const Histogram& left, const Histogram& right) {
  if (left.storage != right.storage)
    return "one " + std::string(traits_of(left.storage).description) + ", the other " +
           std::string(traits_of(right.storage).description);
  if (left.axes.size() != right.axes.size())
    return "one has " + std::to_string(left.axes.size()) + " axes, the other " +
           std::to_string(right.axes.size());
  for (std::size_t i = 0; i < left.axes.size(); ++i) {
    const std::string difference = difference_on(i, left, right);
    if (!difference.empty()) return "axis " + std::to_string(i) + ": " + difference;
  }
  return {};
}

void add(Histogram& sum, const Histogram& other) {
  const std::string difference = difference_of_bins(sum, other);
  if (!difference.empty())
    throw Error(std::string("histograms of different ") +
                (sum.storage == other.storage ? "bins" : "storages") + " cannot be added: " + difference);
  const std::vector<Axis> axes = united(sum.axes, other.axes);
  const auto has = [&](const Histogram& histogram) {
    return std::equal(axes.begin(), axes.end(), histogram.axes.begin(), have_same_bins);
  };
  if (!has(sum)) sum = with_axes(sum, axes);
  if (has(other))
    add_same_bins(sum, other);
  else
    add_same_bins(sum, with_axes(other, axes));
}

}  // namespace skimline::histograms
