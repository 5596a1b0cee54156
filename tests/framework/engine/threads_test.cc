// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/threads.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace skimline {
namespace {

TEST(AvailableThreads, AreThoseWantedWhereNothingLimitsThem) {
  EXPECT_EQ(available_threads(1), 1);
  EXPECT_EQ(available_threads(0), 1);
  EXPECT_EQ(available_threads(5), 5);
  EXPECT_EQ(available_threads(3), 3);
}

// In a process of its own, whose address space ends soon.
void exit_with_available_threads(int wanted) {
  const rlimit limit{512 << 20, 512 << 20};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(0);
  const int available = available_threads(wanted);
  const bool is_known = available_threads(available) == available;
  std::exit(is_known && available >= 1 && available < wanted ? 0 : 1);
}

TEST(AvailableThreads, AreFewerWhereTheyAreLimited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more address space than that";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_available_threads(4000), ::testing::ExitedWithCode(0), "");
}

TEST(AvailableThreads, TooFewAreSaid) {
  EXPECT_EQ(warning_of_threads(4, 4), "");
  EXPECT_EQ(
      warning_of_threads(4, 3),
      "warning: only 3 of 4 threads can be started within the limits of the system (\"ulimit -a\", control "
      "groups)");
}

}  // namespace
}  // namespace skimline
