// SPDX-License-Identifier: BSD-3-Clause
#include "base/machine_limits.h"

#include "control_group_files.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

using MachineLimitsOfGroups = ControlGroupFiles<ControlGroupPlaces>;

TEST_F(MachineLimitsOfGroups, AreLeftOutWhereThereAreNone) {
  const MachineLimits limits = machine_limits(places_);
  EXPECT_GT(limits.memory, 0u);
  EXPECT_FALSE(limits.group_memory);
}

TEST_F(MachineLimitsOfGroups, AreTheLeastOfTheGroupAndThoseAroundIt) {
  write("proc_self_cgroup", "0::/job/step\n");
  write("cgroup/job/step/memory.max", "max\n");
  EXPECT_FALSE(machine_limits(places_).group_memory);
  write("cgroup/job/memory.max", "4000000000\n");
  write("cgroup/job/step/pids.max", "7\n");
  write("cgroup/other/memory.max", "1000\n");
  EXPECT_EQ(machine_limits(places_).group_memory, 4000000000u);
  EXPECT_EQ(machine_limits(places_).processes, 7u);
  write("cgroup/job/step/memory.max", "no number\n");
  EXPECT_EQ(machine_limits(places_).group_memory, 4000000000u);
}

TEST_F(MachineLimitsOfGroups, AreKnownOfTheFirstVersionToo) {
  write("proc_self_cgroup", "5:memory:/docker/0123\n4:pids:/docker/0123\n");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // which means none
  EXPECT_FALSE(machine_limits(places_).group_memory);
  write("cgroup/memory/docker/0123/memory.limit_in_bytes", "2000000000\n");
  write("cgroup/pids/docker/0123/pids.max", "3\n");
  EXPECT_EQ(machine_limits(places_).group_memory, 2000000000u);
  EXPECT_EQ(machine_limits(places_).processes, 3u);
}

}  // namespace
}  // namespace skimline::skims
