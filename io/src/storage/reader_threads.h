// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for storage, so that those that compute need not.
#pragma once

#include "skimline/io/remote_file.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace skimline::io {

/// Returns how many threads are worth it that wait for such requests: the longer they wait, the more.
std::size_t threads_that_wait(const ReadingCost& cost);

/// Does work in the order in which it was handed in, several at once. Threads are started when there is work
/// for them; where none can be, the one that hands it in does it. Thread-safe.
class ReaderThreads {
 public:
  explicit ReaderThreads(std::size_t most_threads) : most_threads_(most_threads) {}
  /// Waits for what was begun; what was not is never done.
  ~ReaderThreads();
  ReaderThreads(const ReaderThreads&) = delete;
  ReaderThreads& operator=(const ReaderThreads&) = delete;

  /// Lets there be as many threads, if there may not be more already.
  void allow(std::size_t threads);
  /// `work` must not throw.
  void submit(std::function<void()> work);
  /// Waits until all that was handed in is done.
  void wait_until_idle();
  /// Waits for what was begun; what was not is never done.
  void abandon();

 private:
  void serve();
  bool has_started_one();
  void give_back();
  void end_this();
  void join_ended();

  std::size_t most_threads_;
  bool can_start_more_ = true;
  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  bool is_over_ = false;
  std::size_t num_idle_ = 0;     // threads
  std::size_t num_surplus_ = 0;  // the same that are to end
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::vector<std::thread> ended_;  // whose stacks are there until they are joined
};

}  // namespace skimline::io
