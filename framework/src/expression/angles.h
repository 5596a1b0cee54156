// SPDX-License-Identifier: BSD-3-Clause
// Angles between directions. Formulas, types and order of operations are those of ROOT 6.40's VecOps.
#pragma once

#include "skimline/framework/maths.h"

#include <cmath>

namespace skimline {

/// The difference second - first in radians, wrapped to [-pi, pi].
template <typename T>
T delta_phi(T first, T second) {
  const T pi = static_cast<T>(3.14159265358979323846);
  // In double even for float arguments.
  double difference = second - first;
  if (!(std::fabs(difference) < 2.0 * pi)) difference = std::fmod(difference, 2.0 * pi);
  if (difference < -pi)
    difference += 2.0 * pi;
  else if (difference > pi)
    difference -= 2.0 * pi;
  return static_cast<T>(difference);
}

/// The square of the distance in the plane of pseudorapidity and azimuth.
template <typename T>
T delta_r2(T eta1, T eta2, T phi1, T phi2) {
  const T dphi = delta_phi(phi1, phi2);
  return (eta1 - eta2) * (eta1 - eta2) + dphi * dphi;
}

/// The distance in the plane of pseudorapidity and azimuth.
template <typename T>
T delta_r(T eta1, T eta2, T phi1, T phi2) {
  return std::sqrt(delta_r2(eta1, eta2, phi1, phi2));
}

/// The angle between two vectors, in [0, pi].
template <typename T>
T angle(T x1, T y1, T z1, T x2, T y2, T z2) {
  const T cx = y1 * z2 - y2 * z1;
  const T cy = x1 * z2 - x2 * z1;
  const T cz = x1 * y2 - x2 * y1;
  const T sine = std::sqrt(cx * cx + cy * cy + cz * cz);
  const T cosine = x1 * x2 + y1 * y2 + z1 * z2;
  return maths::atan2(sine, cosine);
}

}  // namespace skimline
