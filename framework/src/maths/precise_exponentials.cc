// SPDX-License-Identifier: BSD-3-Clause
// Exponential functions. A power e^x is 2^(k/64) e^r: k is the nearest integer to 64 x / ln 2, so that |r| is
// at most ln 2 / 128; 2^(k/64) is a power of two times one of 64 numbers, and e^r - 1 a series.
#include "maths/estimates.h"
#include "maths/precise_functions.h"
#include "maths/series.h"

#include <array>

namespace skimline::precise {
namespace {

constexpr int kSteps = 64;
// ln 2 / 64 in parts. The first two have 36 bits, so that their products with integers below 2^17 are exact.
constexpr double kFirstPart = 0x1.62e42fefap-7, kSecondPart = 0x1.cf79abc9ep-46,
                 kThirdPart = 0x1.d9cc01f97b57ap-85;

constexpr DoubleDouble series_of_exponential(const DoubleDouble& x) {
  DoubleDouble sum{1};
  for (int i = 28; i > 0; --i) sum = DoubleDouble{1} + sum * x / DoubleDouble{static_cast<double>(i)};
  return sum;
}

constexpr std::array<DoubleDouble, kSteps> make_powers() {
  std::array<DoubleDouble, kSteps> powers{};
  for (int i = 0; i < kSteps; ++i) powers[i] = series_of_exponential(kLn2 * (i / double{kSteps}));
  return powers;
}
constexpr std::array<DoubleDouble, kSteps> kPowers = make_powers();

// (e^x - 1) / x.
constexpr auto kGrowthSeries = make_series<3, 6>([](int i) { return inverse_factorial(i + 1); });

DoubleDouble small_exponential_minus_one(const DoubleDouble& x) { return x * kGrowthSeries(x); }

// 2^(steps/64) e^x - 1, but for a power of two: that is the exponent, and with it goes the 1.
ScaledValue with_steps(int steps, const DoubleDouble& x) {
  const DoubleDouble& power = kPowers[static_cast<std::size_t>(steps & (kSteps - 1))];
  return {power + power * small_exponential_minus_one(x), steps >> 6};
}

struct InSteps {
  int steps;
  DoubleDouble rest;
};

InSteps in_steps(const DoubleDouble& x) {
  const double steps = nearest_integer(x.high * (kSteps / kLn2.high));
  const DoubleDouble leading = exact_sum(x.high, -steps * kFirstPart);
  const DoubleDouble rest =
      leading + DoubleDouble{-steps * kSecondPart} + exact_product(-steps, kThirdPart) + DoubleDouble{x.low};
  return {static_cast<int>(steps), rest};
}

}  // namespace

ScaledValue scaled_exponential(const DoubleDouble& x) {
  const InSteps parts = in_steps(x);
  return with_steps(parts.steps, parts.rest);
}

ScaledValue scaled_exponential_minus_one(const DoubleDouble& x) {
  const InSteps parts = in_steps(x);
  if (parts.steps == 0) return {small_exponential_minus_one(parts.rest), 0};
  ScaledValue result = with_steps(parts.steps, parts.rest);
  if (result.exponent < -120) return {DoubleDouble{-1, scaled(result.value.high, result.exponent)}, 0};
  if (result.exponent > 120) return result;
  const DoubleDouble power = times_power(result.value, power_of_two(result.exponent));
  return {power - 1.0, 0};
}

DoubleDouble exp(double x) {
  if (std::isnan(x)) return {x};
  if (x > 710) return {kInfinity};
  if (x < -760) return {0};
  return scaled_exponential({x}).unscaled();
}

DoubleDouble exp2(double x) {
  if (std::isnan(x)) return {x};
  if (x >= 1024) return {kInfinity};
  if (x < -1100) return {0};
  const double steps = nearest_integer(x * kSteps);
  const double rest = x - steps / kSteps;
  return with_steps(static_cast<int>(steps), kLn2 * rest).unscaled();
}

DoubleDouble expm1(double x) {
  if (std::isnan(x)) return {x};
  if (x > 710) return {kInfinity};
  if (x < -100) return {-1, 0x1p-100};
  if (x == 0) return {x};
  if (std::fabs(x) < 0x1p-40) return ordered_sum(x, 0.5 * x * x);
  return scaled_exponential_minus_one({x}).unscaled();
}

}  // namespace skimline::precise

namespace skimline::estimate {

Estimate exp(const DoubleDouble& x, double error) {
  // Where nothing underflows or overflows; false for NaN.
  if (!(std::fabs(x.high) < 690)) return kNone;
  const double steps = nearest_integer(x.high * (precise::kSteps / precise::kLn2.high));
  const double leading = x.high - steps * precise::kFirstPart, second = steps * precise::kSecondPart;
  const double r = leading - second;
  const double lost = ((leading - r) - second) + x.low;
  // e^r - 1 - r.
  const double curved = r * r * (1. / 2 + r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r * (1. / 720)))));
  const int number = static_cast<int>(steps);
  const DoubleDouble& power = precise::kPowers[static_cast<std::size_t>(number & (precise::kSteps - 1))];
  const double grown = power.high * r + (power.high * (curved + lost * (1 + r * (1 + 0.5 * r))) + power.low);
  const DoubleDouble sum = ordered_sum(power.high, grown);
  const double scale = power_of_two(number >> 6);
  return {times_power(sum, scale), (0x1.8p-59 + error) * sum.high * scale};
}

Estimate exp(double x) { return exp({x}, 0); }

}  // namespace skimline::estimate
