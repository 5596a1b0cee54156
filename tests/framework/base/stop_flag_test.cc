// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/stop_flag.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

TEST(StopFlag, IsNeverSetWithoutAFlag) {
  const StopFlag stop;
  EXPECT_FALSE(stop.is_given());
  EXPECT_FALSE(stop.is_set());
  EXPECT_NO_THROW(stop.throw_if_set());
  EXPECT_FALSE(StopFlag(nullptr).is_given());
}

TEST(StopFlag, FollowsTheFlagInAllCopies) {
  std::atomic<bool> flag = false;
  const StopFlag stop = &flag;
  const StopFlag copy = stop;
  EXPECT_TRUE(copy.is_given());
  EXPECT_NO_THROW(copy.throw_if_set());
  flag = true;
  EXPECT_TRUE(stop.is_set());
  EXPECT_THROW(copy.throw_if_set(), Interrupted);
  flag = false;
  EXPECT_NO_THROW(copy.throw_if_set());
}

}  // namespace
}  // namespace skimline
