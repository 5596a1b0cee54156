// SPDX-License-Identifier: BSD-3-Clause
// Sines, cosines and tangents. Angles are k pi/2 + r. Up to 2^20, k pi/2 is subtracted in four parts (W.
// J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980); beyond, the angle is
// multiplied by as many bits of 2/pi as matter (M. Payne and R. Hanek, SIGNUM Newsletter 18 (1983) 19).
// Then r is a multiple of 1/32 and a rest, for which series are short.
#include "maths/estimates.h"
#include "maths/precise_functions.h"
#include "maths/series.h"

#include <array>
#include <bit>

namespace skimline::precise {
namespace {

// 2/pi after the binary point.
constexpr std::uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

struct Reduced {
  unsigned quadrant = 0;
  DoubleDouble rest;
};

Reduced reduced_by_parts(double angle) {
  const double multiple = nearest_integer(angle * 0x1.45f306dc9c883p-1);
  // The parts have 33 bits, so that these products are exact.
  const DoubleDouble leading = exact_sum(angle - multiple * 0x1.921fb544p+0, -multiple * 0x1.0b4611a6p-34);
  const DoubleDouble rest =
      leading + DoubleDouble{-multiple * 0x1.3198a2ep-69} + DoubleDouble{-multiple * 0x1.b839a252049c1p-104};
  return {static_cast<unsigned>(static_cast<int>(multiple)), rest};
}

// The 64 bits of 2/pi from the given place on; place 0 is the first after the point, before it are zeros.
std::uint64_t bits_of_two_over_pi(int place) {
  if (place <= -64) return 0;
  if (place < 0) return kTwoOverPi[0] >> -place;
  const auto word = static_cast<std::size_t>(place / 64);
  const int shift = place % 64;
  return shift == 0 ? kTwoOverPi[word] : kTwoOverPi[word] << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

// `high` 2^-64 and `low` 2^-128, rounded to what a DoubleDouble holds.
DoubleDouble as_fraction(std::uint64_t high, std::uint64_t low) {
  // Of 32 bits each: exact.
  const DoubleDouble first = ordered_sum(static_cast<double>(high >> 32) * 0x1p-32,
                                         static_cast<double>(high & 0xffffffff) * 0x1p-64);
  const DoubleDouble second =
      ordered_sum(static_cast<double>(low >> 32) * 0x1p-96, static_cast<double>(low & 0xffffffff) * 0x1p-128);
  return first + second;
}

// Of magnitudes from 2^20 on. The product with 2/pi modulo 4, to 192 bits: those before the point of the
// first word are whole turns.
Reduced reduced_by_product(double magnitude) {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const std::uint64_t mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  // The magnitude is mantissa 2^exponent. Bits of 2/pi before this place give multiples of 4.
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const int place = exponent - 2;
  using Wide = unsigned __int128;
  const Wide low = Wide{bits_of_two_over_pi(place + 128)} * mantissa;
  const Wide middle = Wide{bits_of_two_over_pi(place + 64)} * mantissa + (low >> 64);
  std::uint64_t first = bits_of_two_over_pi(place) * mantissa + static_cast<std::uint64_t>(middle >> 64);
  auto second = static_cast<std::uint64_t>(middle);
  auto third = static_cast<std::uint64_t>(low);
  auto quadrant = static_cast<unsigned>(first >> 62);
  first = first << 2 | second >> 62;
  second = second << 2 | third >> 62;
  third <<= 2;
  const bool is_past_half = first >> 63 != 0;
  if (is_past_half) {
    first = ~first;
    second = ~second;
    third = ~third;
    ++quadrant;
  }
  const int zeros = std::countl_zero(first);
  DoubleDouble part;
  if (zeros < 40) {
    part = as_fraction(first, second);
  } else {
    part = times_power(as_fraction(first << 32 | second >> 32, second << 32 | third >> 32), 0x1p-32);
  }
  const DoubleDouble rest = part * kHalfPi;
  return {quadrant, is_past_half ? -rest : rest};
}

Reduced reduced(double angle) {
  if (std::fabs(angle) < 0x1p20) return reduced_by_parts(angle);
  Reduced result = reduced_by_product(std::fabs(angle));
  if (angle < 0) result = {0u - result.quadrant, -result.rest};
  return result;
}

constexpr double kStep = 1. / 32;
constexpr int kNumSteps = 27;

constexpr DoubleDouble series_of_direction(const DoubleDouble& square, int first) {
  DoubleDouble sum{1};
  for (int i = first + 24; i > first; i -= 2)
    sum = DoubleDouble{1} - sum * square / DoubleDouble{static_cast<double>(i * (i - 1))};
  return sum;
}

constexpr std::array<Direction, kNumSteps> make_directions() {
  std::array<Direction, kNumSteps> directions{};
  for (int i = 0; i < kNumSteps; ++i) {
    const DoubleDouble angle{i * kStep};
    directions[i] = {series_of_direction(angle * angle, 1) * angle, series_of_direction(angle * angle, 0)};
  }
  return directions;
}
constexpr std::array<Direction, kNumSteps> kDirections = make_directions();

// sin(x) / x and (1 - cos(x)) / x^2, of the square.
constexpr auto kSine = make_series<3, 4>(
    [](int i) { return i % 2 == 0 ? inverse_factorial(2 * i + 1) : -inverse_factorial(2 * i + 1); });
constexpr auto kCosine = make_series<2, 4>(
    [](int i) { return i % 2 == 0 ? inverse_factorial(2 * i + 2) : -inverse_factorial(2 * i + 2); });

// Of magnitudes up to pi/4.
Direction direction_of_small(const DoubleDouble& angle) {
  const bool is_negative = angle.high < 0;
  const DoubleDouble magnitude = is_negative ? -angle : angle;
  const double step = nearest_integer(magnitude.high / kStep);
  const DoubleDouble rest = magnitude - step * kStep;
  const DoubleDouble square = rest * rest;
  const Direction& at_step = kDirections[static_cast<std::size_t>(step)];
  const DoubleDouble sine = rest * kSine(square), lacking = square * kCosine(square);
  const DoubleDouble cosine_part = at_step.cosine - (at_step.cosine * lacking + at_step.sine * sine);
  const DoubleDouble sine_part =
      step == 0 ? sine : at_step.sine + (at_step.cosine * sine - at_step.sine * lacking);
  return {is_negative ? -sine_part : sine_part, cosine_part};
}

}  // namespace

Direction direction(double angle) {
  const Reduced parts = reduced(angle);
  const Direction small = direction_of_small(parts.rest);
  switch (parts.quadrant % 4) {
    case 0:
      return small;
    case 1:
      return {small.cosine, -small.sine};
    case 2:
      return {-small.sine, -small.cosine};
    default:
      return {-small.cosine, small.sine};
  }
}

DoubleDouble sine_of_half_turns(double x) {
  if (std::fabs(x) <= 0.25) return direction_of_small(kPi * x).sine;
  const DoubleDouble cosine = direction_of_small(kPi * (0.5 - std::fabs(x))).cosine;
  return x < 0 ? -cosine : cosine;
}

DoubleDouble sin(double x) {
  if (!(std::fabs(x) < kInfinity)) return {std::isnan(x) ? x : kNotDefined};
  if (std::fabs(x) < 0x1p-30) return {x, -x * x * x / 6};
  return direction(x).sine;
}

DoubleDouble cos(double x) {
  if (!(std::fabs(x) < kInfinity)) return {std::isnan(x) ? x : kNotDefined};
  return direction(x).cosine;
}

DoubleDouble tan(double x) {
  if (!(std::fabs(x) < kInfinity)) return {std::isnan(x) ? x : kNotDefined};
  if (std::fabs(x) < 0x1p-30) return {x, x * x * x / 3};
  const Direction parts = direction(x);
  return parts.sine / parts.cosine;
}

}  // namespace skimline::precise

namespace skimline::estimate {
namespace {

// An angle's quarter of the circle, and the nearest multiple of 1/32 to the magnitude of what it is beyond.
struct Place {
  unsigned quadrant;
  bool is_negative;
  std::size_t step;
  // sin(rest) = high + low, 1 - cos(rest) = lacking.
  DoubleDouble sine;
  double lacking;
};

Place place_of(double angle) {
  const double multiple = nearest_integer(angle * 0x1.45f306dc9c883p-1);
  const double second = multiple * 0x1.0b4611a6p-34;
  const DoubleDouble leading = exact_sum(angle - multiple * 0x1.921fb544p+0, -second);
  const DoubleDouble rest = exact_sum(leading.high, leading.low - multiple * 0x1.3198a2e037073p-69);
  Place place{};
  place.quadrant = static_cast<unsigned>(static_cast<int>(multiple));
  place.is_negative = rest.high < 0;
  const DoubleDouble magnitude = place.is_negative ? -rest : rest;
  const double step = nearest_integer(magnitude.high / precise::kStep);
  place.step = static_cast<std::size_t>(step);
  const double d = magnitude.high - step * precise::kStep, square = d * d;
  const double tail = d * (square * (-1. / 6 + square * (1. / 120 + square * (-1. / 5040))));
  place.sine = {d, tail + magnitude.low};
  place.lacking = square * (1. / 2 + square * (-1. / 24 + square * (1. / 720))) + d * magnitude.low;
  return place;
}

DoubleDouble sine_at(const Place& place) {
  if (place.step == 0) return ordered_sum(place.sine.high, place.sine.low);
  const precise::Direction& at_step = precise::kDirections[place.step];
  const DoubleDouble product = exact_product(at_step.cosine.high, place.sine.high);
  const DoubleDouble sum = exact_sum(at_step.sine.high, product.high);
  const double rest = (at_step.cosine.high * place.sine.low + at_step.cosine.low * place.sine.high) -
                      at_step.sine.high * place.lacking;
  return ordered_sum(sum.high, sum.low + (product.low + (at_step.sine.low + rest)));
}

DoubleDouble cosine_at(const Place& place) {
  const precise::Direction& at_step = precise::kDirections[place.step];
  const DoubleDouble product = exact_product(-at_step.sine.high, place.sine.high);
  const DoubleDouble sum = exact_sum(at_step.cosine.high, product.high);
  const double rest = -(at_step.sine.high * place.sine.low + at_step.sine.low * place.sine.high) -
                      at_step.cosine.high * place.lacking;
  return ordered_sum(sum.high, sum.low + (product.low + (at_step.cosine.low + rest)));
}

// The sine of an angle and of `quarters` right angles.
Estimate sine_of(double angle, unsigned quarters) {
  // False for NaN.
  if (!(std::fabs(angle) < 0x1p20 && std::fabs(angle) > 0x1p-100)) return kNone;
  const Place place = place_of(angle);
  const unsigned quadrant = place.quadrant + quarters;
  const bool is_cosine = (quadrant & 1) != 0;
  const DoubleDouble value = is_cosine ? cosine_at(place) : sine_at(place);
  const bool is_negative = ((quadrant & 2) != 0) != (!is_cosine && place.is_negative);
  // That of the rest, which matters next to zeros, grows with the angle.
  return {is_negative ? -value : value, 0x1p-60 * std::fabs(value.high) + 0x1p-120 * std::fabs(angle)};
}

}  // namespace

Estimate sin(double x) { return sine_of(x, 0); }
Estimate cos(double x) { return sine_of(x, 1); }

}  // namespace skimline::estimate
