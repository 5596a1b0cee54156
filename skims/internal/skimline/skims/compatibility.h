// SPDX-License-Identifier: BSD-3-Clause
// Whether two histograms may be samples of one distribution.
#pragma once

#include "skimline/histograms/histogram.h"

#include <optional>

namespace skimline::skims {

/// How well two histograms with one axis go together, as ROOT says it: TH1::Chi2Test with "WW", or "UU" for
/// counts, and TH1::KolmogorovTest.
struct Compatibility {
  double chi2 = 0;
  int degrees_of_freedom = 0;
  double chi2_probability = 0, kolmogorov_probability = 0;
};

/// Tests two histograms with the same bins. Nothing unless they have one axis and contents that can be
/// normalised. Flow cells do not count.
std::optional<Compatibility> compatibility_of(const histograms::Histogram& left,
                                              const histograms::Histogram& right);

/// The probability that a chi-squared of so many degrees of freedom is larger: the regularised incomplete
/// gamma function Q(n / 2, chi2 / 2) (Numerical Recipes, 6.2).
double chi2_probability(double chi2, int degrees_of_freedom);

/// The probability that the Kolmogorov distance of two samples is larger: 2 sum (-1)^(j-1) exp(-2 j^2 z^2).
double kolmogorov_probability(double z);

}  // namespace skimline::skims
