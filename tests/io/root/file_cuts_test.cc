// SPDX-License-Identifier: BSD-3-Clause
#include "root/file_cuts.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

TEST(FileCuts, NothingEndsWithoutLimits) {
  FileCuts cuts(0, 0);
  EXPECT_FALSE(cuts.add_entries(1u << 30));
  EXPECT_EQ(cuts.room(), ~std::uint64_t{0});
  EXPECT_FALSE(cuts.begins_file(1u << 30, false));
  EXPECT_FALSE(cuts.begins_file(1u << 30, false));
}

TEST(FileCuts, FilesEndWithTheLastEntryThatTheyMayHave) {
  FileCuts cuts(10, 0);
  EXPECT_FALSE(cuts.add_entries(7));
  EXPECT_EQ(cuts.room(), 3u);
  EXPECT_TRUE(cuts.add_entries(3));
  EXPECT_EQ(cuts.room(), 10u);
  EXPECT_FALSE(cuts.add_entries(4));  // stitched before the first file is committed
  EXPECT_FALSE(cuts.begins_file(5, false));
  EXPECT_FALSE(cuts.begins_file(5, true));
  EXPECT_TRUE(cuts.begins_file(5, false));
  EXPECT_FALSE(cuts.begins_file(5, false));
}

TEST(FileCuts, FilesEndWithTheLastClusterForWhichThereIsRoom) {
  FileCuts cuts(0, 100);
  EXPECT_FALSE(cuts.begins_file(60, false));
  EXPECT_FALSE(cuts.begins_file(40, false));
  EXPECT_TRUE(cuts.begins_file(1, false));
  EXPECT_TRUE(cuts.begins_file(100, false));
  EXPECT_TRUE(cuts.begins_file(500, false));  // alone in its file
  EXPECT_TRUE(cuts.begins_file(1, false));
  EXPECT_FALSE(cuts.begins_file(99, false));
}

TEST(FileCuts, AFirstClusterThatIsTooLargeBeginsNoOther) {
  FileCuts cuts(0, 100);
  EXPECT_FALSE(cuts.begins_file(500, false));
  EXPECT_TRUE(cuts.begins_file(~std::uint64_t{0}, false));
  EXPECT_TRUE(cuts.begins_file(1, false));
}

}  // namespace
}  // namespace skimline::io
