// SPDX-License-Identifier: BSD-3-Clause
#include "plan/slice_group.h"

#include "skimline/framework/schema.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

class NoReader : public SliceReader {
 public:
  void load(std::span<const std::size_t>) override {}
  ColumnView view(std::size_t, EntryRange, ColumnBuffer&) override { return {}; }
  std::string_view file() const override { return {}; }
};

// Slices of ten entries, four in each cluster.
class CountedSource : public Source {
 public:
  explicit CountedSource(std::size_t count) : num_opened(count) {
    for (std::size_t i = 0; i < count; ++i) slices_.push_back({10 * i, 10});
  }
  const Schema& schema() const override { return schema_; }
  std::uint64_t num_entries() const override { return 10 * slices_.size(); }
  const std::vector<EntryRange>& slices() const override { return slices_; }
  std::size_t cluster_of(std::size_t slice) const override { return slice / 4; }
  void read_ahead(std::span<const std::size_t>, std::size_t first) override { ahead.push_back(first); }
  std::unique_ptr<SliceReader> open_slice(std::size_t slice) override {
    ++num_opened[slice];
    return std::make_unique<NoReader>();
  }
  std::uint64_t stored_bytes(std::size_t) const override { return 0; }
  ReadStatistics statistics() const override { return {}; }

  std::vector<int> num_opened;     // by slice
  std::vector<std::size_t> ahead;  // what was to be read ahead

 private:
  Schema schema_;
  std::vector<EntryRange> slices_;
};

void open_all(SliceGroup& group) {
  for (std::size_t slice = 0; slice < group.slices().size(); ++slice) group.open_slice(slice);
}

TEST(SliceGroupTest, HasTheSlicesWithTheirNumbers) {
  CountedSource whole(12);
  const std::vector<std::size_t> read{1, 2, 7};
  const SliceGroup group(whole, read, 1, 2);
  ASSERT_EQ(group.slices().size(), 2u);
  EXPECT_EQ(group.slices()[0].first, 20u);
  EXPECT_EQ(group.slices()[1].first, 70u);
  EXPECT_EQ(group.num_entries(), 20u);
  EXPECT_EQ(group.cluster_of(0), 0u);
  EXPECT_EQ(group.cluster_of(1), 1u);
}

// A cluster forgets its pages once all its slices were opened.
TEST(SliceGroupTest, OpensAllSlicesOfAClusterOnceAndNoneOfOthers) {
  CountedSource whole(16);
  const std::vector<std::size_t> read{1, 3, 4, 6, 13};
  SliceGroup first(whole, read, 0, 2), second(whole, read, 2, 3);
  open_all(first);
  open_all(second);
  EXPECT_EQ(whole.num_opened, (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(SliceGroupTest, ReadsAheadOnlyWhereAllIsRead) {
  CountedSource whole(3);
  const std::vector<std::size_t> all{0, 1, 2}, some{0, 2};
  SliceGroup(whole, all, 1, 2).read_ahead({}, 0);
  EXPECT_EQ(whole.ahead, std::vector<std::size_t>{1});
  SliceGroup(whole, some, 0, 2).read_ahead({}, 0);
  EXPECT_EQ(whole.ahead.size(), 1u);
}

}  // namespace
}  // namespace skimline::skims
