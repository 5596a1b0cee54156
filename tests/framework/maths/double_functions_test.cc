// SPDX-License-Identifier: BSD-3-Clause
// Functions of doubles against the exact results.
#include "maths/estimates.h"
#include "maths/precise_functions.h"
#include "maths/truth.h"

#include "skimline/framework/maths.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max(), kSmallest = 0x1p-1074;

// Of what is nearly correctly rounded: subnormal results are rounded twice.
double allowed(double result) { return std::fabs(result) < 0x1p-1022 ? 0.75 : 0.502; }

std::vector<double> doubles(int number) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1), exponent(-1074, 1024), usual(-60, 12);
  std::vector<double> values = {
      0.,        -0.,        1.,        -1.,          2.,       -2.,
      0.5,       -0.5,       kInfinity, -kInfinity,   kLargest, -kLargest,
      kSmallest, -kSmallest, 1e-310,    std::nan(""), 1e22,     0x1p1023,
      709.78,    709.79,     -745.1,    -745.2,       1023.9,   1024.,
      -1074,     -1075.5,    710.4,     710.5,        171.6,    171.7,
      -170.5,    -184.5,     -3.,       27.2,         26.5,     6381956970095103. * 0x1p797};
  for (int i = -200; i <= 200; ++i) {
    values.push_back(i * M_PI / 4);
    values.push_back(i / 2.);
  }
  for (int i = 0; i < number; ++i) {
    values.push_back(uniform(random) * 3);
    values.push_back(uniform(random) * 800);
    values.push_back(1 + uniform(random) * std::exp2(usual(random) - 5));
    values.push_back(std::copysign(std::exp2(usual(random)), uniform(random)));
    values.push_back(std::copysign(std::exp2(exponent(random)), uniform(random)));
    values.push_back(std::bit_cast<double>(random()));
  }
  return values;
}

TEST(DoubleFunctions, AreWithinHalfAPlace) {
  DoubleTruth truth;
  const std::vector<double> values = doubles(1500);
  for (const UnaryFunction& function : unary_functions())
    for (const double x : values) {
      // Next to its zeros below -2 an error of 2^-65 is more than the last place.
      if (std::string_view(function.name) == "lgamma" && x < -2 && std::fabs(maths::lgamma(x)) < 0x1p-5)
        continue;
      const double result = function.of_double(x);
      ASSERT_LE(truth.error(function, x, result), allowed(result)) << function.name << "(" << x << ")";
    }
}

TEST(DoubleFunctions, OfTwoArgumentsAreWithinHalfAPlace) {
  DoubleTruth truth;
  const std::vector<double> values = doubles(1000);
  std::mt19937_64 random(3);
  for (const BinaryFunction& function : binary_functions())
    for (int i = 0; i < 30'000; ++i) {
      const double x = values[random() % values.size()], y = values[random() % values.size()];
      const double result = function.of_double(x, y);
      ASSERT_LE(truth.error(function, x, y, result), allowed(result))
          << function.name << "(" << x << ", " << y << ")";
    }
}

TEST(DoubleFunctions, GiveTheSpecialValuesOfTheCLibrary) {
  const double values[] = {0.,
                           -0.,
                           1.,
                           -1.,
                           2.,
                           -2.,
                           0.5,
                           -0.5,
                           3.,
                           -3.,
                           kInfinity,
                           -kInfinity,
                           std::nan(""),
                           kLargest,
                           -kLargest,
                           kSmallest,
                           -kSmallest,
                           0x1p53,
                           -0x1.fffffffffffffp52};
  const auto is_same = [](double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b)
                                          : a == b && std::signbit(a) == std::signbit(b);
  };
  for (const double x : values)
    for (const double y : values) {
      const bool is_usual = std::isfinite(x) && std::isfinite(y) && std::fabs(x) != 1 && x != 0 && y != 0;
      if (is_usual && (x > 0 || std::floor(y) == y)) continue;
      EXPECT_TRUE(is_same(maths::pow(x, y), std::pow(x, y))) << x << " " << y;
    }
  for (const double x : {0., -0., kInfinity, -kInfinity, std::nan("")})
    for (const double y : values) {
      EXPECT_TRUE(is_same(maths::hypot(x, y), std::hypot(x, y))) << x << " " << y;
      EXPECT_TRUE(is_same(maths::atan2(x, y), std::atan2(x, y))) << x << " " << y;
      EXPECT_TRUE(is_same(maths::atan2(y, x), std::atan2(y, x))) << x << " " << y;
    }
}

// 7^19 has 54 bits, the last of them set.
TEST(DoubleFunctions, PowersInTheMiddleOfTwoDoublesAreEven) {
  EXPECT_EQ(maths::pow(7., 19.), 0x1.43f9e0d2d93ecp+53);
  EXPECT_EQ(maths::pow(-14., 19.), -0x1.43f9e0d2d93ecp+72);
}

struct EstimatedFunction {
  const char* name;
  estimate::Estimate (*estimate)(double);
  DoubleDouble (*precise)(double);
};

constexpr EstimatedFunction kEstimated[] = {
    {"exp", estimate::exp, precise::exp},       {"sinh", estimate::sinh, precise::sinh},
    {"log", estimate::log, precise::log},       {"log2", estimate::log2, precise::log2},
    {"log10", estimate::log10, precise::log10}, {"atan", estimate::atan, precise::atan},
    {"sin", estimate::sin, precise::sin},       {"cos", estimate::cos, precise::cos}};

// What the difference is of the bound.
double part_of_bound(const estimate::Estimate& estimated, const DoubleDouble& precise) {
  if (std::isnan(estimated.value.high)) return 0;
  const double difference =
      std::fabs((estimated.value.high - precise.high) + (estimated.value.low - precise.low));
  return difference == 0 ? 0 : difference / estimated.error;
}

TEST(DoubleFunctions, EstimatesKeepTheirBounds) {
  const std::vector<double> values = doubles(20'000);
  for (const EstimatedFunction& function : kEstimated)
    for (const double x : values)
      ASSERT_LT(part_of_bound(function.estimate(x), function.precise(x)), 1)
          << function.name << "(" << x << ")";
  std::mt19937_64 random(4);
  for (int i = 0; i < 100'000; ++i) {
    const double x = values[random() % values.size()], y = values[random() % values.size()];
    ASSERT_LT(part_of_bound(estimate::atan2(y, x), precise::atan2(y, x)), 1) << y << " " << x;
    const double base = std::fabs(x);
    ASSERT_LT(part_of_bound(estimate::pow(base, y), precise::pow(base, y)), 1) << base << " " << y;
  }
}

// Of each function one result: compilers and processors must not change a bit of what leads to it.
TEST(DoubleFunctions, HaveTheSameBitsEverywhere) {
  std::uint64_t hash = 0;
  for (const UnaryFunction& function : unary_functions())
    for (double x = -3.1; x < 40; x += 0.37) {
      const double result = function.of_double(x);
      if (!std::isnan(result)) hash = hash * 0x9e3779b97f4a7c15 + std::bit_cast<std::uint64_t>(result);
    }
  EXPECT_EQ(hash, 0x6fd74c7080d3e7d4u) << std::hex << hash;
}

}  // namespace
}  // namespace skimline::testing
