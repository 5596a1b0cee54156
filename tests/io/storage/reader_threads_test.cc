// SPDX-License-Identifier: BSD-3-Clause
#include "storage/reader_threads.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace skimline::io {
namespace {

using namespace std::chrono_literals;

TEST(ReaderThreads, DoesAllThatIsHandedIn) {
  ReaderThreads threads(4);
  std::vector<std::atomic<int>> done(1000);
  for (std::atomic<int>& each : done) threads.submit([&each] { ++each; });
  threads.wait_until_idle();
  for (const std::atomic<int>& each : done) EXPECT_EQ(each, 1);
}

TEST(ReaderThreads, WaitsForManyThingsAtOnce) {
  ReaderThreads threads(16);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 16; ++i) threads.submit([] { std::this_thread::sleep_for(100ms); });
  threads.wait_until_idle();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1000ms) << "one after the other they take 1.6 s";
}

TEST(ReaderThreads, NothingIsBegunOnceItGoes) {
  std::atomic<int> done = 0;
  {
    ReaderThreads threads(1);
    for (int i = 0; i < 50; ++i)
      threads.submit([&] {
        std::this_thread::sleep_for(20ms);
        ++done;
      });
  }
  EXPECT_LE(done, 10);
}

TEST(ReaderThreads, WithoutThreadsTheCallerDoesIt) {
  ReaderThreads threads(0);
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id worker;
  threads.submit([&] { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, caller);
  threads.wait_until_idle();
}

// In a process of its own, where the address space ends before all threads are there.
void exit_after_another_thread() {
  const rlimit limit{256 << 20, 256 << 20};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(0);
  std::atomic<int> done = 0;
  ReaderThreads threads(2000);
  for (int i = 0; i < 500; ++i)
    threads.submit([&] {
      std::this_thread::sleep_for(1ms);
      ++done;
    });
  threads.wait_until_idle();
  std::thread([&] { ++done; }).join();
  std::exit(done == 501 ? 0 : 1);
}

TEST(ReaderThreads, LeaveOthersRoomWhereThereIsNoneForMore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more address space than that";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_another_thread(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace skimline::io
