// SPDX-License-Identifier: BSD-3-Clause
#include "storage/reader_threads.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace skimline::io
