// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/exact_sum.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  sum.add(values);
  return sum.value();
}

// Magnitudes over `decades` powers of ten, both signs, some zeros.
std::vector<double> wide_values(std::mt19937_64& random, std::size_t count, int decades) {
  std::normal_distribution<double> gauss;
  std::vector<double> values(count);
  for (double& value : values) {
    const int exponent = static_cast<int>(random() % static_cast<std::uint64_t>(decades + 1)) - decades / 2;
    value = random() % 20 == 0 ? 0.0 : gauss(random) * std::pow(10, exponent);
  }
  return values;
}

// Adds the values in random order, in random pieces, through a random tree of sums.
double shuffled_sum(std::vector<double> values, std::mt19937_64& random) {
  std::shuffle(values.begin(), values.end(), random);
  std::vector<ExactSum> sums(1 + random() % 8);
  for (std::size_t first = 0; first < values.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % 300, values.size() - first);
    sums[random() % sums.size()].add({values.data() + first, count});
    first += count;
  }
  while (sums.size() > 1) {
    std::swap(sums[random() % sums.size()], sums.back());
    const ExactSum last = sums.back();
    sums.pop_back();
    sums[random() % sums.size()].add(last);
  }
  return sums[0].value();
}

TEST(ExactSum, OfNothingIsZero) {
  EXPECT_EQ(ExactSum().value(), 0);
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({0.0, -0.0}), 0);
}

TEST(ExactSum, OfOneValueIsTheValue) {
  for (const double value : {1.0, -1.0, 0.1, 1e-200, 3e200, 0x1.fffffffffffffp100, -0x1.0000000000001p-300}) {
    EXPECT_EQ(sum_of({value}), value);
    EXPECT_EQ(sum_of({value, 0, -value}), 0);
  }
}

TEST(ExactSum, DoesNotDependOnOrderPiecesOrTree) {
  std::mt19937_64 random(1);
  for (const int decades : {0, 3, 20, 60, 250})
    for (int set = 0; set < 5; ++set) {
      const std::vector<double> values = wide_values(random, 2000, decades);
      const double expected = sum_of(values);
      for (int round = 0; round < 20; ++round)
        ASSERT_EQ(bits(shuffled_sum(values, random)), bits(expected)) << decades << " decades";
    }
}

TEST(ExactSum, DoesNotDependOnWhereTheLargestValueComes) {
  std::mt19937_64 random(2);
  std::vector<double> values = wide_values(random, 200, 4);
  for (const double large : {1e9, 1e17, 1e26, 1e40}) {
    values.push_back(large);
    const double expected = sum_of(values);
    for (std::size_t at = 0; at < values.size(); at += 13) {
      std::vector<double> moved = values;
      std::swap(moved[at], moved.back());
      ExactSum sum;
      for (const double value : moved) sum.add({&value, 1});
      ASSERT_EQ(bits(sum.value()), bits(expected));
    }
    values.pop_back();
  }
}

TEST(ExactSum, IsExactWhereTheBitsOfAllValuesFit) {
  // 0.1 is 3602879701896397 * 2^-55, times 10^6 an integer below 2^128, rounded once.
  __extension__ using Integer128 = __int128;
  const Integer128 exact = static_cast<Integer128>(3602879701896397) * 1'000'000;
  EXPECT_EQ(sum_of(std::vector<double>(1'000'000, 0.1)), std::ldexp(static_cast<double>(exact), -55));
}

// Halfway between two doubles, what lies a hundred bits below decides, however large the parts have become.
TEST(ExactSum, RoundsByTheLastOfItsBits) {
  for (const double even : {1.0, 0x1p20, -0x1p23, 0x1p-300, -0x1p900}) {
    const double odd = std::nextafter(even, 2 * even), next = std::nextafter(odd, 2 * even);
    const double half = (odd - even) / 2;
    const double last = std::copysign(SumWindow::of(std::fabs(even)).unit(2), even);
    const std::vector<std::pair<std::vector<double>, double>> sums{
        {{even, half}, even}, {{even, half, last}, odd}, {{even, half, -last}, even},
        {{odd, half}, next},  {{odd, half, last}, next}, {{odd, half, -last}, odd}};
    for (const auto& [values, expected] : sums) {
      ExactSum sum;
      sum.add(values);
      for (int doublings = 0; doublings <= 40; ++doublings) {
        ASSERT_EQ(sum.value(), std::ldexp(expected, doublings)) << even << ' ' << doublings;
        sum.add(ExactSum(sum));
      }
    }
  }
}

// However far they lie below the largest, and whichever comes first.
TEST(ExactSum, KeepsTheSmallestValues) {
  const std::vector<double> values{0x1p900, 0x1p-900, -0x1p40, 3.0, 0x1.8p-300, -0x1p-1000};
  for (std::size_t i = 0; i < values.size(); ++i) {
    ExactSum sum, sum_of_others;
    sum.add(values);
    for (std::size_t k = values.size(); k > 0; --k)
      if (k - 1 != i) sum_of_others.add(std::vector<double>{-values[k - 1]});
    sum.add(sum_of_others);
    EXPECT_EQ(sum.value(), values[i]);
  }
}

TEST(ExactSum, CountsTheSmallestValuesAsZero) {
  EXPECT_EQ(sum_of({5e-324}), 0);
  EXPECT_EQ(sum_of({0x1p-960, 5e-324}), 0x1p-960);
  EXPECT_EQ(sum_of({std::numeric_limits<double>::min(), 1.0}), 1.0);
  EXPECT_EQ(sum_of({0x1p900, 0x1p-1026, -0x1p900}), 0);
  EXPECT_EQ(sum_of({0x1p900, 0x1p-1025, -0x1p900}), 0x1p-1025);
}

TEST(ExactSum, BecomesInfiniteForGoodFromItsLimitOn) {
  EXPECT_EQ(sum_of({0x1.fp959}), 0x1.fp959);
  for (const double value : {0x1p960, -0x1p960, 1e300, std::numeric_limits<double>::infinity()}) {
    ExactSum sum, other;
    sum.add(std::vector<double>{value});
    sum.add(std::vector<double>{1.0, -2.0});
    EXPECT_TRUE(std::isinf(sum.value()));
    other.add(std::vector<double>{3.0});
    other.add(sum);
    EXPECT_TRUE(std::isinf(other.value()));
  }
}

TEST(SumWindow, IsTheLowestThatTakesTheMagnitude) {
  EXPECT_TRUE(SumWindow::of(0).is_empty());
  EXPECT_EQ(SumWindow::of(1), SumWindow::of(0x1.fffffffffffffp23));
  EXPECT_LT(SumWindow::of(1), SumWindow::of(0x1p24));
  EXPECT_EQ(SumWindow::of(1), SumWindow::of(0x1p-26));
  EXPECT_LT(SumWindow::of(0x1.fffffffffffffp-27), SumWindow::of(1));
}

TEST(SumWindow, ComesBackFromItsNumber) {
  for (const double magnitude : {0.0, 5e-324, 1e-200, 1.0, 1e200, 0x1.fp959})
    EXPECT_EQ(SumWindow::numbered(SumWindow::of(magnitude).number()), SumWindow::of(magnitude));
  EXPECT_THROW(SumWindow::numbered(20), Error);
  EXPECT_THROW(SumWindow::numbered(-19), Error);
}

}  // namespace
}  // namespace skimline::histograms
