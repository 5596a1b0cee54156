// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/cluster_ranges.h"

#include "ttree/cluster_begins.h"

#include <gtest/gtest.h>

using namespace skimline;
using namespace skimline::io;

namespace {

using Numbers = std::vector<std::uint64_t>;

// What readers find of clusters that were written as ranges.
std::vector<std::uint64_t> read_back(const std::vector<std::uint64_t>& clusters) {
  const ClusterRanges ranges = ranges_of(clusters);
  std::vector<EqualClusters> stored;
  for (std::size_t i = 0; i < ranges.sizes.size(); ++i)
    stored.push_back({ranges.last_entries[i], ranges.sizes[i]});
  std::uint64_t num_entries = 0;
  for (const std::uint64_t entries : clusters) num_entries += entries;
  return cluster_begins(stored, ranges.size_behind, num_entries);
}

TEST(ClusterRanges, EqualOnesNeedNoRange) {
  EXPECT_TRUE(ranges_of(Numbers{5, 5, 5}).sizes.empty());
  EXPECT_EQ(read_back({5, 5, 3}), Numbers({0, 5, 10}));
}

TEST(ClusterRanges, AreReadBack) {
  EXPECT_EQ(read_back({5, 5, 3, 5, 5, 1}), Numbers({0, 5, 10, 13, 18, 23}));
  EXPECT_EQ(read_back({1, 2, 3}), Numbers({0, 1, 3}));
  EXPECT_EQ(read_back({7}), Numbers({0}));
}

TEST(ClusterRanges, OfNothingAreUnknown) {
  EXPECT_EQ(ranges_of(Numbers()).size_behind, kUnknownClusterSize);
  EXPECT_EQ(read_back({}), Numbers());
}

TEST(ClusterRanges, ListsHaveRoomForTheEnd) {
  EXPECT_EQ(slots_for(0), 10u);
  EXPECT_EQ(slots_for(10), 11u);
}

}  // namespace
