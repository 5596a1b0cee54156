// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/runner.h"

#include "engine/cpu_limits.h"
#include "engine/pass.h"

#include "skimline/framework/threads.h"

#include <chrono>
#include <cstdlib>
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

// Takes tasks of a pass wherever a thread has nothing to do. A thread for which there is nothing now leaves
// it to others to call it up again, and never waits.
class Crew {
 public:
  Crew(Pass& pass, std::size_t num_threads) : pass_(pass), num_threads_(num_threads) {}

  void work_to_end() {
    {
      const std::lock_guard lock(mutex_);
      call_up();
    }
    group_.wait();
  }

 private:
  void call_up() {
    if (num_working_ == num_threads_ || !pass_.has_next()) return;
    ++num_working_;
    group_.run([this] { work(); });
  }

  void work() {
    const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    std::unique_lock lock(mutex_);
    while (std::optional<StageTask> task = pass_.take(thread)) {
      call_up();
      lock.unlock();
      pass_.perform(*task, thread);
      lock.lock();
      pass_.finish(*std::move(task));
    }
    --num_working_;
  }

  Pass& pass_;
  const std::size_t num_threads_;
  std::mutex mutex_;
  std::size_t num_working_ = 0;
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

RunReport run(const Plan& plan, Source& source, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const int threads = available_threads(options.threads > 0 ? options.threads : default_threads());
  Pass pass(plan.program(), source, options, static_cast<std::size_t>(threads));
  run_with_threads(threads, [&] { Crew(pass, static_cast<std::size_t>(threads)).work_to_end(); });
  RunReport report = pass.report();
  report.threads = threads;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace skimline
