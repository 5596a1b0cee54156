// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/compatibility.h"

#include "skimline/framework/maths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace skimline::skims {
namespace {

using histograms::Histogram;

constexpr int kMostTerms = 100000;
constexpr double kPrecision = 1e-15;

struct Totals {
  double contents = 0, squares = 0;
};

std::size_t end_of_bins(const Histogram& histogram) { return histogram.num_cells() - 1; }

Totals totals_of(const Histogram& histogram) {
  Totals totals;
  for (std::size_t bin = 1; bin < end_of_bins(histogram); ++bin) {
    totals.contents += histogram.contents()[bin];
    totals.squares += histogram.variances()[bin];
  }
  return totals;
}

// P(a, x) by its series, for x < a + 1.
double lower_gamma(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < kMostTerms && std::abs(term) > std::abs(sum) * kPrecision; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * maths::exp(-x + a * maths::log(x) - maths::lgamma(a));
}

// Q(a, x) by its continued fraction, for larger x.
double upper_gamma(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, product = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    product *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return product * maths::exp(-x + a * maths::log(x) - maths::lgamma(a));
}

void test_chi2(const Histogram& left, const Histogram& right, Compatibility& result) {
  const Totals first = totals_of(left), second = totals_of(right);
  const bool are_counts = !has_weights(left.storage) && !has_weights(right.storage);
  result.degrees_of_freedom = left.axes[0].num_bins() - 1;
  for (std::size_t bin = 1; bin < end_of_bins(left); ++bin) {
    const double n = left.contents()[bin], m = right.contents()[bin];
    const double delta = second.contents * n - first.contents * m;
    const double variance = are_counts ? first.contents * second.contents * (n + m)
                                       : first.contents * first.contents * right.variances()[bin] +
                                             second.contents * second.contents * left.variances()[bin];
    if (variance > 0)
      result.chi2 += delta * delta / variance;
    else
      --result.degrees_of_freedom;
  }
  result.chi2_probability = chi2_probability(result.chi2, result.degrees_of_freedom);
}

void test_kolmogorov(const Histogram& left, const Histogram& right, Compatibility& result) {
  const Totals first = totals_of(left), second = totals_of(right);
  double sum = 0, other_sum = 0, distance = 0;
  for (std::size_t bin = 1; bin < end_of_bins(left); ++bin) {
    sum += left.contents()[bin] / first.contents;
    other_sum += right.contents()[bin] / second.contents;
    distance = std::max(distance, std::abs(sum - other_sum));
  }
  const double n = first.contents * first.contents / first.squares,
               m = second.contents * second.contents / second.squares;
  result.kolmogorov_probability = kolmogorov_probability(distance * std::sqrt(n * m / (n + m)));
}

bool can_be_normalised(const Histogram& histogram) {
  const Totals totals = totals_of(histogram);
  return totals.contents > 0 && totals.squares > 0 && std::isfinite(totals.contents) &&
         std::isfinite(totals.squares);
}

}  // namespace

double chi2_probability(double chi2, int degrees_of_freedom) {
  if (degrees_of_freedom <= 0 || chi2 < 0) return 0;
  if (chi2 == 0) return 1;
  const double a = degrees_of_freedom / 2.0, x = chi2 / 2;
  return x < a + 1 ? 1 - lower_gamma(a, x) : upper_gamma(a, x);
}

double kolmogorov_probability(double z) {
  constexpr double kPi = 3.14159265358979323846;
  // Both series give the same; each needs few terms on its side.
  if (z < 0.2) return 1;
  double sum = 0;
  if (z < 0.755) {
    for (int j = 1; j <= 5; j += 2) sum += maths::exp(-j * j * kPi * kPi / (8 * z * z));
    return 1 - std::sqrt(2 * kPi) / z * sum;
  }
  for (int j = 1; j <= 10; ++j) sum += (j % 2 == 1 ? 2 : -2) * maths::exp(-2.0 * j * j * z * z);
  return std::clamp(sum, 0.0, 1.0);
}

std::optional<Compatibility> compatibility_of(const Histogram& left, const Histogram& right) {
  if (left.axes.size() != 1 || has_values(left.storage) || has_values(right.storage)) return std::nullopt;
  if (!can_be_normalised(left) || !can_be_normalised(right)) return std::nullopt;
  Compatibility result;
  test_chi2(left, right, result);
  test_kolmogorov(left, right, result);
  return result;
}

}  // namespace skimline::skims
