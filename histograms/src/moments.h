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
  std::size_t num_nan;        ///< how many are not numbers
  MagnitudeRange magnitudes;  ///< of those inside, whose unit is not looked for
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

/// Values with their weights, the magnitudes of which are known.
struct MeasuredProducts {
  const KeptValues& values;
  const double* weights;
  MagnitudeRange weight_magnitudes;
  std::size_t size;
};

/// Adds weight times value to `sum`, and that times value to `sum_squared`, unless it is nullptr. Writes the
/// former to `products`, unless that is nullptr, which has room for a multiple of 8. Returns what is known of
/// their magnitudes.
MagnitudeRange add_products(const MeasuredProducts& factors, ExactSum& sum, ExactSum* sum_squared,
                            double* products);

}  // namespace skimline::histograms
