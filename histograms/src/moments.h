// SPDX-License-Identifier: BSD-3-Clause
// Sums over the fills of a block: positions and their squares, weighted.
#pragma once

#include "split_products.h"

#include "skimline/histograms/exact_sum.h"

#include <cstddef>

namespace skimline::histograms {

/// Adds weight times value to `sum`, and that times value to `sum_squared`, unless it is nullptr. Writes the
/// former to `products`, unless that is nullptr, which has room for a multiple of 8.
void add_products(const WeightedValues& values, ExactSum& sum, ExactSum* sum_squared, double* products);

/// Copies the values of [low, high), with 0 in place of others; returns how many are not numbers.
std::size_t keep_inside(const WeightedValues& values, double low, double high, double* inside);

/// The largest magnitude among values; infinity if one is not a number.
double largest_or_infinity(const double* values, std::size_t size);

}  // namespace skimline::histograms
