// SPDX-License-Identifier: BSD-3-Clause
// The error function. Up to 3, erf(x) = 2/sqrt(pi) e^(-x^2) (x + 2 x^3/3 + 4 x^5/15 + ...), whose terms
// all have one sign; beyond, the continued fraction erfc(x) = e^(-x^2)/sqrt(pi) / (x + 1/2/(x + 2/2/(x +
// 3/2/(x + ...)))) (NIST Digital Library of Mathematical Functions, 7.6.2 and 7.9.1).
#include "maths/precise_functions.h"

#include <array>

namespace skimline::precise {
namespace {

constexpr DoubleDouble kPerRootPi = {0x1.20dd750429b6dp-1, 0x1.1ae3a914fed8p-57};
constexpr double kEndOfSeries = 3;
constexpr int kTerms = 60;

// 2 / (2 i + 1): what a term is of the one before, but for x^2.
constexpr std::array<DoubleDouble, kTerms + 1> make_ratios() {
  std::array<DoubleDouble, kTerms + 1> ratios{};
  for (int i = 1; i <= kTerms; ++i) ratios[i] = DoubleDouble{2} / DoubleDouble{2.0 * i + 1};
  return ratios;
}
constexpr std::array<DoubleDouble, kTerms + 1> kRatios = make_ratios();

DoubleDouble exponential_of_minus_square(double x) {
  return scaled_exponential(-exact_product(x, x)).unscaled();
}

// Of numbers from 0 to 3.
DoubleDouble erf_by_series(double x) {
  const DoubleDouble square = exact_product(x, x);
  // So many terms are above 2^-90 of the sum.
  const auto terms = x < 0.5 ? 16 : x < 1 ? 28 : x < 2 ? 45 : kTerms;
  DoubleDouble sum{1};
  for (auto i = static_cast<std::size_t>(terms); i > 0; --i) sum = sum * (kRatios[i] * square) + 1.0;
  return times_power(kPerRootPi, 2) * exponential_of_minus_square(x) * (sum * x);
}

// Of numbers from 3 to 28. The innermost fractions count so little that doubles are enough.
DoubleDouble erfc_by_fraction(double x) {
  constexpr int kPreciseLevels = 30;
  const int levels = x < 4 ? 72 : x < 6 ? 46 : kPreciseLevels;
  double inner = 0;
  for (int i = levels; i > kPreciseLevels; --i) inner = 0.5 * i / (x + inner);
  DoubleDouble rest{inner};
  for (int i = kPreciseLevels; i > 0; --i) rest = DoubleDouble{0.5 * i} / (rest + x);
  const ScaledValue power = scaled_exponential(-exact_product(x, x));
  return ScaledValue{kPerRootPi * power.value / (rest + x), power.exponent}.unscaled();
}

}  // namespace

DoubleDouble erf(double x) {
  if (std::isnan(x) || x == 0) return {x};
  const double magnitude = std::fabs(x);
  if (magnitude < 0x1p-40) {
    // Made larger, as the low part of the product needs.
    const DoubleDouble product = times_power(kPerRootPi, 2) * (x * 0x1p200);
    return {product.high * 0x1p-200, product.low * 0x1p-200};
  }
  if (magnitude > 12) return {std::copysign(1.0, x), std::copysign(0x1p-100, -x)};
  const DoubleDouble result =
      magnitude < kEndOfSeries ? erf_by_series(magnitude) : DoubleDouble{1} - erfc_by_fraction(magnitude);
  return x < 0 ? -result : result;
}

DoubleDouble erfc(double x) {
  if (std::isnan(x)) return {x};
  if (x > 28) return {0};
  if (x < -12) return {2, -0x1p-100};
  if (std::fabs(x) < kEndOfSeries) return DoubleDouble{1} - erf(x);
  return x < 0 ? DoubleDouble{2} - erfc_by_fraction(-x) : erfc_by_fraction(x);
}

}  // namespace skimline::precise
