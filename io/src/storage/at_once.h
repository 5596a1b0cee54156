// SPDX-License-Identifier: BSD-3-Clause
// Work that waits for storage, done for many files at once.
#pragma once

#include "skimline/framework/threads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace skimline::io {

/// Calls `work` with each number below `count` on up to `wanted` threads, the calling one among them. They
/// are no workers of oneTBB, as they mostly wait. All numbers are tried; then what the lowest one has thrown
/// is thrown.
template <typename Work>
void for_each_at_once(std::size_t count, std::size_t wanted, Work work) {
  std::vector<std::exception_ptr> faults(count);
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t number = next++; number < count; number = next++) {
      try {
        work(number);
      } catch (...) {
        faults[number] = std::current_exception();
      }
    }
  };
  const std::size_t needed = std::min(wanted, count);
  const int threads = needed > 1 ? available_threads(static_cast<int>(needed)) : 1;
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < threads; ++i) others.emplace_back(take);
  } catch (const std::system_error&) {  // those that could be started do all of it
  }
  take();
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
}

}  // namespace skimline::io
