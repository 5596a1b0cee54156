// SPDX-License-Identifier: BSD-3-Clause
#include "work_queue.h"

#include "skimline/framework/runner.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace skimline::python {

WorkQueue::~WorkQueue() {
  cancel();
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkQueue::add(std::function<void()> work, StopFlag stop) {
  std::unique_lock lock(mutex_);
  wait_until(lock, stop, [&] { return num_running_ + waiting_.size() <= num_threads_; });
  waiting_.push_back(std::move(work));
  if (num_running_ + waiting_.size() > threads_.size() && threads_.size() < num_threads_) start_thread();
  changed_.notify_all();
}

// Those that are there do the work if no more can be started.
void WorkQueue::start_thread() {
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw Error("no thread can be started within the limits of the system");
    num_threads_ = threads_.size();
  }
}

void WorkQueue::wait(StopFlag stop) {
  std::unique_lock lock(mutex_);
  wait_until(lock, stop, [&] { return !is_busy(); });
}

void WorkQueue::cancel() {
  std::unique_lock lock(mutex_);
  waiting_.clear();
  changed_.wait(lock, [&] { return num_running_ == 0; });
}

void WorkQueue::wait_until(std::unique_lock<std::mutex>& lock, StopFlag stop,
                           const std::function<bool()>& condition) {
  const auto is_done = [&] { return fault_ || condition(); };
  while (!changed_.wait_for(lock, std::chrono::milliseconds(50), is_done)) stop.throw_if_set();
  if (fault_) std::rethrow_exception(fault_);
}

void WorkQueue::run() {
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return is_over_ || (!waiting_.empty() && !fault_); });
    if (is_over_) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    ++num_running_;
    lock.unlock();
    std::exception_ptr fault;
    try {
      work();
    } catch (...) {
      fault = std::current_exception();
    }
    work = nullptr;  // what it holds goes before anybody hears that it is done
    lock.lock();
    --num_running_;
    if (fault && !fault_) fault_ = fault;
    changed_.notify_all();
  }
}

}  // namespace skimline::python
