// SPDX-License-Identifier: BSD-3-Clause
// One plan over one source as tasks: what can be done now, and what follows from what was done.
#pragma once

#include "engine/evaluator.h"
#include "engine/slice_order.h"
#include "engine/stage_queue.h"

#include "skimline/framework/plan.h"
#include "skimline/framework/run_report.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace skimline {

/// Keeps the fault of the earliest slice, so that the same input gives the same message whatever the threads.
class EarliestFault {
 public:
  void record(std::size_t slice, std::exception_ptr fault);
  /// Whether a slice need not go on. Slices before the faulty one must: their fault would be the one to
  /// report.
  bool is_at_or_before(std::size_t slice) const { return slice_ <= slice; }
  /// The largest number without a fault.
  std::size_t slice() const { return slice_; }
  std::exception_ptr get() const { return fault_; }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> slice_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr fault_;
};

/// One stage of one slice, to be performed.
struct StageTask {
  Stage stage = Stage::kEvaluate;
  std::unique_ptr<SliceInFlight> slice;
};

/// Every slice goes through the stages; those that a sink demands in order take one slice at a time:
///
///   evaluate -> stitch -> seal -> commit -> write
///   parallel    in order  parallel in order  parallel
///
/// take(), has_next() and finish() are called by one thread at a time, perform() by many.
class Pass {
 public:
  /// All must outlive the pass. `num_threads` is how many there are at most.
  Pass(const Program& program, Source& source, const RunOptions& options, std::size_t num_threads);

  /// Whether there is something to perform now; a thread that asks for it may still find it gone.
  bool has_next() const;
  /// Returns what a thread is to perform, the latest stage and the earliest slice first. finish() must
  /// follow.
  std::optional<StageTask> take(std::size_t thread);
  /// Never throws: of all faults the one of the earliest slice is kept, and slices behind it go no further.
  void perform(StageTask& task, std::size_t thread);
  void finish(StageTask task);

  /// Whether all slices were handed out.
  bool is_handed_out() const { return order_.is_exhausted(); }
  /// Whether nothing is left to perform, now and later.
  bool is_over() const { return num_in_flight_ == 0 && is_handed_out(); }
  /// Once it is over.
  PassResult result() const;

 private:
  static SliceWindow window_of(const Program& program, const RunOptions& options, std::size_t num_threads);
  static std::vector<std::size_t> clusters_of(const Source& source);
  void end_if_asked(std::size_t slice);
  void end(std::size_t slice);
  void end_behind_fault();
  std::unique_ptr<SliceInFlight> next_slice(std::size_t thread);
  void work(Stage stage, SliceInFlight& slice, std::size_t thread);
  void evaluate(SliceInFlight& slice, std::size_t thread);
  void commit(SliceInFlight& slice);
  Evaluator& evaluator_of(std::size_t thread);
  std::vector<std::uint64_t> entries_in_scope() const;
  RunReport report() const;
  StageQueue& queue(Stage stage) { return queues_[static_cast<std::size_t>(stage)]; }

  template <typename Step>
  void for_each_sink(SliceInFlight& slice, Step step) {
    for (std::size_t i = 0; i < program_.sinks.size(); ++i) step(*program_.sinks[i], *slice.portions[i]);
  }

  // The time that a thread spends in the stages.
  struct alignas(64) StageTimes {
    std::array<std::chrono::steady_clock::duration, kNumStages> spent{};
  };

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Program& program_;
  Source& source_;
  const RunOptions& options_;
  SliceOrder order_;
  std::array<StageQueue, kNumStages> queues_;           // by stage; the first is not used
  std::vector<std::unique_ptr<Evaluator>> evaluators_;  // by thread
  std::vector<StageTimes> times_;                       // the same
  std::size_t num_in_flight_ = 0;
  std::uint64_t entries_done_ = 0;
  EarliestFault fault_;
};

}  // namespace skimline
