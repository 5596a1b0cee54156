// SPDX-License-Identifier: BSD-3-Clause
#include "reduce.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::histograms {
namespace {

// The sum of one cell over all slots, in the highest of their windows.
double reduce_parts(std::span<Arena* const> arenas, std::size_t id, std::size_t cell,
                    SumWindow Moments::*window, SumParts WeightedCell::*parts) {
  SumWindow highest;
  for (Arena* arena : arenas) highest = std::max(highest, arena->moments(id).*window);
  SumParts total{};
  for (Arena* arena : arenas) {
    const SumWindow own = arena->moments(id).*window;
    if (own.is_empty()) continue;
    const SumParts moved = moved_down(arena->weighted(id)[cell].*parts, highest.places_above(own));
    for (int i = 0; i < 3; ++i) total[i] += moved[i];
  }
  return highest.value_of(total);
}

}  // namespace

void reduce_moments(std::span<Arena* const> arenas, std::size_t id, Histogram& result) {
  Moments total;
  for (Arena* arena : arenas) {
    const Moments& moments = arena->moments(id);
    total.entries += moments.entries;
    total.num_nan += moments.num_nan;
    total.entries_in_range += moments.entries_in_range;
    total.sum_weights.add(moments.sum_weights);
    total.sum_weights_squared.add(moments.sum_weights_squared);
    total.sum_weights_x.add(moments.sum_weights_x);
    total.sum_weights_x_squared.add(moments.sum_weights_x_squared);
  }
  if (total.entries > SumWindow::kMaxAdditions)
    throw Error("histogram \"" + result.name + "\" has more than 2^34 fills, which its sums cannot take");
  result.entries = total.entries;
  result.num_nan = total.num_nan;
  const auto in_range = static_cast<double>(total.entries_in_range);
  result.sum_weights = result.is_weighted ? total.sum_weights.value() : in_range;
  result.sum_weights_squared = result.is_weighted ? total.sum_weights_squared.value() : in_range;
  result.sum_weights_x = total.sum_weights_x.value();
  result.sum_weights_x_squared = total.sum_weights_x_squared.value();
}

void reduce_cells(std::span<Arena* const> arenas, std::size_t id, std::size_t first, std::size_t last,
                  Histogram& result) {
  for (std::size_t cell = first; cell < last; ++cell) {
    if (result.is_weighted) {
      result.contents[cell] = reduce_parts(arenas, id, cell, &Moments::weight_window, &WeightedCell::weight);
      result.variances[cell] =
          reduce_parts(arenas, id, cell, &Moments::weight_squared_window, &WeightedCell::weight_squared);
    } else {
      std::uint64_t count = 0;
      for (Arena* arena : arenas) count += arena->counts(id)[cell];
      result.contents[cell] = result.variances[cell] = static_cast<double>(count);
    }
  }
}

}  // namespace skimline::histograms
