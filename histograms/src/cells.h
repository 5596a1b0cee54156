// SPDX-License-Identifier: BSD-3-Clause
// What a slot holds for one histogram: cells in its arena, and the sums that are kept once per histogram.
#pragma once

#include "skimline/histograms/exact_sum.h"

#include <cstdint>

namespace skimline::histograms {

/// A weighted cell: the sums of weights and of their squares, in the windows of the histogram.
struct WeightedCell {
  SumParts weight;
  SumParts weight_squared;
};

/// Kept once per histogram and slot.
struct Moments {
  std::uint64_t entries = 0;
  std::uint64_t num_nan = 0;
  SumWindow weight_window;  // of the weighted cells
  SumWindow weight_squared_window;
  ExactSum sum_weights, sum_weights_squared;  // of weighted histograms; else the number of entries in range
  ExactSum sum_weights_x, sum_weights_x_squared;
  std::uint64_t entries_in_range = 0;
};

}  // namespace skimline::histograms
