// SPDX-License-Identifier: BSD-3-Clause
// What a slot holds for one histogram: cells in its arena, and the sums that are kept once per histogram.
#pragma once

#include "skimline/histograms/exact_sum.h"

#include <cstdint>

namespace skimline::histograms {

/// A weighted cell: the sums of weights and of their squares, in the windows of the histogram. Parts of one
/// place lie side by side, so that a fill adds both at once.
struct alignas(16) WeightedCell {
  std::int64_t parts[3][2];

  enum Sum { kWeight, kWeightSquared };
  SumParts sum(Sum which) const { return {parts[0][which], parts[1][which], parts[2][which]}; }
  void set_sum(Sum which, const SumParts& values) {
    for (int place = 0; place < 3; ++place) parts[place][which] = values[place];
  }
};

/// Kept once per histogram and slot.
struct Moments {
  std::uint64_t entries = 0;
  std::uint64_t num_nan = 0;
  SumWindow windows[2];  // of the weighted cells, by WeightedCell::Sum
  ExactSum sum_weights_x, sum_weights_x_squared;
};

}  // namespace skimline::histograms
