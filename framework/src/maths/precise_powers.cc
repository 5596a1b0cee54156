// SPDX-License-Identifier: BSD-3-Clause
// Powers and roots. What pow gives for zeros, infinities and NaN is C's (annex F of its standard).
#include "maths/estimates.h"
#include "maths/precise_functions.h"

#include <algorithm>

namespace skimline::precise {
namespace {

bool is_odd(double x) { return std::fabs(std::fmod(x, 2)) == 1; }

// Where the base is 0 or infinite.
double power_of_extreme(double base, double exponent) {
  const bool is_large = (std::fabs(base) == kInfinity) == (exponent > 0);
  const double magnitude = is_large ? kInfinity : 0;
  return std::signbit(base) && is_odd(exponent) ? -magnitude : magnitude;
}

double power_to_infinity(double base, double exponent) {
  const double magnitude = std::fabs(base);
  if (magnitude == 1) return 1;
  return (magnitude > 1) == (exponent > 0) ? kInfinity : 0;
}

bool is_special_power(double base, double exponent) {
  return base == 1 || exponent == 0 || !(std::fabs(base) < kInfinity) || base == 0 ||
         !(std::fabs(exponent) < kInfinity) || (base < 0 && !is_integer(exponent));
}

double special_power(double base, double exponent) {
  if (base == 1 || exponent == 0) return 1;
  if (std::isnan(base)) return base;
  if (std::isnan(exponent)) return exponent;
  if (std::fabs(exponent) == kInfinity) return power_to_infinity(base, exponent);
  if (base == 0 || std::fabs(base) == kInfinity) return power_of_extreme(base, exponent);
  return kNotDefined;
}

// Of a base above 0.
DoubleDouble power_of_magnitude(double base, double exponent) {
  const DoubleDouble logarithm_of_base = logarithm({base}).natural();
  const double estimate = logarithm_of_base.high * exponent;
  if (estimate > 710) return {kInfinity};
  if (estimate < -760) return {0};
  if (std::fabs(estimate) < 0x1p-110) return {1, estimate};
  return scaled_exponential(logarithm_of_base * exponent).unscaled();
}

// Powers of integers may lie in the middle of two doubles: the even one of them is nearest.
DoubleDouble with_ties_to_even(const DoubleDouble& a) {
  const double one = a.high + a.low * (1 - 0x1p-22), other = a.high + a.low * (1 + 0x1p-22);
  if (one == other) return a;
  const bool is_even = (std::bit_cast<std::uint64_t>(one) & 1) == 0;
  return {is_even ? one : other, is_even ? a.low : -a.low};
}

}  // namespace

DoubleDouble cbrt(double x) {
  if (x == 0 || !(std::fabs(x) < kInfinity)) return {x};
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(x), &exponent);
  while (exponent % 3 != 0) {
    mantissa *= 2;
    --exponent;
  }
  // From what is within 7 %, by Newton's method, which doubles the digits in each step.
  double root = 0.57 + 0.44 * mantissa / (1 + 0.14 * mantissa);
  for (int i = 0; i < 5; ++i) root -= (root * root * root - mantissa) / (3 * root * root);
  const DoubleDouble square = exact_product(root, root);
  const DoubleDouble result = ordered_sum(root, -((square * root - mantissa).high / (3 * square.high)));
  const double scale = scaled(x < 0 ? -1.0 : 1.0, exponent / 3);
  return times_power(result, scale);
}

DoubleDouble hypot(double x, double y) {
  if (std::fabs(x) == kInfinity || std::fabs(y) == kInfinity) return {kInfinity};
  if (std::isnan(x)) return {x};
  if (std::isnan(y)) return {y};
  const double large = std::max(std::fabs(x), std::fabs(y)), small = std::min(std::fabs(x), std::fabs(y));
  if (small == 0) return {large};
  int exponent = 0;
  const double one = std::frexp(large, &exponent), other = scaled(small, -exponent);
  const DoubleDouble root = square_root(exact_product(one, one) + exact_product(other, other));
  return {scaled(root.high, exponent), scaled(root.low, exponent)};
}

DoubleDouble pow(double x, double y) {
  if (is_special_power(x, y)) return {special_power(x, y)};
  const DoubleDouble magnitude = with_ties_to_even(power_of_magnitude(std::fabs(x), y));
  return x < 0 && is_odd(y) ? -magnitude : magnitude;
}

}  // namespace skimline::precise

namespace skimline::estimate {

Estimate pow(double x, double y) {
  // Squares and the like, which may lie in the middle of two doubles.
  if (std::fabs(y) < 64 && is_integer(y)) return kNone;
  const Estimate logarithm = log(x);
  const DoubleDouble product = exact_product(logarithm.value.high, y);
  if (!(std::fabs(product.high) < 690 && std::fabs(product.high) > 0x1p-50)) return kNone;
  const DoubleDouble exponent = ordered_sum(product.high, product.low + logarithm.value.low * y);
  return exp(exponent, std::fabs(y) * logarithm.error + std::fabs(exponent.high) * 0x1p-100);
}

}  // namespace skimline::estimate
