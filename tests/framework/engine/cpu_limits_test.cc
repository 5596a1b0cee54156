// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cpu_limits.h"

#include "control_group_files.h"

#include "skimline/framework/runner.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace skimline {
namespace {

class CpuLimits : public ControlGroupFiles<CpuLimitPlaces> {
 protected:
  int threads(int cores = 64) { return threads_within_limits(cores, places_); }
};

TEST_F(CpuLimits, AreTheCoresWhereNothingElseIsKnown) {
  EXPECT_EQ(threads(), 64);
  EXPECT_EQ(threads(1), 1);
}

TEST_F(CpuLimits, AreThoseOfTheOwnGroupAndThoseAroundIt) {
  write("proc_self_cgroup", "0::/job/step\n");
  write("cgroup/job/step/cpu.max", "max 100000\n");
  EXPECT_EQ(threads(), 64);
  write("cgroup/job/cpu.max", "600000 100000\n");
  EXPECT_EQ(threads(), 6);
  write("cgroup/job/step/cpu.max", "250000 100000\n");
  EXPECT_EQ(threads(), 3);  // half a core is one more thread
  write("cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(threads(), 2);
  EXPECT_EQ(threads(1), 1);
  write("cgroup/other/cpu.max", "1000 100000\n");
  EXPECT_EQ(threads(), 2);
  write("cgroup/job/step/cpu.max", "1000 100000\n");
  EXPECT_EQ(threads(), 1);
}

TEST_F(CpuLimits, AreKnownInAContainerWithoutThePathToIt) {
  write("proc_self_cgroup", "12:cpu,cpuacct:/docker/0123\n0::/\n");
  write("cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  write("cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(threads(), 4);
}

TEST_F(CpuLimits, OfTheFirstVersionAreTakenFromTheRightController) {
  write("proc_self_cgroup", "5:cpuset:/a\n4:cpu:/a\n1:name=systemd:/a\n");
  write("cgroup/cpuset/a/cpu.cfs_quota_us", "100000\n");
  write("cgroup/cpuset/a/cpu.cfs_period_us", "100000\n");
  write("cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  write("cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(threads(), 64);
  write("cgroup/cpu/a/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(threads(), 1);
}

TEST_F(CpuLimits, IgnoreWhatIsNoNumber) {
  write("proc_self_cgroup", "no colon\n0::\n:\n0::/job\n");
  for (const char* text :
       {"", "words words\n", "100000", "0 0\n", "-5 100000\n", "100000 -1\n", "100000 0\n"}) {
    write("cgroup/job/cpu.max", text);
    EXPECT_EQ(threads(), 64) << text;
  }
  write("proc_self_cgroup", "0::/../outside\n");
  write("outside/cpu.max", "100000 100000\n");
  EXPECT_EQ(threads(), 64);
}

TEST_F(CpuLimits, AreThoseOfSlurm) {
  for (const auto& [text, expected] : {std::pair{"5", 5},
                                       {"1", 1},
                                       {"0", 64},
                                       {"-3", 64},
                                       {"", 64},
                                       {"many", 64},
                                       {"100", 64},
                                       {"5x", 64}}) {
    places_.slurm_cpus_per_task = text;
    EXPECT_EQ(threads(), expected) << text;
  }
  places_.slurm_cpus_per_task = "8";
  write("proc_self_cgroup", "0::/\n");
  write("cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(threads(), 3);
}

TEST(DefaultThreads, AreThoseThatSlurmGives) {
  unsetenv("SLURM_CPUS_PER_TASK");
  EXPECT_GE(default_threads(), 1);
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  EXPECT_EQ(default_threads(), 1);
  unsetenv("SLURM_CPUS_PER_TASK");
}

}  // namespace
}  // namespace skimline
