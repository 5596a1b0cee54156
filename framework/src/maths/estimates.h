// SPDX-License-Identifier: BSD-3-Clause
// Functions of doubles as sums of two doubles with bounds of the error. Where both ends of the error are
// rounded to the same double, that is what the precise function would be rounded to, found ten times as
// fast.
#pragma once

#include "maths/double_double.h"

#include <limits>

namespace skimline::estimate {

/// A number within `error` of the result. NaN where there is no estimate.
struct Estimate {
  DoubleDouble value;
  double error = 0;
};

constexpr Estimate kNone = {{std::numeric_limits<double>::quiet_NaN()}, 0};

/// What the result is rounded to, or NaN where the estimate does not say.
inline double rounded(const Estimate& estimate) {
  const double one = estimate.value.high + (estimate.value.low - estimate.error);
  const double other = estimate.value.high + (estimate.value.low + estimate.error);
  return one == other ? other : std::numeric_limits<double>::quiet_NaN();
}

Estimate exp(double x);
/// e^(x.high + x.low), of an argument with the given error.
Estimate exp(const DoubleDouble& x, double error);
Estimate sinh(double x);
Estimate log(double x);
Estimate log2(double x);
Estimate log10(double x);
Estimate pow(double x, double y);
Estimate sin(double x);
Estimate cos(double x);
Estimate atan(double x);
Estimate atan2(double y, double x);

}  // namespace skimline::estimate
