// SPDX-License-Identifier: BSD-3-Clause
// Hyperbolic functions and their inverses. All come from e^x - 1 and ln(1 + x), which are precise near 0
// too.
#include "maths/estimates.h"
#include "maths/precise_functions.h"

namespace skimline::precise {
namespace {

// Beyond, e^-x is below 2^-115 of e^x.
constexpr double kOneSided = 40;
// Up to here the first two terms of the series are enough.
constexpr double kNearlyLinear = 0x1p-30;

// e^x / 2.
DoubleDouble half_exponential(double x) {
  if (x > 711) return {kInfinity};
  ScaledValue half = scaled_exponential({x});
  --half.exponent;
  return half.unscaled();
}

}  // namespace

DoubleDouble sinh(double x) {
  if (std::isnan(x)) return {x};
  const double magnitude = std::fabs(x);
  if (magnitude < kNearlyLinear) return {x, x * x * x / 6};
  if (magnitude > kOneSided) return with_sign_of(x, half_exponential(magnitude));
  const DoubleDouble grown = scaled_exponential_minus_one({magnitude}).unscaled();
  return with_sign_of(x, times_power(grown + grown / (grown + 1.0), 0.5));
}

DoubleDouble cosh(double x) {
  if (std::isnan(x)) return {x};
  const double magnitude = std::fabs(x);
  if (magnitude > kOneSided) return half_exponential(magnitude);
  const DoubleDouble power = scaled_exponential({magnitude}).unscaled();
  return times_power(power + DoubleDouble{1} / power, 0.5);
}

DoubleDouble tanh(double x) {
  if (std::isnan(x)) return {x};
  const double magnitude = std::fabs(x);
  if (magnitude < kNearlyLinear) return {x, -x * x * x / 3};
  if (magnitude > kOneSided) return with_sign_of(x, {1, -0x1p-100});
  const DoubleDouble grown = scaled_exponential_minus_one({2 * magnitude}).unscaled();
  return with_sign_of(x, grown / (grown + 2.0));
}

DoubleDouble asinh(double x) {
  const double magnitude = std::fabs(x);
  if (!(magnitude < kInfinity)) return {x};
  if (magnitude < kNearlyLinear) return {x, -x * x * x / 6};
  if (magnitude > 0x1p60) return with_sign_of(x, logarithm({magnitude}).natural() + kLn2);
  const DoubleDouble square = exact_product(magnitude, magnitude);
  const DoubleDouble root = square_root(square + 1.0);
  return with_sign_of(x, log_of_one_and(square / (root + 1.0) + magnitude));
}

DoubleDouble acosh(double x) {
  if (std::isnan(x) || x == kInfinity) return {x};
  if (x < 1) return {kNotDefined};
  if (x == 1) return {0};
  if (x > 0x1p60) return logarithm({x}).natural() + kLn2;
  const DoubleDouble less = exact_sum(x, -1);
  return log_of_one_and(less + square_root(less * exact_sum(x, 1)));
}

DoubleDouble atanh(double x) {
  if (std::isnan(x)) return {x};
  const double magnitude = std::fabs(x);
  if (magnitude > 1) return {kNotDefined};
  if (magnitude == 1) return with_sign_of(x, {kInfinity});
  if (magnitude < kNearlyLinear) return {x, x * x * x / 3};
  const DoubleDouble quotient = DoubleDouble{2 * magnitude} / exact_sum(1, -magnitude);
  return with_sign_of(x, times_power(log_of_one_and(quotient), 0.5));
}

}  // namespace skimline::precise

namespace skimline::estimate {

Estimate sinh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < 0.25) {
    if (magnitude < 0x1p-100) return kNone;
    const double square = x * x;
    const double series =
        1. / 6 +
        square * (1. / 120 +
                  square * (1. / 5040 +
                            square * (1. / 362880 + square * (1. / 39916800 + square * (1. / 6227020800)))));
    return {ordered_sum(x, x * (square * series)), 0x1.8p-58 * magnitude};
  }
  const Estimate power = exp(magnitude);
  const DoubleDouble& grown = power.value;
  // Its inverse, by one step of Newton's method.
  const double inverse = 1 / grown.high;
  const DoubleDouble product = exact_product(inverse, grown.high);
  const double lacking = ((1 - product.high) - product.low) - inverse * grown.low;
  const DoubleDouble difference = exact_sum(grown.high, -inverse);
  const DoubleDouble sum = ordered_sum(difference.high, difference.low + (grown.low - inverse * lacking));
  return {with_sign_of(x, times_power(sum, 0.5)), power.error};
}

}  // namespace skimline::estimate
