// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/columns_left_out.h"

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

TEST(ColumnsLeftOut, HaveALineEach) {
  const auto columns =
      columns_left_out("Columns that cannot be read:\nwhen\ttimestamp[us]\tdates are not read\n\t\t\nx");
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0].name, "when");
  EXPECT_EQ(columns[0].type_name, "timestamp[us]");
  EXPECT_EQ(columns[0].reason, "dates are not read");
  EXPECT_FALSE(columns[0].is_carriable);
  EXPECT_EQ(columns[1].name + columns[1].type_name + columns[1].reason, "");
  EXPECT_EQ(columns[2].name, "x");
  EXPECT_EQ(columns[2].reason, "");
}

TEST(ColumnsLeftOut, AreNotInOtherDescriptions) {
  EXPECT_TRUE(columns_left_out("").empty());
  EXPECT_TRUE(columns_left_out("Columns that cannot be read:").empty());
  EXPECT_TRUE(columns_left_out("Events\nwhen\ttimestamp[us]\tdates are not read").empty());
}

}  // namespace
}  // namespace skimline::io
