// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/runner.h"

#include "engine/cpu_limits.h"
#include "engine/crew.h"

#include "skimline/framework/threads.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace skimline {
namespace {

// Throws std::bad_alloc where there is no room for an arena: oneTBB 2021.11 holds a lock while it makes one,
// and waits for it for ever if it then has to throw.
void check_room_for_arena(int threads) {
  constexpr std::size_t kOfAll = 1 << 20, kOfThread = 1 << 12;
  oneapi::tbb::cache_aligned_allocator<std::byte> allocator;
  const std::size_t size = kOfAll + kOfThread * static_cast<std::size_t>(threads);
  allocator.deallocate(allocator.allocate(size), size);
}

}  // namespace

int default_threads() {
  CpuLimitPlaces places;
  if (const char* cores = std::getenv("SLURM_CPUS_PER_TASK")) places.slurm_cpus_per_task = cores;
  return threads_within_limits(oneapi::tbb::info::default_concurrency(), places);
}

void run_with_threads(int wanted, const std::function<void()>& work) {
  // oneTBB ends the process if it cannot start one.
  const int threads = available_threads(wanted > 0 ? wanted : default_threads());
  check_room_for_arena(threads);
  // TBB gives more threads than cores only if told so, and complains otherwise.
  std::optional<oneapi::tbb::global_control> more_threads;
  if (threads > oneapi::tbb::info::default_concurrency())
    more_threads.emplace(oneapi::tbb::global_control::max_allowed_parallelism,
                         static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  arena.execute(work);
}

// Each waits for the others, so that none takes the task of another, until none has come for a while: they
// may be busy elsewhere.
void start_threads(int wanted) {
  const int threads = available_threads(wanted > 0 ? wanted : default_threads());
  std::atomic<int> num_there = 0;
  const auto meet = [&] {
    int seen = ++num_there;
    auto since = std::chrono::steady_clock::now();
    while (seen < threads && std::chrono::steady_clock::now() < since + std::chrono::milliseconds(100)) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (num_there > seen) since = std::chrono::steady_clock::now();
      seen = num_there;
    }
  };
  run_with_threads(threads, [&] {
    oneapi::tbb::task_group others;
    for (int i = 1; i < threads; ++i) others.run(meet);
    meet();
    others.wait();
  });
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
