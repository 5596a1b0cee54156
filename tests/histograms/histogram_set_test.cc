// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/histogram_set.h"

#include "histograms.h"
#include "special_numbers.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::constant_of;
using testing::expect_same_bits;
using testing::kInfinity;
using testing::kNan;
using testing::spec;
using testing::view_of;

Histogram filled(Axis axis, const ColumnView& values,
                 const std::optional<ColumnView>& weights = std::nullopt) {
  std::vector<ColumnView> columns{values};
  if (weights) columns.push_back(*weights);
  return testing::filled(spec({std::move(axis)}, weights ? Storage::kWeighted : Storage::kCount), columns);
}

// Fills one histogram of a set.
std::optional<Refusal> fill(HistogramSet& set, std::size_t slot, std::size_t id,
                            const std::vector<ColumnView>& columns) {
  return set.fill(slot, std::vector<std::size_t>{id}, columns);
}

TEST(HistogramSet, CountsUnweightedFills) {
  const std::vector<double> values{-1, 0, 0.5, 1, 1.9, 2, kInfinity, -kInfinity, kNan};
  const Histogram result = filled(Axis::regular(2, 0, 2), view_of(values));
  EXPECT_EQ(result.name, "h");
  EXPECT_EQ(result.title, "t");
  EXPECT_EQ(result.storage, Storage::kCount);
  EXPECT_EQ(result.contents(), (std::vector<double>{2, 2, 2, 3}));
  EXPECT_EQ(result.variances(), result.contents());
  EXPECT_EQ(result.entries, 9u);
  EXPECT_EQ(result.num_nan, 1u);
  EXPECT_EQ(result.statistics.weight, 4);
  EXPECT_EQ(result.statistics.weight_squared, 4);
  EXPECT_EQ(result.statistics.position[0], 3.4);
  EXPECT_EQ(result.statistics.position_squared[0], 0.25 + 1 + 1.9 * 1.9);
}

TEST(HistogramSet, AddsWeightsAndTheirSquares) {
  const std::vector<double> values{-1, 0.5, 0.5, 1.5, 3, kNan};
  const std::vector<double> weights{2, 3, -1, 0.5, 4, 8};
  const Histogram result = filled(Axis::variable({0, 1, 2}), view_of(values), view_of(weights));
  EXPECT_EQ(result.storage, Storage::kWeighted);
  EXPECT_EQ(result.contents(), (std::vector<double>{2, 2, 0.5, 12}));
  EXPECT_EQ(result.variances(), (std::vector<double>{4, 10, 0.25, 80}));
  EXPECT_EQ(result.entries, 6u);
  EXPECT_EQ(result.num_nan, 1u);
  EXPECT_EQ(result.statistics.weight, 2.5);
  EXPECT_EQ(result.statistics.weight_squared, 10.25);
  EXPECT_EQ(result.statistics.position[0], 1.75);
  EXPECT_EQ(result.statistics.position_squared[0], 1.625);
}

TEST(HistogramSet, IsZeroWithoutFills) {
  HistogramSet set;
  EXPECT_TRUE(set.reduce().empty());
  set.add(spec({Axis::regular(3, 0, 1)}, Storage::kWeighted));
  const Histogram result = set.reduce().at(0);
  EXPECT_EQ(result.contents(), std::vector<double>(5, 0.0));
  EXPECT_EQ(result.entries, 0u);
  expect_same_bits(filled(Axis::regular(3, 0, 1), view_of<double>({}), view_of<double>({})), result);
}

template <typename T>
class HistogramSetOf : public ::testing::Test {};
using Scalars = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                 std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(HistogramSetOf, Scalars);

TYPED_TEST(HistogramSetOf, FillsAsTheSameDoubles) {
  std::vector<TypeParam> values, weights;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(static_cast<TypeParam>(i % 23));
    weights.push_back(static_cast<TypeParam>(i % 7));
  }
  const std::vector<double> value_doubles(values.begin(), values.end());
  const std::vector<double> weight_doubles(weights.begin(), weights.end());
  const Axis axis = Axis::regular(10, 3, 20);
  expect_same_bits(filled(axis, view_of(values), view_of(weights)),
                   filled(axis, view_of(value_doubles), view_of(weight_doubles)));
  expect_same_bits(filled(axis, view_of(values)), filled(axis, view_of(value_doubles)));
}

TYPED_TEST(HistogramSetOf, FillsAConstantAsManyEqualValues) {
  const TypeParam value = 5, weight = 3;
  const std::vector<TypeParam> values(2500, value), weights(2500, weight);
  const Axis axis = Axis::regular(10, 0, 10);
  const Histogram expected = filled(axis, view_of(values), view_of(weights));
  EXPECT_EQ(expected.contents()[6], 7500);
  expect_same_bits(filled(axis, constant_of(value, 2500), constant_of(weight, 2500)), expected);
  expect_same_bits(filled(axis, constant_of(value, 2500), view_of(weights)), expected);
  expect_same_bits(filled(axis, view_of(values), constant_of(weight, 2500)), expected);
}

TEST(HistogramSet, FillsBooleans) {
  const bool values[] = {true, false, true};
  const ColumnView view{.type = flat(ScalarType::kBool), .length = 3, .values = values};
  EXPECT_EQ(filled(Axis::regular(2, 0, 2), view).contents(), (std::vector<double>{0, 1, 2, 0}));
}

// Sums in long double of the doubles that are filled; the histogram may differ by its stated error only.
TEST(HistogramSet, AgreesWithAPlainLoop) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> gauss;
  std::vector<double> values(20000), weights(20000);
  for (double& value : values) value = gauss(random);
  for (double& weight : weights) weight = gauss(random);
  const std::vector<double> edges{-2, -1, -0.5, 0, 0.1, 3};
  std::vector<long double> contents(7), variances(7);
  long double sum_x = 0, sum_x_squared = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto cell = std::upper_bound(edges.begin(), edges.end(), values[i]) - edges.begin();
    contents[cell] += weights[i];
    variances[cell] += weights[i] * weights[i];
    if (cell == 0 || cell == 6) continue;
    sum_x += weights[i] * values[i];
    sum_x_squared += weights[i] * values[i] * values[i];
  }
  const Histogram result = filled(Axis::variable(edges), view_of(values), view_of(weights));
  for (std::size_t cell = 0; cell < contents.size(); ++cell) {
    EXPECT_NEAR(result.contents()[cell], static_cast<double>(contents[cell]), 1e-12);
    EXPECT_NEAR(result.variances()[cell], static_cast<double>(variances[cell]), 1e-11);
  }
  EXPECT_NEAR(result.statistics.position[0], static_cast<double>(sum_x), 1e-11);
  EXPECT_NEAR(result.statistics.position_squared[0], static_cast<double>(sum_x_squared), 1e-11);
}

// The last edge often stands for infinity: the moments must be as exact as with a near one.
TEST(HistogramSet, KeepsItsMomentsWhateverTheRange) {
  const std::vector<double> values{1.5, 7, 42.25, 50}, weights{1, 2, 0.5, -1};
  const Histogram expected = filled(Axis::variable({0, 10, 100}), view_of(values), view_of(weights));
  EXPECT_EQ(expected.statistics.position_squared[0], 2.25 + 98 + 0.5 * 42.25 * 42.25 - 2500);
  for (const double last : {1e6, 1e9, 1e15, 1e150, 1e300}) {
    const Histogram result = filled(Axis::variable({0, 10, last}), view_of(values), view_of(weights));
    EXPECT_EQ(result.statistics.position[0], expected.statistics.position[0]) << last;
    EXPECT_EQ(result.statistics.position_squared[0], expected.statistics.position_squared[0]) << last;
  }
}

struct WideEvents {
  std::vector<double> values, weights;
};

// Weights over many magnitudes, so that windows rise again and again.
WideEvents wide_events(std::size_t count) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> gauss;
  WideEvents events;
  for (std::size_t i = 0; i < count; ++i) {
    events.values.push_back(random() % 100 == 0 ? kNan : gauss(random) * 2);
    events.weights.push_back(gauss(random) * std::pow(10, static_cast<int>(random() % 24) - 12));
  }
  return events;
}

std::vector<Histogram> filled_in_pieces(const WideEvents& events, std::size_t num_slots, std::uint64_t seed) {
  HistogramSet set;
  set.add(spec({Axis::regular(50, -3, 3)}, Storage::kWeighted));
  set.add(spec({Axis::variable({-4, -1, 0, 0.5, 2, 5})}, Storage::kWeighted));
  set.add(spec({Axis::regular(50, -3, 3)}, Storage::kCount));
  std::mt19937_64 random(seed);
  struct Piece {
    std::size_t first, count;
  };
  std::vector<Piece> pieces;
  for (std::size_t first = 0; first < events.values.size(); first += pieces.back().count)
    pieces.push_back({first, std::min<std::size_t>(1 + random() % 3000, events.values.size() - first)});
  std::shuffle(pieces.begin(), pieces.end(), random);
  for (const Piece& piece : pieces) {
    const ColumnView values = view_of(events.values, piece.first, piece.count);
    const ColumnView weights = view_of(events.weights, piece.first, piece.count);
    const std::size_t slot = random() % num_slots;
    for (std::size_t id = 0; id < 2; ++id) EXPECT_FALSE(fill(set, slot, id, {values, weights}));
    EXPECT_FALSE(fill(set, slot, 2, {values}));
  }
  return set.reduce();
}

TEST(HistogramSet, HasTheSameBitsForAnyOrderAndPartition) {
  const WideEvents events = wide_events(60000);
  const std::vector<Histogram> expected = filled_in_pieces(events, 1, 0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Histogram> results = filled_in_pieces(events, 1 + seed % 9, seed);
    for (std::size_t id = 0; id < expected.size(); ++id) expect_same_bits(results[id], expected[id]);
  }
}

TEST(HistogramSet, HasTheSameBitsFromManyThreads) {
  const WideEvents events = wide_events(60000);
  const Histogram expected =
      filled(Axis::regular(50, -3, 3), view_of(events.values), view_of(events.weights));
  HistogramSet set;
  set.add(spec({Axis::regular(50, -3, 3)}, Storage::kWeighted));
  constexpr std::size_t kThreads = 6;
  std::vector<std::thread> threads;
  for (std::size_t slot = 0; slot < kThreads; ++slot)
    threads.emplace_back([&, slot] {
      const std::size_t count = events.values.size() / kThreads;
      fill(set, slot, 0,
           {view_of(events.values, slot * count, count), view_of(events.weights, slot * count, count)});
    });
  for (std::thread& thread : threads) thread.join();
  expect_same_bits(set.reduce().at(0), expected);
}

TEST(HistogramSet, ReducesHistogramsOfManyBlocks) {
  HistogramSet set;
  set.add(spec({Axis::regular(20000, 0, 20000)}, Storage::kWeighted));
  std::vector<double> values(20000), weights(20000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i);
    weights[i] = static_cast<double>(i % 11);
  }
  for (const std::size_t slot : {0, 3, 4095})
    EXPECT_FALSE(fill(set, slot, 0, {view_of(values), view_of(weights)}));
  const Histogram result = set.reduce().at(0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(result.contents()[i + 1], 3 * weights[i]);
    ASSERT_EQ(result.variances()[i + 1], 3 * weights[i] * weights[i]);
  }
}

TEST(HistogramSet, ReducesTwiceToTheSame) {
  const WideEvents events = wide_events(5000);
  HistogramSet set;
  set.add(spec({Axis::regular(50, -3, 3)}, Storage::kWeighted));
  fill(set, 2, 0, {view_of(events.values), view_of(events.weights)});
  expect_same_bits(set.reduce().at(0), set.reduce().at(0));
}

TEST(HistogramSet, NamesTheFirstWeightItCannotAdd) {
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e200, -1e300, 0x1p480})
    for (const std::size_t at : {0, 1, 1023, 1024, 2500}) {
      HistogramSet set;
      set.add(spec({Axis::regular(2, 0, 1)}, Storage::kWeighted));
      const std::vector<double> values(3000, 0.5);
      std::vector<double> weights(3000, 1.0);
      weights[at] = weights[2999] = bad;
      const auto refused = fill(set, 0, 0, {view_of(values), view_of(weights)});
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->index, at);
      EXPECT_EQ(refused->column, 1u);
    }
  const double bad = kNan;
  HistogramSet set;
  set.add(spec({Axis::regular(2, 0, 1)}, Storage::kWeighted));
  EXPECT_EQ(fill(set, 0, 0, {constant_of(0.5, 10), constant_of(bad, 10)})->index, 0u);
}

TEST(HistogramSet, AddsTheLargestWeightsItTakes) {
  const std::vector<double> values{0.5, 0.5}, weights{0x1.fp479, -0x1p-400};
  const Histogram result = filled(Axis::regular(1, 0, 1), view_of(values), view_of(weights));
  EXPECT_EQ(result.contents()[1], 0x1.fp479);
  EXPECT_EQ(result.variances()[1], 0x1.fp479 * 0x1.fp479);
}

TEST(HistogramSet, RefusesMisuse) {
  const std::vector<double> values{1};
  HistogramSet set;
  set.add(spec({Axis::regular(1, 0, 1)}, Storage::kCount));
  set.add(spec({Axis::regular(1, 0, 1)}, Storage::kWeighted));
  EXPECT_THROW(fill(set, 0, 0, {view_of(values), view_of(values)}), InternalError);
  EXPECT_THROW(fill(set, 0, 1, {view_of(values)}), InternalError);
  fill(set, 0, 0, {view_of(values)});
  EXPECT_THROW(set.add(spec({Axis::regular(1, 0, 1)}, Storage::kCount)), InternalError);
}

TEST(HistogramFill, FillsItsHistogram) {
  HistogramSet set;
  set.add(spec({Axis::regular(1, 0, 2)}, Storage::kCount));
  set.add(spec({Axis::regular(1, 0, 2)}, Storage::kWeighted));
  HistogramFill counted(set, {0}), weighted(set, {1});
  const std::vector<double> values{1, 1}, weights{2, 3}, bad{2, kNan};
  const std::vector<ColumnView> one{view_of(values)}, two{view_of(values), view_of(weights)};
  EXPECT_FALSE(counted.fill(0, one));
  EXPECT_FALSE(weighted.fill(1, two));
  EXPECT_EQ(set.reduce()[0].contents()[1], 2);
  EXPECT_EQ(set.reduce()[1].contents()[1], 5);
  EXPECT_EQ(weighted.fill(1, std::vector<ColumnView>{view_of(values), view_of(bad)})->index, 1u);
}

}  // namespace
}  // namespace skimline::histograms
