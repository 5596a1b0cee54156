// SPDX-License-Identifier: BSD-3-Clause
// The largest and smallest numbers, very many fills, and what is no number at all.
#include "histograms.h"
#include "special_numbers.h"

#include "skimline/histograms/histogram_set.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::constant_of;
using testing::filled;
using testing::kInfinity;
using testing::kNan;
using testing::spec;
using testing::view_of;

constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
const std::vector<std::size_t> kFirst{0};
constexpr double kInside = 0.5;

HistogramSpec one_bin(Storage storage, BadWeights bad_weights = BadWeights::kRefuse) {
  HistogramSpec booked = spec({Axis::regular(1, 0, 1)}, storage);
  booked.bad_weights = bad_weights;
  return booked;
}

Histogram weighted(const std::vector<double>& weights) {
  return filled(one_bin(Storage::kWeighted), {constant_of(kInside, weights.size()), view_of(weights)});
}

TEST(Extremes, WeightsOverSixtyDecadesKeepAllAndCancel) {
  const std::vector<double> weights{1e30, 1e-30, -3e15, 7, 1e-15, -1e30, 3e15, -7, -1e-15, 2e-30};
  EXPECT_EQ(weighted(weights).contents()[1], 1e-30 + 2e-30);
  const std::vector<double> large{1e30, 1, -1e30, 0.5};
  EXPECT_EQ(weighted(large).contents()[1], 1.5);
  const std::vector<double> small{1e-30, 1e-30, -1e-30};
  EXPECT_EQ(weighted(small).contents()[1], 1e-30);
}

// The sums follow by integers. Fewer fills where they are slow: without optimisation, or instrumented.
TEST(Extremes, ABillionFillsOfOneWeight) {
#if defined(NDEBUG) && !defined(SKIMLINE_SANITIZED)
  constexpr std::uint64_t kFills = 1'000'000'000;
#else
  constexpr std::uint64_t kFills = 10'000'000;
#endif
  // 23 and 46 significant bits: products with a billion do not fit into a double unless bits are zero.
  const double weight = 1 + 0x1p-22, square = 1 + 0x1p-21 + 0x1p-44;
  HistogramSet set;
  const std::vector<std::size_t> ids{set.add(spec({Axis::regular(3, 0, 3)}, Storage::kWeighted))};
  for (const double x : {0.5, 1.5})
    EXPECT_FALSE(set.fill(0, ids, std::vector{constant_of(x, kFills / 2), constant_of(weight, kFills / 2)}));
  const Histogram result = set.reduce(0);
  constexpr auto kHalf = static_cast<Integer128>(kFills / 2);
  const auto content = static_cast<double>(kHalf * ((1 << 22) + 1)) * 0x1p-22;
  const auto variance =
      static_cast<double>(kHalf * ((Integer128{1} << 44) + (Integer128{1} << 23) + 1)) * 0x1p-44;
  ASSERT_EQ(weight * weight, square);
  EXPECT_EQ(result.contents(), (std::vector<double>{0, content, content, 0, 0}));
  EXPECT_EQ(result.variances(), (std::vector<double>{0, variance, variance, 0, 0}));
  EXPECT_EQ(result.entries, kFills);
  EXPECT_EQ(result.statistics.weight, 2 * content);
  EXPECT_EQ(result.statistics.position[0], 2 * content);  // 0.5 and 1.5: one on average
}

// Bits all over the places, of which some hundred fills of one weight outgrow 60 bits: within a cell, or
// where the cells of several slots are added up.
TEST(Extremes, HundredsOfFillsOfOneWeight) {
  const auto times = [](double value, std::uint64_t count) {
    int exponent = 0;
    const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    return std::ldexp(static_cast<double>(static_cast<Integer128>(digits) * count), exponent - 53);
  };
  for (const double weight : {1.0 / 3, 0.1, -0.7, 1e10 / 7, 0.001234567890123, 1e300 / 3e299})
    for (const std::size_t fills : {300u, 500u, 700u, 1000u, 2000u, 100'000u})
      for (const std::size_t slots : {1u, 2u, 5u, 20u}) {
        HistogramSet set;
        set.add(one_bin(Storage::kWeighted));
        for (std::size_t slot = 0; slot < slots; ++slot)
          EXPECT_FALSE(
              set.fill(slot, kFirst, std::vector{constant_of(kInside, fills), constant_of(weight, fills)}));
        const Histogram result = set.reduce(0);
        EXPECT_EQ(result.contents()[1], times(weight, fills * slots))
            << weight << " " << fills << " " << slots;
        EXPECT_EQ(result.variances()[1], times(weight * weight, fills * slots));
      }
}

// The last bit of a sum of the largest.
TEST(Extremes, ManyFillsOfTheLargestWeights) {
  const double weight = 0x1.fffffffffffffp479;
  HistogramSet set;
  set.add(one_bin(Storage::kWeighted));
  constexpr std::size_t kFills = 1 << 20;
  EXPECT_FALSE(set.fill(0, kFirst, std::vector{constant_of(kInside, kFills), constant_of(weight, kFills)}));
  EXPECT_EQ(set.reduce(0).contents()[1], std::ldexp(weight, 20));
  EXPECT_EQ(set.reduce(0).variances()[1], std::ldexp(weight * weight, 20));
  EXPECT_FALSE(set.fill(1, kFirst, std::vector{constant_of(kInside, kFills), constant_of(-weight, kFills)}));
  EXPECT_EQ(set.reduce(0).contents()[1], 0);
}

TEST(Extremes, WeightsAroundTheLimit) {
  for (const double sign : {1.0, -1.0}) {
    const double largest = sign * std::nextafter(SumWindow::kLimit, 0), limit = sign * SumWindow::kLimit;
    EXPECT_EQ(weighted({largest}).contents()[1], largest);
    EXPECT_EQ(weighted({largest}).variances()[1], largest * largest);
    const std::vector<double> weights{1, limit, 2};
    HistogramSet set;
    set.add(one_bin(Storage::kWeighted));
    const auto refused = set.fill(0, kFirst, std::vector{constant_of(kInside, 3), view_of(weights)});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->index, 1u);
    EXPECT_EQ(refused->column, 1u);
    const Histogram skipped =
        filled(one_bin(Storage::kWeighted, BadWeights::kSkip), {constant_of(kInside, 3), view_of(weights)});
    EXPECT_EQ(skipped.contents()[1], 3);
    EXPECT_EQ(skipped.entries, 2u);
    EXPECT_EQ(skipped.num_bad_weights, 1u);
  }
}

// 2^64 - 1 has the bits of -1.
TEST(Extremes, UnsignedNumbersBeyondAllCategories) {
  const std::vector<std::uint64_t> numbers{7, ~std::uint64_t{0}, 7};
  const auto booked = [](bool is_growing) {
    return spec({Axis::categories(std::vector<std::int64_t>{-1, 7}, is_growing)}, Storage::kCount);
  };
  EXPECT_EQ(filled(booked(false), {view_of(numbers)}).contents(), (std::vector<double>{0, 0, 2, 1}));
  HistogramSet set;
  set.add(booked(true));
  const auto refused = set.fill(0, kFirst, std::vector{view_of(numbers)});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->index, 1u);
  EXPECT_EQ(refused->problem, "a new category of 2^63 or more,");
}

TEST(Extremes, ZerosOfEitherSignAndDenormals) {
  const Histogram zeros = weighted({0.0, -0.0, -0.0});
  EXPECT_EQ(zeros.contents()[1], 0);
  EXPECT_FALSE(std::signbit(zeros.contents()[1]));
  EXPECT_EQ(zeros.entries, 3u);
  // Below 2^-1025 nothing is counted; beside larger weights nothing is lost of their sum.
  EXPECT_NEAR(weighted({kSmallest, 0x1p-1022}).contents()[1], 0x1p-1022, 0x1p-1025);
  EXPECT_EQ(weighted({kSmallest, 1, -kSmallest}).contents()[1], 1);
  const std::vector<double> positions{0.0, -0.0, kSmallest, -kSmallest};
  const Histogram at_edge = filled(one_bin(Storage::kCount), {view_of(positions)});
  EXPECT_EQ(at_edge.contents(), (std::vector<double>{1, 3, 0}));
  EXPECT_EQ(at_edge.num_nan, 0u);
}

TEST(Extremes, InfinitePositionsAreFlowAndNanIsCounted) {
  const std::vector<double> positions{kInfinity, -kInfinity, kNan, -kNan, 0.5};
  const Histogram result = filled(one_bin(Storage::kCount), {view_of(positions)});
  EXPECT_EQ(result.contents(), (std::vector<double>{1, 1, 3}));
  EXPECT_EQ(result.num_nan, 2u);
  EXPECT_EQ(result.statistics.weight, 1);
  EXPECT_EQ(result.statistics.position[0], 0.5);
}

TEST(Extremes, RefusesTheFirstNanPosition) {
  for (const std::size_t at : {0, 511, 512, 2999})
    for (const std::size_t column : {0, 1, 2}) {
      std::vector<std::vector<double>> positions(3, std::vector<double>(3000, 0.5));
      positions[column][at] = positions[0][2999] = kNan;
      HistogramSpec booked =
          spec({Axis::regular(1, 0, 1), Axis::variable({0, 1, 2}), Axis::integer(0, 3)}, Storage::kCount);
      booked.nan_positions = NanPositions::kRefuse;
      HistogramSet set;
      set.add(booked);
      const auto refused = set.fill(
          0, kFirst, std::vector{view_of(positions[0]), view_of(positions[1]), view_of(positions[2])});
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->index, at);
      EXPECT_EQ(refused->column, at == 2999 ? 0 : column);
    }
}

TEST(Extremes, SkipsAndCountsEveryWeightThatCannotBeAdded) {
  std::mt19937_64 random(1);
  std::vector<double> weights;
  double sum = 0;
  std::uint64_t num_bad = 0;
  for (int i = 0; i < 5000; ++i) {
    const double bad[] = {kNan, -kNan, kInfinity, -kInfinity, 1e300, -0x1p480};
    const bool is_bad = random() % 7 == 0;
    weights.push_back(is_bad ? bad[random() % 6] : static_cast<double>(random() % 100));
    sum += is_bad ? 0 : weights.back();
    num_bad += is_bad ? 1 : 0;
  }
  const Histogram result =
      filled(one_bin(Storage::kWeighted, BadWeights::kSkip), {constant_of(kInside, 5000), view_of(weights)});
  EXPECT_EQ(result.contents(), (std::vector<double>{0, sum, 0}));
  EXPECT_EQ(result.statistics.position[0], sum / 2);
  EXPECT_EQ(result.num_bad_weights, num_bad);
  EXPECT_EQ(result.entries, 5000 - num_bad);
}

struct BadProfileFill {
  double value, weight;
  std::size_t column;  // that is named: 1 the value, 2 the weight
};

// A product that overflows is as bad as a value that is infinite.
TEST(Extremes, ProfilesRefuseWhatTheyCannotAdd) {
  const std::vector<BadProfileFill> bad{{kNan, 1, 1},  {kInfinity, 1, 1}, {1e300, 1, 1},   {1, kNan, 2},
                                        {1, 1e200, 2}, {1e150, 1e144, 1}, {1e155, 1e20, 1}};
  for (const BadProfileFill& one : bad) {
    const std::vector<double> values{2, one.value, 3}, weights{1, one.weight, 4};
    const std::vector<ColumnView> columns{constant_of(kInside, 3), view_of(values), view_of(weights)};
    HistogramSet set;
    set.add(one_bin(Storage::kProfile));
    const auto refused = set.fill(0, kFirst, columns);
    ASSERT_TRUE(refused) << one.value << ' ' << one.weight;
    EXPECT_EQ(refused->index, 1u);
    EXPECT_EQ(refused->column, one.column) << one.value << ' ' << one.weight;
    const Histogram skipped = filled(one_bin(Storage::kProfile, BadWeights::kSkip), columns);
    EXPECT_EQ(skipped.sums[kWeight][1], 5);
    EXPECT_EQ(skipped.sums[kWeightedValue][1], 14);
    EXPECT_EQ(skipped.sums[kWeightedValueSquared][1], 40);
    EXPECT_EQ(skipped.entries, 2u);
    EXPECT_EQ(skipped.num_bad_weights, 1u);
  }
}

TEST(Extremes, ProfilesTakeLargeValues) {
  const std::vector<double> values{1e120, -1e120}, weights{1e20, 1e20};
  const Histogram result =
      filled(one_bin(Storage::kProfile), {constant_of(kInside, 2), view_of(values), view_of(weights)});
  EXPECT_EQ(result.sums[kWeightedValue][1], 0);
  EXPECT_EQ(result.sums[kWeightedValueSquared][1], 2 * (1e20 * 1e120 * 1e120));
}

// In a block the first column that is looked at must not win over an earlier fill.
void expect_first_refused(const Axis& other) {
  std::vector<double> positions(100, 0.5), first(100, 1.0), second(100, 1.0);
  positions[60] = first[50] = second[40] = kNan;
  const std::vector<std::int64_t> numbers(100, 7);
  HistogramSpec booked = spec({Axis::regular(1, 0, 1), other}, Storage::kWeighted);
  booked.nan_positions = NanPositions::kRefuse;
  HistogramSet set;
  set.add(booked);
  set.add(booked);
  const auto refused =
      set.fill(0, std::vector<std::size_t>{0, 1},
               std::vector{view_of(positions), view_of(numbers), view_of(first), view_of(second)});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->index, 40u);
  EXPECT_EQ(refused->column, 3u);
}

TEST(Extremes, NamesTheFirstFillWhateverIsWrongWithIt) {
  expect_first_refused(Axis::integer(0, 9));
  expect_first_refused(Axis::categories(std::vector<std::int64_t>{}, true));
}

// What is left out of the sums is neither an entry nor counted as NaN of one.
TEST(Extremes, ASkippedFillAtNanIsCountedOnce) {
  const std::vector<double> positions{kNan, 0.5}, weights{kNan, 1};
  const Histogram result =
      filled(one_bin(Storage::kWeighted, BadWeights::kSkip), {view_of(positions), view_of(weights)});
  EXPECT_EQ(result.entries, 1u);
  EXPECT_EQ(result.num_bad_weights, 1u);
  EXPECT_EQ(result.num_nan, 0u);
}

// What is left out brings no category, at the beginning of a block, within it, or as all of it.
TEST(Extremes, ASkippedFillBringsNoCategory) {
  HistogramSpec booked = spec({Axis::categories(std::vector<std::int64_t>{}, true),
                               Axis::categories(std::vector<std::string>{}, true)},
                              Storage::kWeighted);
  booked.bad_weights = BadWeights::kSkip;
  const std::vector<std::int64_t> numbers{7, 3, 9, 3, 5};
  const std::vector<std::string_view> names{"z", "b", "y", "a", "b"};
  const std::vector<double> weights{kNan, 1, kInfinity, 2, 4};
  const Histogram result = filled(booked, {view_of(numbers), view_of(names), view_of(weights)});
  EXPECT_EQ(result.axes[0].numbers(), (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(result.axes[1].names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(result.contents(), (std::vector<double>{0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(result.entries, 3u);
  const Histogram none =
      filled(booked, {view_of(numbers), view_of(names), constant_of(kNan, numbers.size())});
  EXPECT_TRUE(none.axes[0].numbers().empty());
  EXPECT_TRUE(none.axes[1].names().empty());
  EXPECT_EQ(none.entries, 0u);
  EXPECT_EQ(none.num_bad_weights, 5u);
}

// Infinity has no place on a circle, but is a number.
TEST(Extremes, InfinityOnACircleIsOverflow) {
  const std::vector<double> positions{kInfinity, -kInfinity, 0.5};
  const Histogram result =
      filled(spec({Axis::regular(2, 0, 1, {.circular = true})}, Storage::kCount), {view_of(positions)});
  EXPECT_EQ(result.contents(), (std::vector<double>{0, 0, 1, 2}));
  EXPECT_EQ(result.num_nan, 0u);
}

}  // namespace
}  // namespace skimline::histograms
