// SPDX-License-Identifier: BSD-3-Clause
#include "reduce.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::histograms {
namespace {

SumWindow highest_window(std::span<Arena* const> arenas, std::size_t id, WeightedCell::Sum sum) {
  SumWindow highest;
  for (Arena* arena : arenas) highest = std::max(highest, arena->moments(id).windows[sum]);
  return highest;
}

// Parts of one cell summed over all slots, in the window `highest`.
SumParts reduce_parts(std::span<Arena* const> arenas, std::size_t id, std::size_t cell, SumWindow highest,
                      WeightedCell::Sum sum) {
  SumParts total{};
  for (Arena* arena : arenas) {
    const SumWindow own = arena->moments(id).windows[sum];
    if (own.is_empty()) continue;
    const SumParts moved = moved_down(arena->weighted(id)[cell].sum(sum), highest.places_above(own));
    for (int i = 0; i < 3; ++i) total[i] += moved[i];
  }
  return total;
}

// The sum over the bins without the flow cells: integers still, so it is what summing fill by fill gives.
double reduce_in_range(std::span<Arena* const> arenas, std::size_t id, std::size_t num_cells,
                       WeightedCell::Sum sum) {
  const SumWindow highest = highest_window(arenas, id, sum);
  SumParts total{};
  for (std::size_t cell = 1; cell + 1 < num_cells; ++cell) {
    const SumParts parts = reduce_parts(arenas, id, cell, highest, sum);
    for (int i = 0; i < 3; ++i) total[i] += parts[i];
  }
  return highest.value_of(total);
}

double count_in_range(std::span<Arena* const> arenas, std::size_t id, std::size_t num_cells) {
  std::uint64_t count = 0;
  for (Arena* arena : arenas)
    for (std::size_t cell = 1; cell + 1 < num_cells; ++cell) count += arena->counts(id)[cell];
  return static_cast<double>(count);
}

}  // namespace

void reduce_moments(std::span<Arena* const> arenas, std::size_t id, Histogram& result) {
  Moments total;
  for (Arena* arena : arenas) {
    const Moments& moments = arena->moments(id);
    total.entries += moments.entries;
    total.num_nan += moments.num_nan;
    total.sum_weights_x.add(moments.sum_weights_x);
    total.sum_weights_x_squared.add(moments.sum_weights_x_squared);
  }
  if (total.entries > SumWindow::kMaxAdditions)
    throw Error("histogram \"" + result.name + "\" has more than 2^34 fills, which its sums cannot take");
  result.entries = total.entries;
  result.num_nan = total.num_nan;
  const std::size_t num_cells = result.axis.num_cells();
  if (result.is_weighted) {
    result.sum_weights = reduce_in_range(arenas, id, num_cells, WeightedCell::kWeight);
    result.sum_weights_squared = reduce_in_range(arenas, id, num_cells, WeightedCell::kWeightSquared);
  } else {
    result.sum_weights = result.sum_weights_squared = count_in_range(arenas, id, num_cells);
  }
  result.sum_weights_x = total.sum_weights_x.value();
  result.sum_weights_x_squared = total.sum_weights_x_squared.value();
}

void reduce_cells(std::span<Arena* const> arenas, std::size_t id, std::size_t first, std::size_t last,
                  Histogram& result) {
  const SumWindow window = highest_window(arenas, id, WeightedCell::kWeight);
  const SumWindow squared = highest_window(arenas, id, WeightedCell::kWeightSquared);
  for (std::size_t cell = first; cell < last; ++cell) {
    if (result.is_weighted) {
      result.contents[cell] = window.value_of(reduce_parts(arenas, id, cell, window, WeightedCell::kWeight));
      result.variances[cell] =
          squared.value_of(reduce_parts(arenas, id, cell, squared, WeightedCell::kWeightSquared));
    } else {
      std::uint64_t count = 0;
      for (Arena* arena : arenas) count += arena->counts(id)[cell];
      result.contents[cell] = result.variances[cell] = static_cast<double>(count);
    }
  }
}

}  // namespace skimline::histograms
