// SPDX-License-Identifier: BSD-3-Clause
// Work that goes on in the background.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace skimline::python {

/// Runs what it is given on threads of its own, begun in the order given. After an exception nothing new is
/// begun. Thread-safe, but for the destructor.
class WorkQueue {
 public:
  explicit WorkQueue(int num_threads) : num_threads_(static_cast<std::size_t>(num_threads)) {}
  /// Waits for what has begun and drops the rest.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Waits while all threads are busy and one piece of work is waiting. Throws the first exception of the
  /// work so far, or Interrupted soon once `stop` is set.
  void add(std::function<void()> work, StopFlag stop);

  /// Waits until all is done. Throws as add().
  void wait(StopFlag stop);

  /// Drops what has not begun, and waits for the rest.
  void cancel();

 private:
  void start_thread();
  void run();
  bool is_busy() const { return num_running_ > 0 || (!waiting_.empty() && !fault_); }
  void wait_until(std::unique_lock<std::mutex>& lock, StopFlag stop, const std::function<bool()>& condition);

  std::size_t num_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t num_running_ = 0;
  std::exception_ptr fault_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace skimline::python
