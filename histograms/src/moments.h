// SPDX-License-Identifier: BSD-3-Clause
// Sums over the fills of a block: positions and their squares, weighted.
#pragma once

#include "split_products.h"

#include "skimline/histograms/exact_sum.h"

#include <cstddef>

namespace skimline::histograms {

/// Values of a block that lie in a range, 0 in place of others.
struct KeptValues {
  Numbers values;
  std::size_t num_nan;       ///< how many are not numbers
  double largest, smallest;  ///< magnitudes of those that are not zero; 0 and infinity if there are none
};

/// Where values of either type are kept.
struct KeptNumbers {
  float* floats;
  double* doubles;
};

/// Copies the values of [low, high).
KeptValues keep_inside(const Numbers& values, std::size_t size, double low, double high,
                       const KeptNumbers& kept);

/// Adds the values to `sum` and their squares to `sum_squared`.
void add_values(const KeptValues& values, std::size_t size, ExactSum& sum, ExactSum& sum_squared);

/// Adds weight times value to `sum`, and that times value to `sum_squared`, unless it is nullptr. Writes the
/// former to `products`, unless that is nullptr, which has room for a multiple of 8.
void add_products(const WeightedValues& values, ExactSum& sum, ExactSum* sum_squared, double* products);

}  // namespace skimline::histograms
