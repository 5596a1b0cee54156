// SPDX-License-Identifier: BSD-3-Clause
// The kernel below ExactSum: splits values, times their weights, on powers of two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace skimline::histograms {

/// Values of a block, 0 where a fill does not count, with their weights; those are 1 if `weights` is nullptr.
struct WeightedValues {
  const double* values;
  const double* weights;
  std::size_t size;
};

/// Parts of a value: one for each place of a SumWindow.
inline constexpr int kNumParts = 3;

/// SumWindow::anchor for each part of the products, and of the products times value.
struct Anchors {
  double places[2][kNumParts];
};

/// Sums of the parts of the products of a block, and of the products times value, and the largest magnitudes
/// among them.
struct BlockSums {
  std::array<std::int64_t, kNumParts> parts[2];
  double largest[2] = {0, 0};
};

/// Where split_products() writes to.
struct SplitOutputs {
  double* products;  ///< nullptr, or room for a multiple of 8
  bool has_squares;  ///< whether the products times value are wanted too
  BlockSums* sums;
};

/// Splits weight times value. Parts are right if their anchors' windows take BlockSums::largest.
void split_products(const WeightedValues& values, const Anchors& anchors, const SplitOutputs& outputs);

}  // namespace skimline::histograms
