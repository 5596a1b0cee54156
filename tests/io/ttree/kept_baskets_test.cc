// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/kept_baskets.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

// Each branch with so many baskets of ten entries and 80 bytes.
TreeDescriptor tree_of_baskets(const std::vector<std::size_t>& num_baskets) {
  TreeDescriptor tree;
  for (const std::size_t count : num_baskets) {
    BranchData& branch = tree.branch_data.emplace_back();
    for (std::uint64_t i = 0; i < count; ++i)
      branch.baskets.push_back({.first_entry = 10 * i, .num_entries = 10, .offset = 100 * i, .size = 80});
    branch.num_entries = 10 * count;
    branch.bytes_unpacked = 200 * count;
  }
  return tree;
}

class KeptBasketsTest : public testing::Test {
 protected:
  std::vector<std::size_t> counts() const {
    std::vector<std::size_t> counts;
    for (const BranchData& branch : tree.branch_data) counts.push_back(branch.baskets.size());
    return counts;
  }

  using Counts = std::vector<std::size_t>;
  const Counts all{3, 1, 0, 2};
  TreeDescriptor tree = tree_of_baskets(all);
  int num_readings = 0;
  KeptBaskets kept{tree, [this] {
                     ++num_readings;
                     return tree_of_baskets(all);
                   }};
};

TEST_F(KeptBasketsTest, OthersAreLetGoAndTakenBack) {
  kept.keep_only({true, false, false, false});
  EXPECT_EQ(counts(), Counts({3, 0, 0, 0}));
  kept.need(0);
  kept.need(2);
  EXPECT_EQ(num_readings, 0);
  kept.need(3);
  EXPECT_EQ(counts(), all);
  EXPECT_EQ(tree.branch_data[3].baskets[1].first_entry, 10u);
  kept.need(1);
  EXPECT_EQ(num_readings, 1);
}

TEST_F(KeptBasketsTest, MoreMayBeNeededLater) {
  kept.keep_only({true, false, false, false});
  kept.keep_only({true, false, false, true});
  EXPECT_EQ(counts(), Counts({3, 0, 0, 2}));
  EXPECT_EQ(num_readings, 1);
  kept.need(3);
  EXPECT_EQ(num_readings, 1);
  kept.need(1);
  EXPECT_EQ(counts(), all);
  EXPECT_EQ(num_readings, 2);
}

TEST_F(KeptBasketsTest, SizesStay) {
  const FieldSize before = kept.size_of(0);
  EXPECT_EQ(before.stored, 240);
  EXPECT_EQ(before.in_memory, 600);
  EXPECT_EQ(before.largest_page, 200);
  kept.keep_only({false, true, false, false});
  EXPECT_EQ(kept.size_of(0).stored, before.stored);
  EXPECT_EQ(kept.size_of(0).in_memory, before.in_memory);
  EXPECT_EQ(kept.size_of(0).largest_page, before.largest_page);
  EXPECT_EQ(kept.size_of(2).stored, 0);
}

}  // namespace
}  // namespace skimline::io
