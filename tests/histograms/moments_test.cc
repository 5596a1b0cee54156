// SPDX-License-Identifier: BSD-3-Clause
#include "moments.h"

#include "special_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

template <typename Real>
class Moments : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Moments, Reals);

template <typename Real>
Numbers numbers_of(const std::vector<Real>& values) {
  if constexpr (std::is_same_v<Real, float>)
    return {.floats = values.data()};
  else
    return {.doubles = values.data()};
}

// Values whose exponents are spread around one, few or many, with zeros and what is no number among them.
template <typename Real>
std::vector<Real> random_values(std::mt19937_64& random) {
  constexpr int kCenters[] = {0, 0, 3, -8, 14, -20, 40, 80, -100};
  constexpr int kSpreads[] = {1, 4, 12, 30, 60};
  constexpr double kSpecial[] = {0.0, -0.0, testing::kInfinity, -testing::kInfinity, testing::kNan, 1e-45};
  const int center = kCenters[random() % std::size(kCenters)],
            spread = kSpreads[random() % std::size(kSpreads)];
  const bool has_special = random() % 2 == 0;
  std::normal_distribution<double> gauss;
  std::vector<Real> values(random() % 4 == 0 ? random() % 20 : random() % 1025);
  for (Real& value : values) {
    const int exponent = center + static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2;
    value = static_cast<Real>(std::ldexp(gauss(random), exponent));
    if (has_special && random() % 50 == 0)
      value = static_cast<Real>(kSpecial[random() % std::size(kSpecial)]);
  }
  return values;
}

struct Limits {
  double low, high;
};

Limits random_limits(std::mt19937_64& random) {
  constexpr Limits kLimits[] = {{-1e300, 1e300}, {-4, 4}, {0, 1000}, {-0.1, 0.1}, {1e-5, 1e5}, {5e38, 1e39}};
  return kLimits[random() % std::size(kLimits)];
}

template <typename Real>
struct Kept {
  std::vector<float> floats = std::vector<float>(1024);
  std::vector<double> doubles = std::vector<double>(1024);
  KeptValues values;

  Kept(const std::vector<Real>& all, Limits limits)
      : values(keep_inside(numbers_of(all), all.size(), limits.low, limits.high,
                           {floats.data(), doubles.data()})) {}
};

TYPED_TEST(Moments, AreOfValuesInsideTheRange) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::vector<TypeParam> values = random_values<TypeParam>(random);
    const Limits limits = random_limits(random);
    const Kept<TypeParam> kept(values, limits);
    double largest = 0, smallest = testing::kInfinity;
    std::size_t num_nan = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_inside = values[i] >= limits.low && values[i] < limits.high;
      const double expected = is_inside ? values[i] : 0, magnitude = std::fabs(expected);
      ASSERT_EQ(kept.values.values.at(i), expected) << values[i];
      num_nan += std::isnan(values[i]) ? 1 : 0;
      largest = std::max(largest, magnitude);
      if (magnitude > 0) smallest = std::min(smallest, magnitude);
    }
    EXPECT_EQ(kept.values.num_nan, num_nan);
    EXPECT_EQ(kept.values.magnitudes.largest, largest);
    EXPECT_EQ(kept.values.magnitudes.smallest, smallest);
  }
}

void expect_same_sum(const ExactSum& left, const ExactSum& right) {
  EXPECT_EQ(left.window(), right.window());
  EXPECT_EQ(left.is_infinite(), right.is_infinite());
  EXPECT_TRUE(left.parts() == right.parts());
}

// The parts themselves are compared: what is dropped when a window is raised depends on them.
TYPED_TEST(Moments, EqualThoseOfValuesAddedOneByOne) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    ExactSum sums[2], expected[2];
    for (int block = 0; block < 4; ++block) {
      const std::vector<TypeParam> values = random_values<TypeParam>(random);
      const Limits limits = random_limits(random);
      add_values(Kept<TypeParam>(values, limits).values, values.size(), sums[0], sums[1]);
      for (const TypeParam value : values) {
        if (!(value >= limits.low && value < limits.high)) continue;
        const double x = value, squared = x * x;
        expected[0].add({&x, 1});
        expected[1].add({&squared, 1});
      }
    }
    for (int i = 0; i < 2; ++i) expect_same_sum(sums[i], expected[i]);
  }
}

TYPED_TEST(Moments, EqualThoseOfProductsAddedOneByOne) {
  std::mt19937_64 random(3);
  std::vector<double> products(1024);
  for (int round = 0; round < 300; ++round) {
    ExactSum sums[2], expected[2];
    for (int block = 0; block < 4; ++block) {
      const std::vector<TypeParam> values = random_values<TypeParam>(random);
      std::vector<double> weights = random_values<double>(random);
      weights.resize(values.size());
      for (double& weight : weights) weight = std::fabs(weight) < 1e100 ? weight : 1;
      const Kept<TypeParam> kept(values, {-1e30, 1e30});
      const MagnitudeRange magnitudes = magnitudes_of(weights.data(), weights.size());
      const MagnitudeRange known = add_products({kept.values, weights.data(), magnitudes, values.size()},
                                                sums[0], &sums[1], products.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = kept.values.values.at(i), product = weights[i] * value,
                     squared = product * value;
        EXPECT_EQ(products[i], product);
        EXPECT_LE(std::fabs(product), known.largest);
        EXPECT_TRUE(product == 0 || std::fabs(product) >= known.smallest);
        expected[0].add({&product, 1});
        expected[1].add({&squared, 1});
      }
    }
    for (int i = 0; i < 2; ++i) expect_same_sum(sums[i], expected[i]);
  }
}

// Multiples of powers of two beside numbers of all bits.
std::vector<double> random_multiples(std::mt19937_64& random) {
  std::vector<double> values = random_values<double>(random);
  const int exponent = static_cast<int>(random() % 2100) - 1074;
  for (double& value : values)
    if (random() % 3 > 0) value = std::ldexp(static_cast<double>(random() % 1000) - 500, exponent);
  return values;
}

TEST(MagnitudesOfNumbers, AreThoseOfAPlainLoop) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values = round % 2 == 0 ? random_values<double>(random) : random_multiples(random);
    double largest = 0, smallest = testing::kInfinity;
    for (const double value : values) {
      const double magnitude = std::fabs(value);
      largest = std::isnan(value) ? testing::kInfinity : std::max(largest, magnitude);
      if (magnitude > 0) smallest = std::min(smallest, magnitude);
    }
    const MagnitudeRange magnitudes = magnitudes_of(values.data(), values.size());
    EXPECT_EQ(magnitudes.largest, largest);
    if (!(largest < testing::kInfinity)) continue;
    EXPECT_EQ(magnitudes.smallest, smallest);
    if (magnitudes.unit == 0 || magnitudes.unit == testing::kInfinity) continue;
    for (const double value : values)
      ASSERT_EQ(std::fmod(value, magnitudes.unit), 0) << value << ' ' << magnitudes.unit;
  }
}

TEST(MagnitudesOfNumbers, KnowTheUnitOfNumbersWithFewBits) {
  EXPECT_EQ(magnitudes_of(std::vector{1.0, -1.0, 0.0, 4.0}.data(), 4).unit, 1);
  EXPECT_EQ(magnitudes_of(std::vector{1.5, 0.75}.data(), 2).unit, 0.25);
  EXPECT_EQ(magnitudes_of(std::vector{0.0}.data(), 1).unit, testing::kInfinity);
  EXPECT_EQ(magnitudes_of(std::vector{0.1}.data(), 1).unit, 0x1p-55);
  EXPECT_EQ(magnitudes_of(std::vector{1.0, 5e-324}.data(), 2).unit, 0);
}

}  // namespace
}  // namespace skimline::histograms
