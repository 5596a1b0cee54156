// SPDX-License-Identifier: BSD-3-Clause
// The gamma function and its logarithm. From 20 on, ln Gamma is Stirling's series; below, Gamma(x) =
// Gamma(x + n) / (x (x + 1) ... (x + n - 1)). Around 1 and 2, where ln Gamma is small, it is its Taylor
// series. Below 0, Gamma(x) Gamma(1 - x) = pi / sin(pi x). (NIST Digital Library of Mathematical
// Functions, 5.5, 5.7.3 and 5.11.1.)
#include "maths/precise_functions.h"
#include "maths/series.h"

namespace skimline::precise {
namespace {

constexpr double kStartOfStirling = 20;
constexpr DoubleDouble kHalfLogOfTwoPi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
constexpr DoubleDouble kEuler = {0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58};
constexpr DoubleDouble kOneMinusEuler = {0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58};

// Bernoulli's numbers 2, 4, ... over 2k (2k - 1).
constexpr Series<3, 8> kStirling = {{fraction(1, 12), fraction(-1, 360), fraction(1, 1260)},
                                    {-1. / 1680, 1. / 1188, -691. / 360360, 1. / 156, -3617. / 122400,
                                     43867. / 244188, -174611. / 125400, 77683. / 5796}};

// Those of z^2, z^3, ... in ln Gamma(2 + z) - (1 - gamma) z: (zeta(k) - 1) / k with alternating signs.
constexpr DoubleDouble kZetaMinusOne[] = {{0x1.4a34cc4a60fa6p-1, 0x1.1873d8912200cp-55},
                                          {0x1.9dd002780310ap-3, -0x1.f23a3a8e9865cp-58},
                                          {0x1.51322ac7d8483p-4, 0x1.afc89088cb729p-58},
                                          {0x1.2e831d94f99b7p-5, -0x1.773ec70b99803p-62},
                                          {0x1.1c26130249124p-6, -0x1.049a1e95fe1f7p-61},
                                          {0x1.1196d0a679c47p-7, -0x1.5902995de94efp-62},
                                          {0x1.0b36af86396e9p-8, -0x1.0698d6c892967p-62},
                                          {0x1.073e7b02d6ae0p-9, 0x1.7fd07dd8e6b43p-63},
                                          {0x1.04b8ce96ee5f8p-10, 0x1.811f3054300c0p-64},
                                          {0x1.0318df2459954p-11, 0x1.1c138c584e5d8p-65},
                                          {0x1.020a5b2cd3042p-12, -0x1.91bdf43d1ea35p-66},
                                          {0x1.01593a1177bd6p-13, 0x1.8ccb23ed16378p-70},
                                          {0x1.00e4af2b4e156p-14, 0x1.e18438a6b48bep-70},
                                          {0x1.0097bcbf11bedp-15, 0x1.55e8bafea33acp-72},
                                          {0x1.0064cdeb22f0fp-16},
                                          {0x1.0043073686681p-17},
                                          {0x1.002c9953744ccp-18},
                                          {0x1.001db08f9ba4ap-19},
                                          {0x1.0013c594466eap-20},
                                          {0x1.000d2bab28121p-21},
                                          {0x1.0008c66cec77dp-22},
                                          {0x1.0005d8f13858cp-23},
                                          {0x1.0003e59ffde12p-24},
                                          {0x1.000298ea55633p-25},
                                          {0x1.0001bb316ccdap-26},
                                          {0x1.0001276b90845p-27},
                                          {0x1.0000c4ed05ae3p-28},
                                          {0x1.0000834601a87p-29},
                                          {0x1.00005782aaebep-30},
                                          {0x1.00003a56719b9p-31},
                                          {0x1.000026e3f644fp-32},
                                          {0x1.000019ed24201p-33},
                                          {0x1.00001148ad653p-34},
                                          {0x1.00000b85be414p-35},
                                          {0x1.000007ae797ffp-36},
                                          {0x1.0000051ef8ffap-37},
                                          {0x1.00000369f9ff9p-38},
                                          {0x1.00000246a5ffbp-39}};
constexpr auto kAroundTwo = make_series<14, 24>([](int i) {
  const DoubleDouble value = kZetaMinusOne[i] / DoubleDouble{i + 2.0};
  return i % 2 == 0 ? value : -value;
});

// ln Gamma(x), of x from 20 on.
DoubleDouble stirling(const DoubleDouble& x) {
  // Very large ones are made smaller, as products of DoubleDoubles need.
  const double scale = x.high > 0x1p900 ? 0x1p-100 : 1;
  const DoubleDouble inverse = DoubleDouble{scale} / times_power(x, scale);
  const DoubleDouble product = times_power(x - 0.5, scale) * (logarithm(x).natural() - 1.0);
  return times_power(product, 1 / scale) + (kHalfLogOfTwoPi - 0.5 + inverse * kStirling(inverse * inverse));
}

// x (x + 1) ... up to below 20, and the factor that would come next.
struct Rising {
  DoubleDouble product{1};
  DoubleDouble next;
};

Rising risen(const DoubleDouble& x) {
  Rising result{{1}, x};
  for (int i = 1; result.next.high < kStartOfStirling; ++i) {
    result.product = result.product * result.next;
    result.next = x + i;
  }
  return result;
}

// Of numbers above 2^-70.
ScaledValue gamma_of_positive(const DoubleDouble& x) {
  const Rising rising = risen(x);
  ScaledValue result = scaled_exponential(stirling(rising.next));
  result.value = result.value / rising.product;
  return result;
}

DoubleDouble lgamma_of_positive(const DoubleDouble& x) {
  if (x.high < 0x1p-70) return -(logarithm(x).natural());
  if (x.high >= 0.5 && x.high < 1.5) {
    const DoubleDouble z = x - 1.0;
    // Gamma(1 + z) = Gamma(2 + z) / (1 + z).
    return z * (kOneMinusEuler + z * kAroundTwo(z)) - log_of_one_and(z);
  }
  if (x.high >= 1.5 && x.high < 2.5) {
    const DoubleDouble z = x - 2.0;
    return z * (kOneMinusEuler + z * kAroundTwo(z));
  }
  const Rising rising = risen(x);
  return stirling(rising.next) - logarithm(rising.product).natural();
}

// Of numbers below 0 that are no integers: sin(pi x).
DoubleDouble sine_of_turns(double x) {
  const double integer = std::round(x);
  const DoubleDouble sine = sine_of_half_turns(x - integer);
  return is_integer(integer / 2) ? sine : -sine;
}

// 1/x - gamma.
DoubleDouble gamma_next_to_zero(double x) {
  int exponent = 0;
  const DoubleDouble inverse = DoubleDouble{1} / DoubleDouble{std::frexp(x, &exponent)};
  const DoubleDouble result{scaled(inverse.high, -exponent), scaled(inverse.low, -exponent)};
  return std::fabs(result.high) < 0x1p200 ? result - kEuler : result;
}

}  // namespace

DoubleDouble lgamma(double x) {
  if (std::isnan(x)) return {x};
  if (std::fabs(x) == kInfinity || (x <= 0 && is_integer(x))) return {kInfinity};
  if (x > 0x1.754d9278b51a8p+1014) return {kInfinity};
  if (x > 0) return lgamma_of_positive({x});
  if (x > -0x1p-70) return -(logarithm({-x}).natural());
  DoubleDouble sine = sine_of_turns(x);
  if (sine.high < 0) sine = -sine;
  return logarithm(kPi / sine).natural() - lgamma_of_positive(exact_sum(1, -x));
}

DoubleDouble tgamma(double x) {
  if (std::isnan(x) || x == kInfinity) return {x};
  if (x == 0) return {std::copysign(kInfinity, x)};
  if (x < 0 && is_integer(x)) return {kNotDefined};
  if (std::fabs(x) < 0x1p-70) return gamma_next_to_zero(x);
  if (x > 172) return {kInfinity};
  if (x > 0) return gamma_of_positive({x}).unscaled();
  if (x < -190) return {sine_of_turns(x).high < 0 ? -0.0 : 0.0};
  const ScaledValue mirrored = gamma_of_positive(exact_sum(1, -x));
  return ScaledValue{kPi / (sine_of_turns(x) * mirrored.value), -mirrored.exponent}.unscaled();
}

}  // namespace skimline::precise
