// SPDX-License-Identifier: BSD-3-Clause
// Functions of whole arrays of doubles, several times faster than one call per value of those of
// skimline::maths, which are precise to the last place.
#pragma once

#include <cstddef>

namespace skimline {

/// Sines and cosines of angles in radians, with an error below 1.5 units in the last place for magnitudes up
/// to 1024; beyond, those of skimline::maths.
void sine_cosine(const double* angles, std::size_t count, double* sines, double* cosines);

/// Hyperbolic sines, with an error below two units in the last place for magnitudes up to 700; beyond,
/// those of skimline::maths.
void hyperbolic_sine(const double* values, std::size_t count, double* results);

}  // namespace skimline
