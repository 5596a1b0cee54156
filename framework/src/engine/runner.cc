// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/runner.h"

#include "engine/cpu_limits.h"
#include "engine/pass.h"

#include "skimline/framework/threads.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace skimline {
namespace {

namespace tbb = oneapi::tbb;

// Performs the tasks of passes, those of the earliest first. A thread for which there is nothing now leaves
// the crew, and is called up again when there is; it never waits.
class Crew {
 public:
  Crew(std::vector<PlannedPass> planned, std::size_t num_threads)
      : planned_(std::move(planned)), passes_(planned_.size()), num_threads_(num_threads) {}

  void work_to_end() {
    {
      const std::lock_guard lock(mutex_);
      call_up();
    }
    group_.wait();
    if (fault_) std::rethrow_exception(fault_);
    if (first_ != planned_.size()) throw InternalError("a run ended before all of its passes");
  }

 private:
  Pass& pass(std::size_t number) {
    const PlannedPass& planned = planned_[number];
    if (!passes_[number])
      passes_[number] =
          std::make_unique<Pass>(planned.plan.program(), planned.source, planned.options, num_threads_);
    return *passes_[number];
  }

  bool can_complete() {
    return !is_completing_ && !fault_ && first_ < planned_.size() && pass(first_).is_over();
  }

  // Calls `use` with the passes that may be worked on, until it returns true, and returns whether it did. A
  // pass begins once all slices of those before it are handed out: what is in flight of these gets fewer.
  template <typename Use>
  bool use_first(Use use) {
    if (fault_) return false;
    const std::size_t begin = first_ + (is_completing_ ? 1 : 0);
    const std::size_t end = std::min(planned_.size(), first_ + num_threads_ + 1);
    for (std::size_t number = begin; number < end; ++number) {
      if (use(pass(number))) return true;
      if (!pass(number).is_handed_out()) return false;
    }
    return false;
  }

  bool has_next() {
    return can_complete() || use_first([](const Pass& each) { return each.has_next(); });
  }

  void call_up() {
    if (num_working_ == num_threads_ || !has_next()) return;
    ++num_working_;
    group_.run([this] { work(); });
  }

  void work() {
    const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    std::unique_lock lock(mutex_);
    while (work_once(thread, lock)) continue;
    --num_working_;
  }

  // Returns whether there was something to do. The lock is held but while it is done.
  bool work_once(std::size_t thread, std::unique_lock<std::mutex>& lock) {
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

  void complete_first(std::unique_lock<std::mutex>& lock) {
    is_completing_ = true;
    PassResult result = pass(first_).result();
    passes_[first_].reset();
    call_up();
    lock.unlock();
    std::exception_ptr fault;
    try {
      tbb::this_task_arena::isolate([&] { planned_[first_].complete(std::move(result)); });
    } catch (...) {
      fault = std::current_exception();
    }
    lock.lock();
    fault_ = fault;
    is_completing_ = false;
    ++first_;
  }

  std::vector<PlannedPass> planned_;
  std::vector<std::unique_ptr<Pass>> passes_;  // those that were begun and are not complete
  const std::size_t num_threads_;
  std::mutex mutex_;
  std::size_t first_ = 0;  // that is not complete
  bool is_completing_ = false;
  std::size_t num_working_ = 0;
  std::exception_ptr fault_;
  tbb::task_group group_;
};

}  // namespace

int default_threads() {
  CpuLimitPlaces places;
  if (const char* cores = std::getenv("SLURM_CPUS_PER_TASK")) places.slurm_cpus_per_task = cores;
  return threads_within_limits(tbb::info::default_concurrency(), places);
}

void run_with_threads(int wanted, const std::function<void()>& work) {
  // oneTBB ends the process if it cannot start one.
  const int threads = available_threads(wanted > 0 ? wanted : default_threads());
  // TBB gives more threads than cores only if told so, and complains otherwise.
  std::optional<tbb::global_control> more_threads;
  if (threads > tbb::info::default_concurrency())
    more_threads.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(work);
}

void run_together(std::vector<PlannedPass> passes, int wanted) {
  const int threads = available_threads(wanted > 0 ? wanted : default_threads());
  Crew crew(std::move(passes), static_cast<std::size_t>(threads));
  run_with_threads(threads, [&] { crew.work_to_end(); });
}

RunReport run(const Plan& plan, Source& source, const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  PassResult result;
  run_together({{plan, source, options, [&](PassResult found) { result = std::move(found); }}},
               options.threads);
  if (result.fault) std::rethrow_exception(result.fault);
  result.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::move(result.report);
}

}  // namespace skimline
