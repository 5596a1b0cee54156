// SPDX-License-Identifier: BSD-3-Clause
// Numbers as unevaluated sums of two doubles, of about 106 bits. The error-free sum is Knuth's (The Art of
// Computer Programming, volume 2), the error-free product Dekker's (Numerische Mathematik 18 (1971) 224),
// which needs no fused multiply-add: the bits are the same on every processor.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace skimline {

/// `high` is the sum rounded to a double. Magnitudes of what is multiplied or divided are below 2^990.
struct DoubleDouble {
  double high = 0, low = 0;

  constexpr DoubleDouble operator-() const { return {-high, -low}; }
};

/// The sum with its error, of numbers of which the first has the larger magnitude, or is zero.
constexpr DoubleDouble ordered_sum(double large, double small) {
  const double sum = large + small;
  return {sum, small - (sum - large)};
}

/// The sum with its error.
constexpr DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// The product with its error.
constexpr DoubleDouble exact_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double shifted_a = kSplit * a, shifted_b = kSplit * b;
  const double high_a = shifted_a - (shifted_a - a), high_b = shifted_b - (shifted_b - b);
  const double low_a = a - high_a, low_b = b - high_b;
  const double product = a * b;
  return {product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b};
}

constexpr DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble highs = exact_sum(a.high, b.high), lows = exact_sum(a.low, b.low);
  const DoubleDouble sum = ordered_sum(highs.high, highs.low + lows.high);
  return ordered_sum(sum.high, sum.low + lows.low);
}
constexpr DoubleDouble operator+(const DoubleDouble& a, double b) {
  const DoubleDouble sum = exact_sum(a.high, b);
  return ordered_sum(sum.high, sum.low + a.low);
}
constexpr DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
constexpr DoubleDouble operator-(const DoubleDouble& a, double b) { return a + -b; }

constexpr DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
constexpr DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble product = exact_product(a.high, b);
  return ordered_sum(product.high, product.low + a.low * b);
}

constexpr DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * first;
  const double second = rest.high / b.high;
  const double third = (rest - b * second).high / b.high;
  return ordered_sum(first, second) + third;
}

/// Times a power of two: exact where nothing underflows.
constexpr DoubleDouble times_power(const DoubleDouble& a, double power) {
  return {a.high * power, a.low * power};
}

/// Of a number above 0.
inline DoubleDouble square_root(const DoubleDouble& a) {
  const double root = std::sqrt(a.high);
  return ordered_sum(root, (a - exact_product(root, root)).high / (2 * root));
}

/// `magnitude`, or its negative where `sign` has a minus.
inline DoubleDouble with_sign_of(double sign, const DoubleDouble& magnitude) {
  return std::signbit(sign) ? -magnitude : magnitude;
}

inline bool is_integer(double x) { return std::floor(x) == x; }

/// 2^exponent, for exponents from -1022 to 1023.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// a 2^exponent, rounded once where that is below the normal numbers; infinite or zero far outside of the
/// range.
constexpr double scaled(double a, int exponent) {
  if (exponent >= -1000 && exponent <= 1000) return a * power_of_two(exponent);
  if (exponent > 2200) exponent = 2200;
  if (exponent < -2200) exponent = -2200;
  const int half = exponent > 0 ? 1000 : -900;
  // The part that may round comes last.
  const int rest = exponent - half;
  if (rest >= -1000 && rest <= 1000) return a * power_of_two(half) * power_of_two(rest);
  const int last = rest - half;
  return a * power_of_two(half) * power_of_two(half) * power_of_two(last < -1000 ? -1000 : last);
}

/// Rounded to the nearest float, of a number with an error below 2^-70 of it: what lies nearer than that to a
/// double is that double.
constexpr float rounded_to_float(const DoubleDouble& a) {
  const double magnitude = a.high < 0 ? -a.high : a.high, rest = a.low < 0 ? -a.low : a.low;
  if (!(rest > magnitude * 0x1p-70) || !(magnitude < 0x1p1000)) return static_cast<float>(a.high);
  // To a double with an odd last place, which is in the middle of no two floats: the nearest float of it is
  // that of the sum.
  auto bits = std::bit_cast<std::uint64_t>(a.high);
  if ((a.high < 0) != (a.low < 0)) --bits;
  return static_cast<float>(std::bit_cast<double>(bits | 1));
}

/// The nearest integer, for magnitudes below 2^51; the even one of two.
constexpr double nearest_integer(double a) { return (a + 0x1.8p52) - 0x1.8p52; }

}  // namespace skimline
