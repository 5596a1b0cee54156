// SPDX-License-Identifier: BSD-3-Clause
// Arguments are reduced by multiples of pi/2 and ln 2, whose leading parts have 33 bits so that their
// products with small integers are exact (W. J. Cody and W. Waite, Software Manual for the Elementary
// Functions, 1980); the rest goes into Taylor series, cut off below the last place.
#include "expression/vector_math.h"

#include "skimline/framework/instruction_set.h"
#include "skimline/framework/maths.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace skimline {
namespace {

constexpr double kLargestAngle = 1024;
constexpr double kLargestExponent = 700;

// Added to a small number, it leaves the nearest integer in the low bits of the sum.
constexpr double kToInteger = 0x1.8p52;

constexpr double inverse_factorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return 1 / product;
}

// The series f0 + x f1 + x^2 f2 ... by Horner's scheme, from the last coefficient on.
template <int kFirst, int kStep, int kLast>
[[gnu::always_inline]] inline double alternating_series(double x) {
  if constexpr (kFirst == kLast)
    return inverse_factorial(kLast);
  else
    return inverse_factorial(kFirst) - x * alternating_series<kFirst + kStep, kStep, kLast>(x);
}

template <int kFirst, int kStep, int kLast>
[[gnu::always_inline]] inline double series(double x) {
  if constexpr (kFirst == kLast)
    return inverse_factorial(kLast);
  else
    return inverse_factorial(kFirst) + x * series<kFirst + kStep, kStep, kLast>(x);
}

struct SineCosine {
  [[gnu::always_inline]] static inline void run(const double* const& angles, const std::size_t& size,
                                                double* const& sines, double* const& cosines) {
    const double* const in = angles;
    double* const __restrict sine_out = sines;
    double* const __restrict cosine_out = cosines;
    const std::size_t count = size;
    for (std::size_t i = 0; i < count; ++i) {
      const double shifted = in[i] * 0x1.45f306dc9c883p-1 + kToInteger;
      const double multiple = shifted - kToInteger;
      const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
      const double rest = ((in[i] - multiple * 0x1.921fb544p+0) - multiple * 0x1.0b4611a6p-34) -
                          multiple * 0x1.3198a2e037073p-69;
      const double square = rest * rest;
      const double sine = rest - rest * square * alternating_series<3, 2, 19>(square);
      const double cosine = 1 - (0.5 * square - square * square * alternating_series<4, 2, 18>(square));
      const bool is_odd = (quadrant & 1) != 0;
      const double first = is_odd ? cosine : sine;
      const double second = is_odd ? sine : cosine;
      const std::uint64_t sine_sign = (quadrant & 2) << 62;
      const std::uint64_t cosine_sign = ((quadrant + 1) & 2) << 62;
      sine_out[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(first) ^ sine_sign);
      cosine_out[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(second) ^ cosine_sign);
    }
  }
};

struct HyperbolicSine {
  [[gnu::always_inline]] static inline void run(const double* const& values, const std::size_t& size,
                                                double* const& results) {
    const double* const in = values;
    double* const __restrict out = results;
    const std::size_t count = size;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = in[i];
      const double magnitude = std::fabs(value);
      // Near zero the exponentials would cancel.
      const double square = value * value;
      const double small = value + value * square * series<3, 2, 19>(square);

      const double shifted = magnitude * 0x1.71547652b82fep+0 + kToInteger;
      const double multiple = shifted - kToInteger;
      const double rest = (magnitude - multiple * 0x1.62e42fefp-1) - multiple * 0x1.473de6af278edp-34;
      const double fraction = 1 + (rest + rest * rest * series<2, 1, 14>(rest));
      // Half of 2^multiple: the low bits of `shifted` are those of `multiple`.
      const auto exponent = (std::bit_cast<std::uint64_t>(shifted) + 1022) << 52;
      const double half_exponential = fraction * std::bit_cast<double>(exponent);
      const double large = half_exponential - 0.25 / half_exponential;
      const double signed_large = value < 0 ? -large : large;
      out[i] = magnitude < 1 ? small : signed_large;
    }
  }
};

}  // namespace

void sine_cosine(const double* angles, std::size_t count, double* sines, double* cosines) {
  run_kernel<SineCosine>(angles, count, sines, cosines);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::fabs(angles[i]) <= kLargestAngle) continue;  // false for NaN
    sines[i] = maths::sin(angles[i]);
    cosines[i] = maths::cos(angles[i]);
  }
}

void hyperbolic_sine(const double* values, std::size_t count, double* results) {
  run_kernel<HyperbolicSine>(values, count, results);
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::fabs(values[i]) <= kLargestExponent)) results[i] = maths::sinh(values[i]);
}

}  // namespace skimline
