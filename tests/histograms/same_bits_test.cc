// SPDX-License-Identifier: BSD-3-Clause
// The same fills give the same bits, whoever fills them in whatever pieces, wherever the cells are, and
// however the results are added.
#include "histograms.h"
#include "random_fills.h"

#include "skimline/histograms/histogram_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

using testing::expect_same_bits;
using testing::Magnitudes;
using testing::random_fills;
using testing::RandomFills;
using testing::view_of;

using Collection = std::vector<RandomFills>;

Collection random_collection(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr Magnitudes kMagnitudes[] = {Magnitudes::kNear, Magnitudes::kWhole, Magnitudes::kWide,
                                        Magnitudes::kCancelling};
  Collection collection;
  for (const Magnitudes magnitudes : kMagnitudes)
    collection.push_back(random_fills(random, 1 + random() % 3000, magnitudes));
  return collection;
}

HistogramSet booked(const Collection& collection, HistogramSetOptions options) {
  HistogramSet set(options);
  for (const RandomFills& fills : collection) set.add(fills.spec);
  return set;
}

std::vector<Histogram> filled_at_once(const Collection& collection) {
  HistogramSet set = booked(collection, {});
  for (std::size_t id = 0; id < collection.size(); ++id)
    EXPECT_FALSE(set.fill(0, std::vector{id}, collection[id].columns(0, collection[id].size)));
  return set.reduce();
}

// Bytes of one copy of each histogram: with no more, all that can be shared is.
std::uint64_t single_copies(const Collection& collection) {
  HistogramSet set = booked(collection, {});
  std::uint64_t bytes = 0;
  for (const Placement& placement : set.placements()) bytes += placement.cell_bytes;
  return bytes;
}

std::vector<std::size_t> shuffled(std::size_t size, std::mt19937_64& random) {
  std::vector<std::size_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::shuffle(numbers.begin(), numbers.end(), random);
  return numbers;
}

// Fills of several slots, in one order for each histogram.
struct Share {
  std::size_t slot;
  Collection collection;
};

// Deals out the fills, in random order, to `num_slots` slots; some may get none.
std::vector<Share> dealt_out(const Collection& collection, std::size_t num_slots, std::mt19937_64& random) {
  std::vector<Share> shares;
  for (std::size_t i = 0; i < num_slots; ++i) shares.push_back({random() % 50 + 50 * i, {}});
  for (const RandomFills& fills : collection) {
    const std::vector<std::size_t> order = shuffled(fills.size, random);
    std::size_t first = 0;
    for (std::size_t i = 0; i < num_slots; ++i) {
      const std::size_t rest = fills.size - first;
      const std::size_t count = i + 1 == num_slots ? rest : random() % (rest + 1);
      shares[i].collection.push_back(fills.some(std::span(order).subspan(first, count)));
      first += count;
    }
  }
  return shares;
}

void fill_in_batches(HistogramSet& set, const Share& share, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t id = 0; id < share.collection.size(); ++id) {
    const RandomFills& fills = share.collection[id];
    for (std::size_t first = 0; first < fills.size;) {
      const std::size_t count = std::min<std::size_t>(1 + random() % 1500, fills.size - first);
      EXPECT_FALSE(set.fill(share.slot, std::vector{id}, fills.columns(first, count)));
      first += count;
    }
  }
}

void fill_shares(HistogramSet& set, const std::vector<Share>& shares, bool in_threads) {
  std::vector<std::thread> threads;
  for (const Share& share : shares) {
    if (in_threads)
      threads.emplace_back([&] { fill_in_batches(set, share, share.slot); });
    else
      fill_in_batches(set, share, share.slot);
  }
  for (std::thread& thread : threads) thread.join();
}

void expect_same_bits(const std::vector<Histogram>& left, const std::vector<Histogram>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    SCOPED_TRACE("histogram " + std::to_string(i));
    expect_same_bits(left[i], right[i]);
  }
}

class SameBits : public ::testing::TestWithParam<int> {
 protected:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Seeds, SameBits, ::testing::Range(0, 60));

TEST_P(SameBits, InCopiesOfManySlots) {
  std::mt19937_64 random(seed());
  const Collection collection = random_collection(seed());
  HistogramSet set = booked(collection, {});
  fill_shares(set, dealt_out(collection, 1 + random() % 8, random), false);
  expect_same_bits(set.reduce(), filled_at_once(collection));
}

TEST_P(SameBits, InSharedCells) {
  std::mt19937_64 random(seed());
  const Collection collection = random_collection(seed() + 1000);
  HistogramSet set = booked(collection, {.threads = 8, .memory_limit = single_copies(collection)});
  for (std::size_t id = 0; id < set.size(); ++id)
    EXPECT_NE(set.placements()[id].is_shared, testing::grows(set.spec(id))) << "histogram " << id;
  fill_shares(set, dealt_out(collection, 1 + random() % 8, random), false);
  expect_same_bits(set.reduce(), filled_at_once(collection));
}

TEST_P(SameBits, FromThreads) {
  std::mt19937_64 random(seed());
  const Collection collection = random_collection(seed() + 2000);
  const std::uint64_t single = single_copies(collection);
  HistogramSet set = booked(collection, {.threads = 4, .memory_limit = single + random() % (4 * single)});
  fill_shares(set, dealt_out(collection, 4, random), true);
  expect_same_bits(set.reduce(), filled_at_once(collection));
}

// Each share becomes a histogram, and two of them are added until one is left.
TEST_P(SameBits, AddedInAnyTree) {
  std::mt19937_64 random(seed());
  const Collection collection = random_collection(seed() + 3000);
  std::vector<std::vector<Histogram>> parts;
  for (const Share& share : dealt_out(collection, 2 + random() % 6, random)) {
    HistogramSet set = booked(collection, {});
    fill_in_batches(set, share, seed());
    parts.push_back(set.reduce());
  }
  while (parts.size() > 1) {
    std::shuffle(parts.begin(), parts.end(), random);
    for (std::size_t id = 0; id < collection.size(); ++id) add(parts[0][id], parts.back()[id]);
    parts.pop_back();
  }
  expect_same_bits(parts[0], filled_at_once(collection));
}

TEST_P(SameBits, OfWeightVariationsFilledTogether) {
  std::mt19937_64 random(seed());
  RandomFills fills = random_fills(random, 2000, Magnitudes::kWide);
  if (fills.spec.storage == Storage::kCount) return;
  const Collection collection(3, fills);
  std::vector<ColumnView> columns = fills.columns(0, fills.size);
  std::vector<std::vector<double>> weights(3, fills.weights);
  for (double& weight : weights[1]) weight = testing::random_magnitude(random, Magnitudes::kNear);
  for (double& weight : weights[2]) weight *= 1e20;
  columns.pop_back();
  for (const std::vector<double>& own : weights) columns.push_back(view_of(own));
  HistogramSet together = booked(collection, {}), apart = booked(collection, {});
  EXPECT_FALSE(together.fill(0, std::vector<std::size_t>{0, 1, 2}, columns));
  for (std::size_t id = 0; id < 3; ++id) {
    fills.weights = weights[id];
    EXPECT_FALSE(apart.fill(0, std::vector{id}, fills.columns(0, fills.size)));
  }
  expect_same_bits(together.reduce(), apart.reduce());
}

Histogram shard(const std::vector<double>& positions, const std::vector<double>& weights) {
  return testing::filled(testing::spec({Axis::variable({0, 1, 1e300})}, Storage::kWeighted),
                         {view_of(positions), view_of(weights)});
}

TEST(SameBitsOfShards, WhereAllWeightsCancel) {
  Histogram sum = shard({0.5}, {0.1});
  add(sum, shard({0.5}, {-0.1}));
  expect_same_bits(sum, shard({0.5, 0.5}, {0.1, -0.1}));
}

// The sums of positions are infinite then, whatever came before or after.
TEST(SameBitsOfShards, WhereMomentsOverflow) {
  const std::vector<double> positions{0.5, 1e299, 0.25, 1e200}, weights{1, 1e100, 3, 1e-20};
  const Histogram expected = shard(positions, weights);
  EXPECT_EQ(expected.statistics.position[0], std::numeric_limits<double>::infinity());
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 0, 1, 3}}) {
    Histogram sum = shard({}, {});
    for (const std::size_t i : order) add(sum, shard({positions[i]}, {weights[i]}));
    expect_same_bits(sum, expected);
  }
}

TEST(SameBitsOfShards, WithOrWithoutEmptyOnes) {
  const Histogram filled = shard({0.5, 2, -1}, {1e-30, 1e30, -7});
  Histogram sum = filled;
  add(sum, shard({}, {}));
  expect_same_bits(sum, filled);
  Histogram empty = shard({}, {});
  add(empty, filled);
  expect_same_bits(empty, filled);
}

}  // namespace
}  // namespace skimline::histograms
