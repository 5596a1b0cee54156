// SPDX-License-Identifier: BSD-3-Clause
#include "fill.h"

#include <algorithm>
#include <cmath>

namespace skimline::histograms {
namespace {

constexpr std::size_t kBlock = 1024;

// The values of one block as doubles, and the cells they fall into.
struct Block {
  std::size_t size = 0;
  double values[kBlock];
  double weights[kBlock];
  std::int32_t cells[kBlock];
};

void read_doubles(const ColumnView& column, std::size_t first, std::size_t count, double* doubles) {
  visit_scalar(column.type.scalar, [&](auto tag) {
    const auto* values = column.data<typename decltype(tag)::type>();
    if (column.is_constant)
      std::fill_n(doubles, count, static_cast<double>(*values));
    else
      for (std::size_t i = 0; i < count; ++i) doubles[i] = static_cast<double>(values[first + i]);
  });
}

// Index of the first weight that cannot be added, or -1.
std::ptrdiff_t first_refused(std::span<const double> weights) {
  double num_accepted = 0;
  for (const double weight : weights) num_accepted += std::fabs(weight) < SumWindow::kLimit ? 1.0 : 0.0;
  if (num_accepted == static_cast<double>(weights.size())) return -1;
  return std::find_if_not(weights.begin(), weights.end(),
                          [](double weight) { return std::fabs(weight) < SumWindow::kLimit; }) -
         weights.begin();
}

void count_cells(const Block& block, std::uint64_t* counts) {
  for (std::size_t i = 0; i < block.size; ++i) ++counts[block.cells[i]];
}

// Makes `window` take values up to `magnitude`; the parts of all cells move along.
void raise_window(SumWindow& window, double magnitude, std::span<WeightedCell> cells,
                  SumParts WeightedCell::*parts) {
  const SumWindow needed = SumWindow::of(magnitude);
  if (needed <= window) return;
  const int places = needed.places_above(window);
  if (!window.is_empty())
    for (WeightedCell& cell : cells) cell.*parts = moved_down(cell.*parts, places);
  window = needed;
}

void add_parts(SumParts& sum, const SumParts& parts) {
  for (int i = 0; i < 3; ++i) sum[i] += parts[i];
}

void add_weights(const Block& block, std::span<WeightedCell> cells, double largest, Moments& moments) {
  raise_window(moments.weight_window, largest, cells, &WeightedCell::weight);
  raise_window(moments.weight_squared_window, largest * largest, cells, &WeightedCell::weight_squared);
  const SumWindow::Splitter split(moments.weight_window);
  const SumWindow::Splitter split_squared(moments.weight_squared_window);
  SumParts weight_parts[kBlock], squared_parts[kBlock];
  for (std::size_t i = 0; i < block.size; ++i) {
    weight_parts[i] = split(block.weights[i]);
    squared_parts[i] = split_squared(block.weights[i] * block.weights[i]);
  }
  for (std::size_t i = 0; i < block.size; ++i) {
    WeightedCell& cell = cells[block.cells[i]];
    add_parts(cell.weight, weight_parts[i]);
    add_parts(cell.weight_squared, squared_parts[i]);
  }
}

// Sums over the fills inside the range; what is outside counts as 0, which leaves sums unchanged. Magnitudes
// are bounded by the range and the largest weight, which spares looking for the largest product.
void add_moments(const Block& block, const Axis& axis, bool is_weighted, double largest_weight,
                 Moments& moments) {
  double weights[kBlock], products[kBlock], squares[kBlock];
  double num_nan = 0, num_in_range = 0;
  const double low = axis.low(), high = axis.high();
  for (std::size_t i = 0; i < block.size; ++i) {
    const double x = block.values[i];
    const double inside = x >= low && x < high ? 1.0 : 0.0;
    weights[i] = inside;
    products[i] = x >= low && x < high ? x : 0.0;
    num_in_range += inside;
    num_nan += x == x ? 0.0 : 1.0;
  }
  if (is_weighted)
    for (std::size_t i = 0; i < block.size; ++i) weights[i] *= block.weights[i];
  for (std::size_t i = 0; i < block.size; ++i) {
    const double x = products[i];
    products[i] = weights[i] * x;
    squares[i] = products[i] * x;
  }
  moments.entries += block.size;
  moments.num_nan += static_cast<std::uint64_t>(num_nan);
  moments.entries_in_range += static_cast<std::uint64_t>(num_in_range);
  const double reach = std::max(std::fabs(low), std::fabs(high));
  moments.sum_weights_x.add({products, block.size}, largest_weight * reach);
  moments.sum_weights_x_squared.add({squares, block.size}, largest_weight * reach * reach);
  if (!is_weighted) return;
  moments.sum_weights.add({weights, block.size}, largest_weight);
  for (std::size_t i = 0; i < block.size; ++i) weights[i] *= weights[i];
  moments.sum_weights_squared.add({weights, block.size}, largest_weight * largest_weight);
}

}  // namespace

std::ptrdiff_t fill_histogram(Arena& arena, std::size_t id, const HistogramSpec& spec,
                              const ColumnView& values, const std::optional<ColumnView>& weights) {
  Block block;
  Moments& moments = arena.moments(id);
  for (std::size_t first = 0; first < values.length; first += block.size) {
    block.size = std::min(kBlock, values.length - first);
    read_doubles(values, first, block.size, block.values);
    spec.axis.index({block.values, block.size}, block.cells);
    double largest_weight = 1;
    if (spec.is_weighted) {
      read_doubles(*weights, first, block.size, block.weights);
      const std::ptrdiff_t refused = first_refused({block.weights, block.size});
      if (refused >= 0) return static_cast<std::ptrdiff_t>(first) + refused;
      largest_weight = largest_magnitude({block.weights, block.size});
      add_weights(block, {arena.weighted(id), spec.axis.num_cells()}, largest_weight, moments);
    } else {
      count_cells(block, arena.counts(id));
    }
    add_moments(block, spec.axis, spec.is_weighted, largest_weight, moments);
  }
  return -1;
}

}  // namespace skimline::histograms
