// SPDX-License-Identifier: BSD-3-Clause
#include "storage/reader_threads.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace skimline::io {

std::size_t threads_that_wait(const ReadingCost& cost) {
  constexpr std::size_t kFewest = 32;
  constexpr double kPerSecond = 16000;
  const double wanted = std::min(1.0, cost.seconds_per_request) * kPerSecond;
  return std::clamp(static_cast<std::size_t>(wanted), kFewest, cost.most_requests);
}

ReaderThreads::~ReaderThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Called with the lock held.
bool ReaderThreads::has_started_one() {
  if (threads_.size() >= most_threads_ || !can_start_more_) return false;
  try {
    threads_.emplace_back([this] { serve(); });
    return true;
  } catch (const std::system_error&) {
    can_start_more_ = false;
    return false;
  }
}

void ReaderThreads::allow(std::size_t threads) {
  const std::lock_guard lock(mutex_);
  most_threads_ = std::max(most_threads_, threads);
}

void ReaderThreads::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (num_idle_ > waiting_.size() || has_started_one() || !threads_.empty()) {
      waiting_.push_back(std::move(work));
      changed_.notify_one();
      return;
    }
  }
  work();
}

void ReaderThreads::wait_until_idle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return waiting_.empty() && num_idle_ == threads_.size(); });
}

void ReaderThreads::abandon() {
  std::deque<std::function<void()>> abandoned;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    abandoned.swap(waiting_);
  }
  wait_until_idle();
}

void ReaderThreads::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++num_idle_;
    idle_.notify_all();
    changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    --num_idle_;
    if (is_over_) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace skimline::io
