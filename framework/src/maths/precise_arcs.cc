// SPDX-License-Identifier: BSD-3-Clause
// Arc functions. An arc atan(t) is atan(c) + atan((t - c) / (1 + t c)), c being the nearest multiple of 1/32
// to t, and t at most 1: points are first mirrored into the eighth of the plane next to the x axis.
#include "maths/estimates.h"
#include "maths/precise_functions.h"
#include "maths/series.h"

#include <array>

namespace skimline::precise {
namespace {

constexpr int kArcsPerOne = 32;

// atan(x) / x, of the square.
constexpr auto kArcSeries = make_series<3, 5>([](int i) { return fraction(i % 2 == 0 ? 1 : -1, 2 * i + 1); });

constexpr DoubleDouble small_arc(const DoubleDouble& x) {
  const DoubleDouble square = x * x;
  DoubleDouble sum{0};
  for (int i = 23; i > 0; i -= 2) sum = fraction(i % 4 == 1 ? 1 : -1, i) + sum * square;
  return sum * x;
}

// From each multiple to the next, atan(a) = atan(b) + atan((a - b) / (1 + a b)).
constexpr std::array<DoubleDouble, kArcsPerOne + 1> make_arcs() {
  std::array<DoubleDouble, kArcsPerOne + 1> arcs{};
  DoubleDouble arc{};
  for (int i = 1; i <= kArcsPerOne; ++i) {
    arc = arc + small_arc(fraction(kArcsPerOne, kArcsPerOne * kArcsPerOne + i * (i - 1)));
    arcs[i] = arc;
  }
  return arcs;
}
constexpr std::array<DoubleDouble, kArcsPerOne + 1> kArcs = make_arcs();

// Of a quotient that is at most 1.
DoubleDouble arc_of_quotient(const DoubleDouble& y, const DoubleDouble& x) {
  const double step = nearest_integer(y.high / x.high * kArcsPerOne);
  const double multiple = step / kArcsPerOne;
  const DoubleDouble quotient = (y - x * multiple) / (x + y * multiple);
  const DoubleDouble arc = quotient * kArcSeries(quotient * quotient);
  return step == 0 ? arc : kArcs[static_cast<std::size_t>(step)] + arc;
}

// sqrt(1 - x^2).
DoubleDouble other_leg(double x) { return square_root(exact_sum(1, -x) * exact_sum(1, x)); }

// What atan2 gives for zeros and infinities, of the magnitudes.
DoubleDouble special_arc(double y, double x, bool is_behind) {
  if (y == 0) return is_behind ? kPi : DoubleDouble{0};
  if (y == kInfinity && x == kInfinity)
    return is_behind ? times_power(kPi, 0.5) + times_power(kPi, 0.25) : times_power(kPi, 0.25);
  if (x == 0 || y == kInfinity) return kHalfPi;
  return is_behind ? kPi : DoubleDouble{0};
}

// Of finite magnitudes above 0.
DoubleDouble arc_of_magnitudes(double y, double x, bool is_behind) {
  int exponent_y = 0, exponent_x = 0;
  const double mantissa_y = std::frexp(y, &exponent_y), mantissa_x = std::frexp(x, &exponent_x);
  const int difference = exponent_y - exponent_x;
  if (difference > 120) return kHalfPi + DoubleDouble{is_behind ? 0x1p-110 : -0x1p-110};
  if (difference < -120) {
    if (is_behind) return kPi - 0x1p-110;
    // The series ends with its first term. An exact quotient is a little too large.
    const DoubleDouble quotient = DoubleDouble{mantissa_y} / DoubleDouble{mantissa_x} - 0x1p-68;
    return {scaled(quotient.high, difference), scaled(quotient.low, difference)};
  }
  const DoubleDouble arc = angle_of_point({scaled(mantissa_y, difference)}, {mantissa_x});
  return is_behind ? kPi - arc : arc;
}

}  // namespace

DoubleDouble angle_of_point(const DoubleDouble& y, const DoubleDouble& x) {
  return y.high <= x.high ? arc_of_quotient(y, x) : kHalfPi - arc_of_quotient(x, y);
}

DoubleDouble atan2(double y, double x) {
  if (std::isnan(x)) return {x};
  if (std::isnan(y)) return {y};
  const double magnitude_y = std::fabs(y), magnitude_x = std::fabs(x);
  const bool is_behind = std::signbit(x);
  const bool is_special = y == 0 || x == 0 || magnitude_y == kInfinity || magnitude_x == kInfinity;
  return with_sign_of(y, is_special ? special_arc(magnitude_y, magnitude_x, is_behind)
                                    : arc_of_magnitudes(magnitude_y, magnitude_x, is_behind));
}

DoubleDouble atan(double x) {
  if (std::isnan(x)) return {x};
  if (std::fabs(x) < 0x1p-30) return {x, -x * x * x / 3};
  if (std::fabs(x) > 0x1p120) return with_sign_of(x, kHalfPi - 0x1p-120);
  return with_sign_of(x, angle_of_point({std::fabs(x)}, {1}));
}

DoubleDouble asin(double x) {
  if (std::isnan(x)) return {x};
  if (!(std::fabs(x) <= 1)) return {kNotDefined};
  if (std::fabs(x) < 0x1p-30) return {x, x * x * x / 6};
  if (std::fabs(x) == 1) return with_sign_of(x, kHalfPi);
  return with_sign_of(x, angle_of_point({std::fabs(x)}, other_leg(x)));
}

DoubleDouble acos(double x) {
  if (std::isnan(x)) return {x};
  if (!(std::fabs(x) <= 1)) return {kNotDefined};
  if (x == 1) return {0};
  if (x == -1) return kPi;
  const DoubleDouble arc = angle_of_point(other_leg(x), {std::fabs(x)});
  return x < 0 ? kPi - arc : arc;
}

}  // namespace skimline::precise

namespace skimline::estimate {

Estimate atan(double x) { return atan2(x, 1); }

Estimate atan2(double y, double x) {
  const double height = std::fabs(y), width = std::fabs(x);
  const bool is_steep = height > width;
  const double low = is_steep ? width : height, high = is_steep ? height : width;
  // Where no product underflows or overflows; false for NaN.
  if (!(low > 0x1p-400 && high < 0x1p400)) return kNone;
  const double step = nearest_integer(low / high * precise::kArcsPerOne),
               multiple = step / precise::kArcsPerOne;
  const DoubleDouble above = exact_product(-multiple, high), beside = exact_product(multiple, low);
  const DoubleDouble numerator = exact_sum(low, above.high), denominator = ordered_sum(high, beside.high);
  const double quotient = numerator.high / denominator.high;
  const DoubleDouble product = exact_product(quotient, denominator.high);
  const double rest = (((numerator.high - product.high) - product.low) + (numerator.low + above.low)) -
                      quotient * (denominator.low + beside.low);
  const double square = quotient * quotient;
  const double series = -1. / 3 + square * (1. / 5 + square * (-1. / 7 + square * (1. / 9)));
  const double tail = rest / denominator.high + quotient * (square * series);
  const DoubleDouble& at_step = precise::kArcs[static_cast<std::size_t>(step)];
  const DoubleDouble sum = exact_sum(at_step.high, quotient);
  DoubleDouble angle = ordered_sum(sum.high, sum.low + (at_step.low + tail));
  const double error = 0x1p-61 * angle.high;
  if (is_steep) angle = precise::kHalfPi - angle;
  if (x < 0) angle = precise::kPi - angle;
  return {with_sign_of(y, angle), error};
}

}  // namespace skimline::estimate
