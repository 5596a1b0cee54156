// SPDX-License-Identifier: BSD-3-Clause
#include "storage/reader_threads.h"

#include "skimline/framework/threads.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace skimline::io {

std::size_t threads_that_wait(const ReadingCost& cost) {
  constexpr std::size_t kFewest = 32;
  constexpr double kPerSecond = 8000;  // more take longer to start than they save
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
  join_ended();
}

// Called with the lock held.
bool ReaderThreads::has_started_one() {
  if (threads_.size() >= most_threads_ || !can_start_more_) return false;
  try {
    ended_.reserve(threads_.size() + 1);
    threads_.emplace_back([this] { serve(); });
    return true;
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  give_back();
  return false;
}

// oneTBB ends the run if it cannot start the thread that it wants next.
void ReaderThreads::give_back() {
  can_start_more_ = false;
  num_surplus_ = threads_.size() / 2;
  changed_.notify_all();
}

// Called with the lock held.
void ReaderThreads::end_this() {
  --num_surplus_;
  const auto is_this = [](const std::thread& thread) {
    return thread.get_id() == std::this_thread::get_id();
  };
  const auto found = std::find_if(threads_.begin(), threads_.end(), is_this);
  ended_.push_back(std::move(*found));
  threads_.erase(found);
  idle_.notify_all();
}

void ReaderThreads::join_ended() {
  std::vector<std::thread> ended;
  {
    const std::lock_guard lock(mutex_);
    if (ended_.empty()) return;
    ended.swap(ended_);
  }
  for (std::thread& thread : ended) thread.join();
}

// Where address space is limited, their stacks would leave none for the work.
void ReaderThreads::allow(std::size_t threads) {
  const std::lock_guard lock(mutex_);
  if (threads > most_threads_ && is_address_space_limited())
    threads = static_cast<std::size_t>(available_threads(static_cast<int>(threads)));
  most_threads_ = std::max(most_threads_, threads);
}

void ReaderThreads::submit(std::function<void()> work) {
  join_ended();
  {
    const std::lock_guard lock(mutex_);
    if (num_idle_ > waiting_.size() + num_surplus_ || has_started_one() || !threads_.empty()) {
      waiting_.push_back(std::move(work));
      changed_.notify_one();
      return;
    }
  }
  work();
}

void ReaderThreads::wait_until_idle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return waiting_.empty() && num_idle_ == threads_.size() && num_surplus_ == 0; });
  lock.unlock();
  join_ended();
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
    changed_.wait(lock, [this] { return is_over_ || num_surplus_ > 0 || !waiting_.empty(); });
    --num_idle_;
    if (is_over_) return;
    if (num_surplus_ > 0) return end_this();
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace skimline::io
