// SPDX-License-Identifier: BSD-3-Clause
// Functions with errors below 2^-45 of the result, from which those of floats are rounded. They have no
// branches, so that loops over arrays vectorise, and give NaN where they do not know the result.
//
// Arguments are reduced by multiples of pi/2 and ln 2, whose leading parts have 33 bits so that their
// products with small integers are exact (W. J. Cody and W. Waite, Software Manual for the Elementary
// Functions, 1980); the rest goes into Taylor series, cut off below the error.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skimline::quick {

#define SKIMLINE_INLINED [[gnu::always_inline]] inline

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Added to a small number, it leaves the nearest integer in the low bits of the sum.
constexpr double kToInteger = 0x1.8p52;

constexpr double inverse_factorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return 1 / product;
}

// 1/first! - x/(first + 2)! + x^2/(first + 4)! ..., with x^2 for x the series of cosine and sine; with
// `kSign` 1 of their hyperbolic sisters.
template <int kFirst, int kLast, int kSign>
SKIMLINE_INLINED double factorial_series(double x) {
  if constexpr (kFirst == kLast)
    return inverse_factorial(kLast);
  else
    return inverse_factorial(kFirst) + kSign * (x * factorial_series<kFirst + 2, kLast, kSign>(x));
}

// 1/first + kSign x/(first + 2) + x^2/(first + 4) ...
template <int kFirst, int kLast, int kSign>
SKIMLINE_INLINED double odd_series(double x) {
  if constexpr (kFirst == kLast)
    return 1. / kLast;
  else
    return 1. / kFirst + kSign * (x * odd_series<kFirst + 2, kLast, kSign>(x));
}

/// NaN stays NaN.
SKIMLINE_INLINED double limited(double x, double limit) {
  const double below = x > limit ? limit : x;
  return below < -limit ? -limit : below;
}

SKIMLINE_INLINED double with_sign_of(double sign, double magnitude) {
  constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(magnitude) & ~kSignBit) |
                               (std::bit_cast<std::uint64_t>(sign) & kSignBit));
}

// Changes the sign in the third and fourth quadrant.
SKIMLINE_INLINED double with_sign_of_half(std::uint64_t quadrant, double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ ((quadrant & 2) << 62));
}

struct SineCosine {
  double sine, cosine;
};

/// For magnitudes up to 2^20.
SKIMLINE_INLINED SineCosine sine_cosine(double angle) {
  const double known = std::fabs(angle) <= 0x1p20 ? angle : kUnknown;
  const double shifted = known * 0x1.45f306dc9c883p-1 + kToInteger;
  const double multiple = shifted - kToInteger;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double rest =
      ((known - multiple * 0x1.921fb544p+0) - multiple * 0x1.0b4611a6p-34) - multiple * 0x1.3198a2e037073p-69;
  const double square = rest * rest;
  // As a product, so that zeros keep their signs.
  const double sine = rest * (1 - square * factorial_series<3, 15, -1>(square));
  const double cosine = 1 - square * factorial_series<2, 16, -1>(square);
  const bool is_odd = (quadrant & 1) != 0;
  return {with_sign_of_half(quadrant, is_odd ? cosine : sine),
          with_sign_of_half(quadrant + 1, is_odd ? sine : cosine)};
}

SKIMLINE_INLINED double sin(double x) { return sine_cosine(x).sine; }
SKIMLINE_INLINED double cos(double x) { return sine_cosine(x).cosine; }
SKIMLINE_INLINED double tan(double x) {
  const SineCosine both = sine_cosine(x);
  return both.sine / both.cosine;
}

/// e^x = power (1 + even + odd), with odd below zero where the rest of x is, and a power of two.
struct ExponentialParts {
  double even, odd;
  std::uint64_t exponent;

  SKIMLINE_INLINED double power() const { return std::bit_cast<double>((exponent + 1023) << 52); }
  SKIMLINE_INLINED double inverse_power() const { return std::bit_cast<double>((1023 - exponent) << 52); }
};

/// Of multiple ln 2 + rest, where `shifted` has the multiple in its low bits.
SKIMLINE_INLINED ExponentialParts exponential_parts(double shifted, double rest) {
  const double square = rest * rest;
  return {square * factorial_series<2, 12, 1>(square),
          rest + rest * (square * factorial_series<3, 13, 1>(square)), std::bit_cast<std::uint64_t>(shifted)};
}

/// For magnitudes up to 700.
SKIMLINE_INLINED ExponentialParts exponential(double x) {
  const double shifted = x * 0x1.71547652b82fep+0 + kToInteger;
  const double multiple = shifted - kToInteger;
  return exponential_parts(shifted, (x - multiple * 0x1.62e42fefp-1) - multiple * 0x1.473de6af278edp-34);
}

// Beyond, floats are infinite, or zero, or as near to a limit as never matters.
constexpr double kExponentLimit = 200;

SKIMLINE_INLINED double exp(double x) {
  const ExponentialParts parts = exponential(limited(x, kExponentLimit));
  return parts.power() * (1 + (parts.even + parts.odd));
}

SKIMLINE_INLINED double exp2(double x) {
  const double bounded = limited(x, kExponentLimit);
  const double shifted = bounded + kToInteger;
  const ExponentialParts parts =
      exponential_parts(shifted, (bounded - (shifted - kToInteger)) * 0x1.62e42fefa39efp-1);
  return parts.power() * (1 + (parts.even + parts.odd));
}

SKIMLINE_INLINED double expm1(double x) {
  const ExponentialParts parts = exponential(limited(x, kExponentLimit));
  return with_sign_of(x, parts.power() * (parts.even + parts.odd) + (parts.power() - 1));
}

SKIMLINE_INLINED double sinh(double x) {
  const double bounded = limited(x, kExponentLimit);
  const ExponentialParts parts = exponential(bounded);
  const double even = 1 + parts.even;
  const double large =
      0.5 * (parts.power() * (even + parts.odd) - parts.inverse_power() * (even - parts.odd));
  // Near zero the exponentials cancel.
  const double square = bounded * bounded;
  const double small = bounded * (1 + square * factorial_series<3, 9, 1>(square));
  return std::fabs(bounded) < 0.0625 ? small : large;
}

SKIMLINE_INLINED double cosh(double x) {
  const ExponentialParts parts = exponential(limited(x, kExponentLimit));
  const double even = 1 + parts.even;
  return 0.5 * (parts.power() * (even + parts.odd) + parts.inverse_power() * (even - parts.odd));
}

SKIMLINE_INLINED double tanh(double x) {
  const double grown = expm1(2 * limited(x, 40));
  return grown / (grown + 2);
}

struct LogarithmParts {
  double exponent, rest;
};

/// ln x = exponent ln 2 + rest. The mantissa lies between sqrt(1/2) and sqrt(2); its logarithm is 2 atanh(s).
SKIMLINE_INLINED LogarithmParts logarithm(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kOne = std::uint64_t{1023} << 52;
  const bool is_known = x > 0 && x < std::numeric_limits<double>::infinity();
  const auto bits = std::bit_cast<std::uint64_t>(is_known ? x : 1.0);
  const std::uint64_t biased = (bits - kRootHalf + kOne) >> 52;
  // An integer below 2^52 as double: its bits are the last ones of 2^52 plus it.
  const double exponent = std::bit_cast<double>(biased | 0x4330000000000000) - (0x1p52 + 1023);
  const double mantissa = std::bit_cast<double>(bits - (biased << 52) + kOne);
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  const double rest = 2 * s + 2 * s * (square * odd_series<3, 19, 1>(square));
  return {is_known ? exponent : kUnknown, rest};
}

SKIMLINE_INLINED double log(double x) {
  const LogarithmParts parts = logarithm(x);
  return parts.exponent * 0x1.62e42fefa39efp-1 + parts.rest;
}
SKIMLINE_INLINED double log2(double x) {
  const LogarithmParts parts = logarithm(x);
  return parts.exponent + parts.rest * 0x1.71547652b82fep+0;
}
SKIMLINE_INLINED double log10(double x) { return log(x) * 0x1.bcb7b1526e50ep-2; }
SKIMLINE_INLINED double log1p(double x) {
  const double sum = 1 + x;
  return with_sign_of(x, log(sum) + (x - (sum - 1)) / sum);
}

SKIMLINE_INLINED double asinh(double x) {
  const double magnitude = std::fabs(x), square = x * x;
  return with_sign_of(x, log1p(magnitude + square / (1 + std::sqrt(1 + square))));
}
SKIMLINE_INLINED double acosh(double x) {
  const double less = x >= 1 ? x - 1 : kUnknown;
  return log1p(less + std::sqrt(less * (x + 1)));
}
SKIMLINE_INLINED double atanh(double x) {
  const double magnitude = std::fabs(x);
  return with_sign_of(x, 0.5 * log1p(2 * magnitude / (1 - magnitude)));
}

/// The angle of a point whose coordinates are not below 0. Points are mirrored into the eighth of the plane
/// next to the x axis, and those far from it are turned by pi/4.
SKIMLINE_INLINED double angle_of_point(double y, double x) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0, kTangentOfEighth = 0.41421356237309503;
  const bool is_steep = y > x;
  const double low = is_steep ? x : y, high = is_steep ? y : x;
  const bool is_turned = low > kTangentOfEighth * high;
  const double quotient = (is_turned ? low - high : low) / (is_turned ? low + high : high);
  const double square = quotient * quotient;
  const double arc = quotient - quotient * (square * odd_series<3, 37, -1>(square));
  const double angle = is_turned ? arc + kHalfPi / 2 : arc;
  return is_steep ? kHalfPi - angle : angle;
}

SKIMLINE_INLINED double atan2(double y, double x) {
  const double angle = angle_of_point(std::fabs(y), std::fabs(x));
  return with_sign_of(y, x < 0 ? 0x1.921fb54442d18p+1 - angle : angle);
}
SKIMLINE_INLINED double atan(double x) { return with_sign_of(x, angle_of_point(std::fabs(x), 1)); }
SKIMLINE_INLINED double asin(double x) {
  return with_sign_of(x, angle_of_point(std::fabs(x), std::sqrt((1 - x) * (1 + x))));
}
SKIMLINE_INLINED double acos(double x) {
  const double angle = angle_of_point(std::sqrt((1 - x) * (1 + x)), std::fabs(x));
  return x < 0 ? 0x1.921fb54442d18p+1 - angle : angle;
}

SKIMLINE_INLINED double hypot(double x, double y) { return std::sqrt(x * x + y * y); }
/// With an error up to 2^-44.
SKIMLINE_INLINED double pow(double x, double y) {
  const double magnitude = exp2(y * log2(std::fabs(x)));
  const double half = 0.5 * y, whole = (y + kToInteger) - kToInteger,
               halved = (half + kToInteger) - kToInteger;
  const double signed_power = whole != y ? kUnknown : halved != half ? -magnitude : magnitude;
  return x < 0 ? signed_power : magnitude;
}

#undef SKIMLINE_INLINED

}  // namespace skimline::quick
