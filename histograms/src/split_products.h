// SPDX-License-Identifier: BSD-3-Clause
// The kernel below ExactSum: splits values, times their weights, on powers of two.
#pragma once

#include "numbers.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace skimline::histograms {

/// Values of a block, 0 where a fill does not count, with their weights; those are 1 if `weights` is nullptr.
struct WeightedValues {
  Numbers values;
  const double* weights;
  std::size_t size;
};

/// Parts of a value: one for each place of a SumWindow.
inline constexpr int kNumParts = 3;

/// SumWindow::anchor for each part of the products, and of the products times value.
struct Anchors {
  double places[2][kNumParts];
};

/// Sums of the parts of the products of a block, and of the products times value; of those with weights also
/// the largest magnitudes among them, unless third parts are not wanted, and whether any has more than those.
struct BlockSums {
  std::array<std::int64_t, kNumParts> parts[2];
  double largest[2] = {0, 0};
  bool has_rest[2] = {false, false};
};

/// What is wanted of split_products(), and where it goes.
struct SplitOutputs {
  double* products;  ///< nullptr, or room for a multiple of 8, if there are weights
  bool has_squares;  ///< whether the products times value are wanted too
  BlockSums* sums;
  bool has_thirds = true;  ///< whether parts in the third place are, too
};

/// Splits weight times value. Parts are right if their anchors' windows take the largest magnitudes.
void split_products(const WeightedValues& values, const Anchors& anchors, const SplitOutputs& outputs);

/// The part of a value on the anchor of a place; what is left stays in the value.
inline std::int64_t split_off(double& value, double anchor) {
  const double shifted = value + anchor;
  value -= shifted - anchor;
  return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(anchor);
}

/// What is known of the magnitudes of numbers. None is smaller than `smallest` but zeros, of which it is
/// infinity if there is nothing else.
struct MagnitudeRange {
  double largest = 0;  ///< infinity if one is not a number
  double smallest = 0;
  /// A power of two of which all are multiples, or 0.
  double unit = 0;
};

MagnitudeRange magnitudes_of(const double* values, std::size_t size);

}  // namespace skimline::histograms
