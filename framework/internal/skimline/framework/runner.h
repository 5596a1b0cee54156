// SPDX-License-Identifier: BSD-3-Clause
// Runs a plan over a source: one pass, parallel by slice, sinks in input order.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/read_statistics.h"
#include "skimline/framework/source.h"
#include "skimline/framework/stage.h"
#include "skimline/framework/stop_flag.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace skimline {

struct RunOptions {
  /// Threads to use; 0 means one per core the process may run on.
  int threads = 0;
  /// Set from elsewhere, a signal handler for instance, to make the run throw Interrupted soon.
  StopFlag stop;
  /// Called from one thread at a time, in slice order, with the number of entries done.
  std::function<void(std::uint64_t)> progress;
  /// Told of every stage as it ends, from the thread that has done it.
  std::function<void(const StageSpan&)> observe;
  /// Slices in flight at once, at most; 0 means 2 x threads + 2. Fewer need less memory.
  std::size_t max_slices_in_flight = 0;
};

struct RunReport {
  std::uint64_t num_entries = 0;
  /// Entries that each selection kept, by SelectionId::index; [0] is all entries.
  std::vector<std::uint64_t> entries_kept;
  ReadStatistics read;
  double seconds = 0;
  int threads = 0;
  /// Seconds spent in each stage, summed over the threads, by Stage.
  std::array<double, kNumStages> stage_seconds{};
};

/// Number of threads a run with `threads` = 0 uses: those of the cores that the process may run on, no more
/// than the limits of its control groups (cgroups) and SLURM_CPUS_PER_TASK allow.
int default_threads();

/// Calls `work`, whose parallel loops of oneTBB then use up to `threads` threads, also more than there are
/// cores.
void run_with_threads(int threads, const std::function<void()>& work);

/// Runs `plan` over all entries of `source`, whose schema must be the one the plan was made for. To finish
/// the sinks is left to the caller, who may have several outputs to complete together. Results do not depend
/// on the number of threads. Throws what the source, the sinks and the evaluation throw: of several faults
/// the one in the earliest slice.
RunReport run(const Plan& plan, Source& source, const RunOptions& options = {});

}  // namespace skimline
