// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_slices.h"

#include "tree_of_leaves.h"

#include <numeric>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr TreeSliceLimits kLimits{.entries = 65536, .read_bytes = 1 << 20, .kept_bytes = 1 << 18};

// One branch with baskets of so many entries and stored bytes, which unpack to `expansion` times as many; the
// tree has clusters of `cluster` entries.
TreeDescriptor tree_with(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& baskets,
                         std::uint64_t expansion, std::uint64_t cluster) {
  TreeOfLeaves tree;
  tree.add_branch("x", {TreeLeaf{}});
  BranchData& branch = tree.descriptor.branch_data.front();
  for (const auto& [entries, bytes] : baskets) {
    branch.baskets.push_back({branch.num_entries, entries, 0, bytes, false});
    branch.num_entries += entries;
    branch.bytes_unpacked += expansion * bytes;
  }
  for (std::uint64_t begin = 0; begin < branch.num_entries; begin += cluster)
    tree.descriptor.cluster_begins.push_back(begin);
  tree.descriptor.num_entries = branch.num_entries;
  return std::move(tree.descriptor);
}

std::vector<EntryRange> slices_of(const TreeDescriptor& tree, const TreeReading& reading) {
  const std::uint64_t all = tree.num_entries;
  std::vector<EntryRange> slices = tree_slices(tree, reading, kLimits, {0, all}, all);
  std::uint64_t next = 0;
  for (const EntryRange& slice : slices) {
    EXPECT_EQ(slice.first, next);
    EXPECT_GT(slice.count, 0u);
    next = slice.end();
  }
  EXPECT_EQ(next, all);
  return slices;
}

std::uint64_t largest(const std::vector<EntryRange>& slices) {
  std::uint64_t most = 0;
  for (const EntryRange& slice : slices) most = std::max(most, slice.count);
  return most;
}

TEST(TreeSlices, PutSmallClustersTogether) {
  const TreeDescriptor tree = tree_with({{100000, 1000}}, 1, 100);
  EXPECT_EQ(slices_of(tree, {.read = {0}}).size(), 7u);  // of 16400 entries, and the rest
}

TEST(TreeSlices, AreNoLargerThanWhatFits) {
  // 6000 events of 40 kB in clusters of 80.
  const TreeDescriptor tree =
      tree_with(std::vector<std::pair<std::uint64_t, std::uint64_t>>(75, {80, 320000}), 10, 80);
  EXPECT_EQ(slices_of(tree, {}).size(), 1u);  // nothing is read of it
  const std::uint64_t read = largest(slices_of(tree, {.read = {0}}));
  EXPECT_LE(read * 40000, kLimits.read_bytes);
  EXPECT_GE(read * 40000, kLimits.read_bytes / 4);
  EXPECT_LE(largest(slices_of(tree, {.kept = {0}})) * 40000, kLimits.kept_bytes);
  EXPECT_LE(largest(slices_of(tree, {.kept_bytes_per_entry = 1000})), kLimits.kept_bytes / 1000);
}

TEST(TreeSlices, FollowLargeEventsAmongSmallOnes) {
  // A thousandth of the entries has all the bytes, and there is one cluster.
  const TreeDescriptor tree = tree_with({{50000, 5000}, {50, 50 << 20}, {50000, 5000}}, 1, 1 << 20);
  const std::vector<EntryRange> slices = slices_of(tree, {.read = {0}});
  std::uint64_t among_large = 0;
  for (const EntryRange& slice : slices) among_large += slice.end() > 50000 && slice.first < 50050;
  EXPECT_GE(among_large, 50u);
  EXPECT_LE(slices.size(), 150u);
}

TEST(TreeSlices, DoNotBelieveAnything) {
  TreeDescriptor tree = tree_with({{1000000, 100000}}, 1, 1 << 20);
  tree.branch_data.front().bytes_unpacked = ~std::uint64_t{0};
  EXPECT_LE(slices_of(tree, {.read = {0}, .kept = {0}}).size(), 1024u);
  EXPECT_LE(bytes_in_memory(tree.branch_data.front()), 1e8);
}

TEST(TreeSlices, AreThoseOfTheWantedEntries) {
  const TreeDescriptor tree = tree_with({{100000, 1000}}, 1, 100);
  const std::vector<EntryRange> slices = tree_slices(tree, {}, kLimits, {123, 40000}, 100000);
  EXPECT_EQ(slices.front().first, 123u);
  EXPECT_EQ(slices.back().end(), 40123u);
  EXPECT_TRUE(tree_slices(tree, {}, kLimits, {0, 0}, 0).empty());
}

}  // namespace
}  // namespace skimline::io
