// SPDX-License-Identifier: BSD-3-Clause
// What a run is told, and what it tells.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/read_statistics.h"
#include "skimline/framework/stage.h"
#include "skimline/framework/stop_flag.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
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
  /// Slices in flight at once, at most; 0 means default_slices_in_flight(). Fewer need less memory.
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

/// What became of a pass: a report, or what it has thrown.
struct PassResult {
  RunReport report;
  std::exception_ptr fault;
};

}  // namespace skimline
