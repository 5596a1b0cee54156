// SPDX-License-Identifier: BSD-3-Clause
#include "storage/reader_threads.h"

#include <system_error>
#include <utility>

namespace skimline::io {

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
  if (threads_.size() == most_threads_) return false;
  try {
    threads_.emplace_back([this] { serve(); });
    return true;
  } catch (const std::system_error&) {
    most_threads_ = threads_.size();
    return false;
  }
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
