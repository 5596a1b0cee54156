// SPDX-License-Identifier: BSD-3-Clause
#include "engine/crew.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <oneapi/tbb/task_arena.h>

namespace skimline {

Crew::Crew(std::vector<PlannedPass> planned, std::size_t num_threads)
    : planned_(std::move(planned)), passes_(planned_.size()), num_threads_(num_threads) {}

void Crew::work_to_end() {
  {
    const std::lock_guard lock(mutex_);
    fetch_ahead();
    call_up();
  }
  group_.wait();
  if (fault_) std::rethrow_exception(fault_);
  if (first_ != planned_.size()) throw InternalError("a run ended before all of its passes");
}

void Crew::fetch_ahead() {
  for (const PlannedPass& planned : planned_) {
    if (!planned.reads_ahead_at_once) continue;
    planned.source.read_ahead(planned.plan.program().scopes.front().columns, 0);
    planned.source.fetch_ahead();
  }
}

Pass& Crew::pass(std::size_t number) {
  const PlannedPass& planned = planned_[number];
  if (!passes_[number])
    passes_[number] =
        std::make_unique<Pass>(planned.plan.program(), planned.source, planned.options, num_threads_);
  return *passes_[number];
}

bool Crew::can_complete() {
  return !is_completing_ && !fault_ && first_ < planned_.size() && pass(first_).is_over();
}

// Calls `use` with the passes that may be worked on, until it returns true, and returns whether it did. A
// pass begins once all slices of those before it are handed out: what is in flight of these gets fewer.
template <typename Use>
bool Crew::use_first(Use use) {
  if (fault_) return false;
  const std::size_t begin = first_ + (is_completing_ ? 1 : 0);
  const std::size_t end = std::min(planned_.size(), first_ + num_threads_ + 1);
  for (std::size_t number = begin; number < end; ++number) {
    if (use(pass(number))) return true;
    if (!pass(number).is_handed_out()) return false;
  }
  return false;
}

bool Crew::has_next() {
  return can_complete() || use_first([](const Pass& each) { return each.has_next(); });
}

void Crew::call_up() {
  if (num_working_ == num_threads_ || !has_next()) return;
  ++num_working_;
  group_.run([this] { work(); });
}

void Crew::work() {
  const auto thread = static_cast<std::size_t>(oneapi::tbb::this_task_arena::current_thread_index());
  std::unique_lock lock(mutex_);
  while (work_once(thread, lock)) continue;
  --num_working_;
}

// Returns whether there was something to do. The lock is held but while it is done.
bool Crew::work_once(std::size_t thread, std::unique_lock<std::mutex>& lock) {
  if (can_complete()) {
    complete_first(lock);
    return true;
  }
  const auto perform_one = [&](Pass& from) {
    std::optional<StageTask> task = from.take(thread);
    if (!task) return false;
    call_up();
    lock.unlock();
    from.perform(*task, thread);
    lock.lock();
    from.finish(*std::move(task));
    return true;
  };
  // A pass that has failed may turn out to have nothing left.
  return use_first(perform_one) || can_complete();
}

void Crew::complete_first(std::unique_lock<std::mutex>& lock) {
  is_completing_ = true;
  PassResult result = pass(first_).result();
  passes_[first_].reset();
  call_up();
  lock.unlock();
  std::exception_ptr fault;
  try {
    oneapi::tbb::this_task_arena::isolate([&] { planned_[first_].complete(std::move(result)); });
  } catch (...) {
    fault = std::current_exception();
  }
  lock.lock();
  fault_ = fault;
  is_completing_ = false;
  ++first_;
}

}  // namespace skimline
