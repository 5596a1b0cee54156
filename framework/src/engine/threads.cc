// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/threads.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

namespace skimline {
namespace {

// Threads of this process, or 0 where the system does not say.
std::size_t num_threads() {
  struct stat tasks {};
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? tasks.st_nlink - 2 : 0;
}

// Starts threads that wait until the last of them is there.
int num_started(int wanted) {
  const EndOfThreads end;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  std::vector<std::thread> threads;
  try {
    threads.reserve(static_cast<std::size_t>(wanted));
    for (int i = 0; i < wanted; ++i)
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        ended.wait(lock, [&] { return is_over; });
      });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  ended.notify_all();
  for (std::thread& thread : threads) thread.join();
  end.wait();
  return static_cast<int>(threads.size());
}

// Others start threads meanwhile, and work takes memory beside the stacks.
int without_reserve(int started) {
  return is_address_space_limited() ? started / 2 : started - std::min(started, 1 + started / 8);
}

}  // namespace

EndOfThreads::EndOfThreads() : num_before_(num_threads()) {}

void EndOfThreads::wait() const {
  for (int i = 0; i < 100 && num_threads() > num_before_; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(500));
}

bool is_address_space_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int available_threads(int wanted) {
  static std::mutex mutex;
  static int known = 1;  // so many could be started before
  const std::lock_guard lock(mutex);
  if (wanted <= known) return std::max(wanted, 1);
  const int more = wanted - known;
  const int started = num_started(more);
  known += started == more ? more : without_reserve(started);
  return known;
}

std::string warning_of_threads(int wanted, int available) {
  if (available >= wanted) return {};
  return "warning: only " + std::to_string(available) + " of " + std::to_string(wanted) +
         " threads can be started within the limits of the system (\"ulimit -a\", control groups)";
}

}  // namespace skimline
