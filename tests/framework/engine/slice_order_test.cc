// SPDX-License-Identifier: BSD-3-Clause
#include "engine/slice_order.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr SliceWindow kNoWindow{};

std::vector<std::size_t> clusters_of_sizes(const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> clusters;
  for (std::size_t cluster = 0; cluster < sizes.size(); ++cluster)
    clusters.insert(clusters.end(), sizes[cluster], cluster);
  return clusters;
}

std::vector<std::size_t> take_some(SliceOrder& order, std::size_t thread, std::size_t count) {
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < count; ++i)
    if (const auto slice = order.take(thread)) taken.push_back(*slice);
  return taken;
}

TEST(SliceOrder, OneThreadTakesSlicesInTheirOrder) {
  SliceOrder order(clusters_of_sizes({2, 1, 3}), 1, kNoWindow);
  EXPECT_EQ(take_some(order, 0, 10), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(order.has_next());
}

TEST(SliceOrder, EachThreadStaysInItsCluster) {
  SliceOrder order(clusters_of_sizes({3, 3, 3}), 2, kNoWindow);
  EXPECT_EQ(order.take(0), 0U);
  EXPECT_EQ(order.take(1), 3U);
  EXPECT_EQ(order.take(1), 4U);
  EXPECT_EQ(order.take(0), 1U);
  EXPECT_EQ(take_some(order, 0, 2), (std::vector<std::size_t>{2, 6}));
  EXPECT_EQ(order.take(1), 5U);
}

TEST(SliceOrder, ThreadsDivideACluster) {
  SliceOrder order(clusters_of_sizes({8}), 3, kNoWindow);
  EXPECT_EQ(order.take(0), 0U);
  EXPECT_EQ(order.take(1), 4U);
  EXPECT_EQ(order.take(2), 2U);
  EXPECT_EQ(order.take(0), 1U);
  EXPECT_EQ(order.take(1), 5U);
}

TEST(SliceOrder, AWindowIsNotLeft) {
  SliceOrder order(clusters_of_sizes({3, 3, 3}), 2, {kNone, 4});
  EXPECT_EQ(order.take(0), 0U);
  EXPECT_EQ(order.take(1), 3U);
  EXPECT_EQ(order.take(1), 2U) << "slice 4 is beyond the window";
  EXPECT_EQ(order.take(0), 1U);
  EXPECT_FALSE(order.has_next());
  EXPECT_FALSE(order.take(0).has_value());
  order.complete(1);
  EXPECT_FALSE(order.has_next()) << "the first slice is not complete";
  order.complete(0);
  EXPECT_TRUE(order.has_next());
  EXPECT_EQ(order.take(0), 4U);
}

TEST(SliceOrder, SlicesThatAreStitchedLetOthersBegin) {
  SliceOrder order(clusters_of_sizes({9}), 1, {2, 5});
  EXPECT_EQ(take_some(order, 0, 9), (std::vector<std::size_t>{0, 1}));
  order.stitched(0);
  order.stitched(1);
  EXPECT_EQ(take_some(order, 0, 9), (std::vector<std::size_t>{2, 3}));
  order.stitched(2);
  order.complete(2);
  order.complete(1);
  EXPECT_EQ(take_some(order, 0, 9), (std::vector<std::size_t>{4}));
  order.stitched(3);
  order.stitched(4);
  EXPECT_FALSE(order.has_next()) << "five are behind the first that is not complete";
  order.complete(0);
  EXPECT_EQ(take_some(order, 0, 9), (std::vector<std::size_t>{5, 6}));
}

TEST(SliceOrder, SlicesThatEndEarlyNeedNoStitching) {
  SliceOrder order(clusters_of_sizes({4}), 1, {1, 1});
  for (std::size_t slice = 0; slice < 4; ++slice) {
    EXPECT_EQ(take_some(order, 0, 9), (std::vector<std::size_t>{slice}));
    order.complete(slice);
  }
  EXPECT_TRUE(order.is_exhausted());
}

TEST(SliceOrder, NothingIsHandedOutOfNoSlices) {
  SliceOrder order({}, 2, kNoWindow);
  EXPECT_FALSE(order.has_next());
  EXPECT_FALSE(order.take(1).has_value());
}

// Threads that take and complete slices in any order get each of them once, none beyond the window, and are
// never stuck.
TEST(SliceOrder, EverySliceIsHandedOutOnceWhateverThreadsDo) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> sizes(random() % 7);
    for (std::size_t& size : sizes) size = 1 + random() % 9;
    const std::vector<std::size_t> clusters = clusters_of_sizes(sizes);
    const std::size_t num_threads = 1 + random() % 5;
    const auto some = [&] { return random() % 2 == 0 ? kNone : 1 + random() % 8; };
    const SliceWindow window{some(), some()};
    SliceOrder order(clusters, num_threads, window);
    std::set<std::size_t> taken, incomplete;
    std::size_t num_stitched = 0;
    while (taken.size() < clusters.size() || !incomplete.empty()) {
      if (taken.contains(num_stitched) && random() % 2 == 0) {
        order.stitched(num_stitched++);
        continue;
      }
      if (random() % 2 == 0 && !incomplete.empty()) {
        const auto chosen =
            std::next(incomplete.begin(), static_cast<std::ptrdiff_t>(random() % incomplete.size()));
        order.complete(*chosen);
        incomplete.erase(chosen);
        continue;
      }
      const bool has_next = order.has_next();
      const std::optional<std::size_t> slice = order.take(random() % num_threads);
      EXPECT_EQ(slice.has_value(), has_next);
      if (!slice) {
        ASSERT_FALSE(incomplete.empty()) << "no thread can go on";
        continue;
      }
      EXPECT_TRUE(taken.insert(*slice).second) << "slice " << *slice << " twice";
      incomplete.insert(*slice);
      if (window.in_flight != kNone) {
        EXPECT_LT(*slice, *incomplete.begin() + window.in_flight);
      }
      if (window.before_stitching != kNone) {
        EXPECT_LT(*slice, std::max(num_stitched, *incomplete.begin()) + window.before_stitching);
      }
    }
    EXPECT_FALSE(order.has_next());
  }
}

}  // namespace
}  // namespace skimline
