// SPDX-License-Identifier: BSD-3-Clause
// Logarithms. That of 2^e m is e ln 2 - ln c + ln(1 + z): m lies between 0.70 and 1.42, c is the nearest of
// numbers of 9 bits to 1/m, and z = c m - 1 has a magnitude of at most 1/128. Next to 1, c is 1.
#include "maths/estimates.h"
#include "maths/precise_functions.h"
#include "maths/series.h"

#include <array>
#include <bit>

namespace skimline::precise {
namespace {

// Intervals of 1/128 of m.
constexpr int kPerOne = 128, kFirst = 90, kNumber = 92;
constexpr DoubleDouble kPerLn2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
constexpr DoubleDouble kPerLn10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

// ln 2. The first part has 42 bits, so that its product with any exponent is exact.
constexpr double kHighLn2 = 0x1.62e42fefa38p-1;
constexpr DoubleDouble kRestOfLn2 = {0x1.ef35793c7673p-45, 0x1.f97b57a079a19p-103};
constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;

struct Factor {
  double factor = 0;
  DoubleDouble minus_logarithm;
};

// -ln x = -2 atanh((x - 1) / (x + 1)).
constexpr DoubleDouble minus_logarithm(double x) {
  const DoubleDouble s = fraction(x - 1, x + 1), square = s * s;
  DoubleDouble sum{0};
  for (int i = 47; i > 0; i -= 2) sum = sum * square + fraction(1, i);
  return -times_power(sum * s, 2);
}

constexpr std::array<Factor, kNumber> make_factors() {
  std::array<Factor, kNumber> factors{};
  for (int i = 0; i < kNumber; ++i) {
    const double middle = (kFirst + i + 0.5) / kPerOne;
    const bool is_next_to_one = middle > 0.99 && middle < 1.01;
    const double factor = is_next_to_one ? 1 : nearest_integer(256 / middle) / 256;
    factors[i] = {factor, minus_logarithm(factor)};
  }
  return factors;
}
constexpr std::array<Factor, kNumber> kFactors = make_factors();

// ln(1 + z) / z.
constexpr auto kLogarithmSeries =
    make_series<4, 8>([](int i) { return fraction(i % 2 == 0 ? 1 : -1, i + 1); });

// What has no logarithm that is a finite number.
DoubleDouble special_logarithm(double x) {
  if (x == 0) return {-kInfinity};
  return {x < 0 ? kNotDefined : x};
}

bool has_logarithm(double x) { return x > 0 && x < kInfinity; }

}  // namespace

DoubleDouble Logarithm::natural() const {
  if (exponent == 0) return rest;
  const double number = exponent;
  return DoubleDouble{number * kHighLn2} + (kRestOfLn2 * number + rest);
}

Logarithm logarithm(const DoubleDouble& x) {
  int exponent = 0;
  double high = std::frexp(x.high, &exponent);
  // From sqrt(1/2) to sqrt(2).
  if (high < kRootHalf) {
    high *= 2;
    --exponent;
  }
  const double low = scaled(x.low, -exponent);
  const Factor& factor = kFactors[static_cast<std::size_t>(static_cast<int>(high * kPerOne) - kFirst)];
  const DoubleDouble z = (exact_product(high, factor.factor) - 1.0) + low * factor.factor;
  return {exponent, factor.minus_logarithm + z * kLogarithmSeries(z)};
}

DoubleDouble log(double x) {
  if (!has_logarithm(x)) return special_logarithm(x);
  return logarithm({x}).natural();
}

DoubleDouble log2(double x) {
  if (!has_logarithm(x)) return special_logarithm(x);
  const Logarithm parts = logarithm({x});
  return DoubleDouble{static_cast<double>(parts.exponent)} + parts.rest * kPerLn2;
}

DoubleDouble log10(double x) {
  if (!has_logarithm(x)) return special_logarithm(x);
  return logarithm({x}).natural() * kPerLn10;
}

DoubleDouble log_of_one_and(const DoubleDouble& x) {
  if (std::fabs(x.high) < 0x1p-40) return x - DoubleDouble{0.5 * x.high * x.high};
  return logarithm(x + 1.0).natural();
}

DoubleDouble log1p(double x) {
  if (!(x > -1 && x < kInfinity)) return x == -1 ? DoubleDouble{-kInfinity} : special_logarithm(x);
  if (x == 0) return {x};
  return log_of_one_and({x});
}

}  // namespace skimline::precise

namespace skimline::estimate {

Estimate log(double x) {
  if (!(x >= 0x1p-1022 && x < precise::kInfinity)) return kNone;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < precise::kRootHalf) {
    mantissa *= 2;
    --exponent;
  }
  const auto place =
      static_cast<std::size_t>(static_cast<int>(mantissa * precise::kPerOne) - precise::kFirst);
  const precise::Factor& factor = precise::kFactors[place];
  // In two parts, whose products with the factor are exact.
  const double leading =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(mantissa) & ~std::uint64_t{0x7ffffff});
  const DoubleDouble z = exact_sum(leading * factor.factor - 1, (mantissa - leading) * factor.factor);
  // ln(1 + z) - z.
  const double square = z.high * z.high;
  const double curved =
      square *
          (-1. / 2 +
           z.high *
               (1. / 3 +
                z.high * (-1. / 4 +
                          z.high * (1. / 5 + z.high * (-1. / 6 +
                                                       z.high * (1. / 7 + z.high * (-1. / 8 +
                                                                                    z.high * (1. / 9)))))))) -
      z.high * z.low;
  const double number = exponent;
  const DoubleDouble constant = exact_sum(number * precise::kHighLn2, factor.minus_logarithm.high);
  const DoubleDouble sum = exact_sum(constant.high, z.high);
  const double rest = (constant.low + sum.low) +
                      ((number * precise::kRestOfLn2.high + factor.minus_logarithm.low) + (z.low + curved));
  const bool is_next_to_one = exponent == 0 && factor.factor == 1;
  return {ordered_sum(sum.high, rest), std::fabs(z.high) * 0x1p-59 + (is_next_to_one ? 0 : 0x1p-64)};
}

namespace {

// Times a number that is known to 106 bits.
Estimate product(const Estimate& estimate, const DoubleDouble& factor) {
  const DoubleDouble value = estimate.value * factor;
  return {value, 2 * estimate.error * factor.high + 0x1p-100 * std::fabs(value.high)};
}

}  // namespace

Estimate log2(double x) { return product(log(x), precise::kPerLn2); }
Estimate log10(double x) { return product(log(x), precise::kPerLn10); }

}  // namespace skimline::estimate
