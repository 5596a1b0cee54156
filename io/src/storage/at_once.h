// SPDX-License-Identifier: BSD-3-Clause
// Work that waits for storage, done for many files at once.
#pragma once

#include "skimline/framework/threads.h"
#include "skimline/io/bad_files.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace skimline::io {

/// Threads that take numbers of one sequence, each number once.
class NumberTakers {
 public:
  explicit NumberTakers(std::size_t count) : count_(count) {}

  bool has_more() const { return next_ < count_; }
  /// To be called where no more threads can be started: some end early, as others may need to start theirs.
  void give_back(std::size_t num_threads) { num_surplus_ = 1 + static_cast<int>(num_threads / 8); }
  /// Whether a thread that asks this is to end.
  bool is_surplus() { return num_surplus_ > 0 && num_surplus_-- > 0; }
  /// Calls `work` with numbers for as long as there are any and `ends` does not say so.
  template <typename Work, typename Ends>
  void take(const Work& work, const Ends& ends) {
    while (!ends()) {
      const std::size_t number = next_++;
      if (number >= count_) return;
      work(number);
    }
  }

 private:
  std::size_t count_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> num_surplus_{0};
};

/// Calls `work` with each number below `count` on up to `wanted` threads, the calling one among them. They
/// are no workers of oneTBB, as they mostly wait. All numbers are tried; then what the lowest one has thrown
/// is thrown, or BadFiles with all if `throws_all`. They begin as they are started: to find out before how
/// many there can be takes as long again, and is done only where stacks must leave memory for the work.
template <typename Work>
void for_each_at_once(std::size_t count, std::size_t wanted, Work work, bool throws_all = false) {
  std::vector<std::exception_ptr> faults(count);
  NumberTakers takers(count);
  const auto work_of = [&](std::size_t number) {
    try {
      work(number);
    } catch (...) {
      faults[number] = std::current_exception();
    }
  };
  const std::size_t needed = std::min(wanted, count);
  const std::size_t threads = needed > 1 && is_address_space_limited()
                                  ? static_cast<std::size_t>(available_threads(static_cast<int>(needed)))
                                  : needed;
  const EndOfThreads end;
  std::vector<std::thread> others;
  bool is_limited = false;
  try {
    others.reserve(threads);
    while (others.size() + 1 < threads && takers.has_more())
      others.emplace_back([&] { takers.take(work_of, [&] { return takers.is_surplus(); }); });
  } catch (const std::exception&) {  // those that could be started do all of it
    is_limited = true;
    takers.give_back(others.size());
  }
  takers.take(work_of, [] { return false; });
  for (std::thread& other : others) other.join();
  if (is_limited) end.wait();
  throw_faults(faults, throws_all);
}

}  // namespace skimline::io
