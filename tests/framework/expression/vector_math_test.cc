// SPDX-License-Identifier: BSD-3-Clause
// Functions of arrays against the maths library in extended precision.
#include "expression/vector_math.h"

#include "skimline/framework/maths.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

// The error in units of the last place of the exact result.
double error_in_places(double result, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double place = std::nextafter(std::fabs(rounded), 1e308) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(result) - exact)) / place;
}

std::vector<double> values_up_to(double limit) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-limit, limit), exponent(-30, std::log2(limit));
  std::vector<double> values{0., -0., 1., -1., std::nextafter(1., 0.), limit, -limit};
  for (int i = 0; i < 200'000; ++i) {
    values.push_back(uniform(random));
    values.push_back(std::exp2(exponent(random)) * (i % 2 ? 1 : -1));
  }
  return values;
}

TEST(VectorMath, SinesAndCosinesAreRight) {
  for (const double limit : {3.15, 10., 1024.}) {
    const std::vector<double> angles = values_up_to(limit);
    std::vector<double> sines(angles.size()), cosines(angles.size());
    sine_cosine(angles.data(), angles.size(), sines.data(), cosines.data());
    double worst = 0;
    for (std::size_t i = 0; i < angles.size(); ++i) {
      worst = std::max(worst, error_in_places(sines[i], std::sin(static_cast<long double>(angles[i]))));
      worst = std::max(worst, error_in_places(cosines[i], std::cos(static_cast<long double>(angles[i]))));
    }
    EXPECT_LT(worst, 1.5) << limit;
  }
}

TEST(VectorMath, HyperbolicSinesAreRight) {
  for (const double limit : {1.5, 6., 700.}) {
    const std::vector<double> values = values_up_to(limit);
    std::vector<double> results(values.size());
    hyperbolic_sine(values.data(), values.size(), results.data());
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      worst = std::max(worst, error_in_places(results[i], std::sinh(static_cast<long double>(values[i]))));
    EXPECT_LT(worst, 2) << limit;
  }
}

TEST(VectorMath, LeavesTheRestToFunctionsOfOneNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{1e30, -5e6, infinity, -infinity, std::nan(""), 710.5, -1000, 5e-324};
  std::vector<double> sines(values.size()), cosines(values.size()), hyperbolic(values.size());
  sine_cosine(values.data(), values.size(), sines.data(), cosines.data());
  hyperbolic_sine(values.data(), values.size(), hyperbolic.data());
  const auto is_same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::fabs(values[i]) > 1e6 || std::isnan(values[i])) {
      EXPECT_TRUE(is_same(sines[i], maths::sin(values[i]))) << values[i];
      EXPECT_TRUE(is_same(cosines[i], maths::cos(values[i]))) << values[i];
    }
    EXPECT_TRUE(is_same(hyperbolic[i], maths::sinh(values[i]))) << values[i];
  }
}

}  // namespace
}  // namespace skimline
