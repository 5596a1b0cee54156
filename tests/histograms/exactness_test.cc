// SPDX-License-Identifier: BSD-3-Clause
// Sums of histograms against sums without rounding, within the error that exact_sum.h states: half an ulp of
// the result, and 2^-1026 for each term.
#include "histograms.h"
#include "naive_fill.h"
#include "random_fills.h"

#include "skimline/histograms/histogram_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::BigSum;
using testing::Magnitudes;
using testing::naive_fill;
using testing::NaiveHistogram;
using testing::NaiveSum;
using testing::random_fills;
using testing::RandomFills;

long double half_ulp(double value) {
  const double magnitude = std::fabs(value);
  return (std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude) / 2.0L;
}

// Absolute errors of all sums that were judged, as fractions of the largest term.
struct Errors {
  long double ours = 0, plain = 0;

  // `largest` is that of the terms of all cells.
  void judge(double result, const NaiveSum& expected, double largest) {
    const long double error = std::fabs(expected.exact.minus(result));
    const long double cut = std::ldexp(static_cast<long double>(expected.terms), -1026);
    ASSERT_LE(error, cut + half_ulp(result)) << result << " with " << expected.terms << " terms";
    const long double of_plain = std::fabs(expected.exact.minus(expected.plain));
    ASSERT_LE(error, of_plain + 2 * cut) << result << ", plainly " << expected.plain;
    if (largest == 0) return;
    ours += error / largest;
    plain += of_plain / largest;
  }
};

void judge_cells(const Histogram& result, const NaiveHistogram& expected, Errors& errors) {
  for (std::size_t sum = 0; sum < num_sums(result.storage); ++sum) {
    const std::vector<double>& values = result.sums[sum];
    const auto filled = [&](std::size_t cell) { return expected.cells.count(cell) != 0; };
    for (std::size_t cell = 0; cell < values.size(); ++cell)
      ASSERT_TRUE(filled(cell) || values[cell] == 0) << "cell " << cell;
    for (const auto& [cell, sums] : expected.cells) {
      ASSERT_LT(cell, values.size());
      errors.judge(values[cell], sums[sum], expected.largest[sum]);
    }
  }
}

void judge_statistics(const Histogram& result, const NaiveHistogram& expected, Errors& errors) {
  const Statistics& statistics = result.statistics;
  const double totals[] = {statistics.weight, statistics.weight_squared, statistics.weighted_value,
                           statistics.weighted_value_squared};
  const std::size_t num_totals = std::max<std::size_t>(2, num_sums(result.storage));
  for (std::size_t sum = 0; sum < num_totals; ++sum)
    errors.judge(totals[sum], expected.totals[sum], expected.largest[sum]);
  std::vector<double> positions = statistics.position;
  for (const auto* more : {&statistics.position_squared, &statistics.position_product})
    positions.insert(positions.end(), more->begin(), more->end());
  ASSERT_EQ(positions.size(), expected.positions.size());
  for (std::size_t sum = 0; sum < positions.size(); ++sum)
    errors.judge(positions[sum], expected.positions[sum], expected.largest_position[sum]);
}

Errors judged(const RandomFills& fills) {
  HistogramSet set;
  set.add(fills.spec);
  EXPECT_FALSE(set.fill(0, std::vector<std::size_t>{0}, fills.columns(0, fills.size)));
  const Histogram result = set.reduce(0);
  const NaiveHistogram expected = naive_fill(fills, result.axes);
  EXPECT_EQ(result.entries, fills.size);
  EXPECT_EQ(result.num_nan, expected.num_nan);
  Errors errors;
  judge_cells(result, expected, errors);
  judge_statistics(result, expected, errors);
  return errors;
}

class Exactness : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Exactness, ::testing::Range(0, 100));

TEST_P(Exactness, OfRandomHistograms) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  for (const Magnitudes magnitudes :
       {Magnitudes::kNear, Magnitudes::kWhole, Magnitudes::kWide, Magnitudes::kCancelling})
    judged(random_fills(random, 1 + random() % 3000, magnitudes));
}

// Many fills of few cells, where plain summation loses most.
TEST(ExactnessOfManyFills, IsBetterThanThatOfPlainSummation) {
  std::mt19937_64 random(1);
  for (const Storage storage : {Storage::kWeighted, Storage::kProfile})
    for (const Magnitudes magnitudes : {Magnitudes::kNear, Magnitudes::kWide}) {
      constexpr std::size_t kFills = 200'000;
      RandomFills fills;
      fills.spec = testing::spec({Axis::regular(3, 0, 3)}, storage);
      fills.size = kFills;
      std::vector<double> positions(kFills);
      for (double& x : positions) x = static_cast<double>(random() % 3000) / 1000;
      fills.axes.push_back({.numbers = std::move(positions), .floats = {}, .integers = {}, .names = {}});
      fills.weights.resize(kFills);
      for (double& weight : fills.weights) weight = testing::random_magnitude(random, magnitudes);
      if (storage == Storage::kProfile) fills.values = fills.weights;
      const Errors errors = judged(fills);
      EXPECT_LT(errors.ours, errors.plain / 10);
    }
}

// Where the lowest parts of a sum would be smaller than doubles can be.
TEST(ExactnessOfTinyWeights, EndsWhereDoublesDo) {
  std::mt19937_64 random(1);
  for (int exponent = -260; exponent > -324; --exponent) {
    RandomFills fills;
    fills.spec = testing::spec({Axis::regular(1, 0, 1)}, Storage::kWeighted);
    fills.size = 300;
    fills.axes.push_back(
        {.numbers = std::vector<double>(fills.size, 0.5), .floats = {}, .integers = {}, .names = {}});
    for (std::size_t i = 0; i < fills.size; ++i)
      fills.weights.push_back(testing::random_magnitude(random, Magnitudes::kNear) *
                              std::pow(10.0, exponent - static_cast<int>(random() % 20)));
    judged(fills);
  }
}

// The categories of growing axes, booked or met, in increasing order.
TEST(ExactnessOfCategories, GrowingOnesAreThoseMetInOrder) {
  const std::vector<std::string_view> names{"top", "W", "", "top", "data"};
  const Histogram texts =
      testing::filled(testing::spec({Axis::categories(std::vector<std::string>{"Z"}, true)}, Storage::kCount),
                      {testing::view_of(names)});
  EXPECT_EQ(texts.axes[0].names(), (std::vector<std::string>{"", "W", "Z", "data", "top"}));
  EXPECT_EQ(texts.contents(), (std::vector<double>{0, 1, 1, 0, 1, 2, 0}));
  const std::vector<std::int64_t> pdg{211, -211, 13, 211};
  const Histogram numbers = testing::filled(
      testing::spec({Axis::categories(std::vector<std::int64_t>{13, 11}, true)}, Storage::kCount),
      {testing::view_of(pdg)});
  EXPECT_EQ(numbers.axes[0].numbers(), (std::vector<std::int64_t>{-211, 11, 13, 211}));
  EXPECT_EQ(numbers.contents(), (std::vector<double>{0, 1, 0, 1, 2, 0}));
}

TEST(BigSum, HasNoRounding) {
  BigSum sum;
  for (const double value : {1e300, 1.0, 5e-324, -1e300, 1.7e308, 1.7e308, -0.1}) sum.add(value);
  EXPECT_GT(sum.minus(1.7e308), 1.6e308L);
  for (const double value : {-1.7e308, -1.7e308, -1.0, 0.1}) sum.add(value);
  EXPECT_EQ(sum.minus(0), static_cast<long double>(5e-324));
  EXPECT_EQ(sum.minus(1e-323), -static_cast<long double>(5e-324));
  EXPECT_EQ(BigSum().minus(-3), 3);
}

}  // namespace
}  // namespace skimline::histograms
