// SPDX-License-Identifier: BSD-3-Clause
#include "storage/at_once.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace skimline::io {
namespace {

TEST(ForEachAtOnce, EachNumberIsTakenOnce) {
  for (const std::size_t count : {0u, 1u, 2u, 100u})
    for (const std::size_t wanted : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> times(count);
      for_each_at_once(count, wanted, [&](std::size_t number) { ++times[number]; });
      for (std::size_t number = 0; number < count; ++number)
        EXPECT_EQ(times[number], 1) << number << " of " << count << " on " << wanted;
    }
}

TEST(ForEachAtOnce, AsManyWorkTogetherAsAreWanted) {
  constexpr std::size_t kWanted = 20;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t num_there = 0, num_met = 0;
  for_each_at_once(kWanted, kWanted, [&](std::size_t) {
    std::unique_lock lock(mutex);
    ++num_there;
    changed.notify_all();
    num_met += changed.wait_for(lock, std::chrono::seconds(60), [&] { return num_there == kWanted; }) ? 1 : 0;
  });
  EXPECT_EQ(num_met, kWanted);
}

TEST(ForEachAtOnce, TheFaultOfTheLowestNumberIsThrownWhenAllAreTried) {
  std::atomic<int> num_tried = 0;
  try {
    for_each_at_once(50, 8, [&](std::size_t number) {
      ++num_tried;
      if (number % 20 == 7) throw std::runtime_error(std::to_string(number));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  EXPECT_EQ(num_tried, 50);
}

// In a process of its own, whose limits allow few threads, or no further ones. What works starts others.
void exit_after_work_within(std::size_t address_space) {
  const rlimit limit{address_space, address_space};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(0);
  std::vector<std::atomic<int>> times(2000);
  for_each_at_once(times.size(), times.size(), [&](std::size_t number) {
    for_each_at_once(2, 2, [&](std::size_t) { ++times[number]; });
  });
  for (const std::atomic<int>& each : times)
    if (each != 2) std::exit(1);
  std::exit(0);
}

TEST(ForEachAtOnce, FewerDoAllOfItWhereThreadsAreLimited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more address space than that";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_work_within(std::size_t{256} << 20), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exit_after_work_within(std::size_t{4} << 30), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace skimline::io
