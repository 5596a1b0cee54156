// SPDX-License-Identifier: BSD-3-Clause
// Functions as sums of two doubles, with errors below 2^-65 of the result: what all others are rounded from.
// They take all doubles; where there is no number the result is NaN, beyond the doubles infinite, and results
// that are exact or special have no low part.
#pragma once

#include "maths/double_double.h"

#include <limits>

namespace skimline::precise {

/// What functions give where they are not defined. Its sign is that of NaNs that x86 processors make.
constexpr double kNotDefined = -std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr DoubleDouble kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble kPi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr DoubleDouble kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// value 2^exponent, the value being between 1/4 and 4.
struct ScaledValue {
  DoubleDouble value;
  int exponent = 0;

  DoubleDouble unscaled() const { return {scaled(value.high, exponent), scaled(value.low, exponent)}; }
};

/// exponent ln 2 + rest, the rest being between -0.36 and 0.36.
struct Logarithm {
  int exponent = 0;
  DoubleDouble rest;

  DoubleDouble natural() const;
};

/// Sine and cosine of an angle.
struct Direction {
  DoubleDouble sine, cosine;
};

/// For magnitudes up to 2^20.
ScaledValue scaled_exponential(const DoubleDouble& x);
/// Of e^x - 1 for magnitudes of x up to 1000; relative to the result also where that is small.
ScaledValue scaled_exponential_minus_one(const DoubleDouble& x);
DoubleDouble exp(double x);
DoubleDouble exp2(double x);
DoubleDouble expm1(double x);

/// Of finite numbers above 0; relative to the result also near 1.
Logarithm logarithm(const DoubleDouble& x);
DoubleDouble log(double x);
DoubleDouble log2(double x);
DoubleDouble log10(double x);
DoubleDouble log1p(double x);
/// ln(1 + x) of finite x above -1.
DoubleDouble log_of_one_and(const DoubleDouble& x);

/// Of finite angles.
Direction direction(double angle);
/// Of x pi, for magnitudes of x up to 1/2.
DoubleDouble sine_of_half_turns(double x);
DoubleDouble sin(double x);
DoubleDouble cos(double x);
DoubleDouble tan(double x);

/// The angle of the point, both of its coordinates being finite and not below 0, and one of them above.
DoubleDouble angle_of_point(const DoubleDouble& y, const DoubleDouble& x);
DoubleDouble asin(double x);
DoubleDouble acos(double x);
DoubleDouble atan(double x);
DoubleDouble atan2(double y, double x);

DoubleDouble sinh(double x);
DoubleDouble cosh(double x);
DoubleDouble tanh(double x);
DoubleDouble asinh(double x);
DoubleDouble acosh(double x);
DoubleDouble atanh(double x);

DoubleDouble cbrt(double x);
DoubleDouble hypot(double x, double y);
DoubleDouble pow(double x, double y);

DoubleDouble erf(double x);
DoubleDouble erfc(double x);
/// Between two poles, or -1/2 and 0, its zeros have an error of 2^-65, not of 2^-65 of the result.
DoubleDouble lgamma(double x);
DoubleDouble tgamma(double x);

}  // namespace skimline::precise
