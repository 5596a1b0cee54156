// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pass.h"

#include "skimline/framework/slices_in_flight.h"

#include <algorithm>
#include <string>
#include <utility>

#include <oneapi/tbb/task_arena.h>

namespace skimline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr bool is_in_order(Stage stage) { return stage == Stage::kStitch || stage == Stage::kCommit; }

Stage stage_after(Stage stage) { return static_cast<Stage>(static_cast<int>(stage) + 1); }

}  // namespace

void EarliestFault::record(std::size_t slice, std::exception_ptr fault) {
  const std::lock_guard lock(mutex_);
  if (slice >= slice_) return;
  slice_ = slice;
  fault_ = std::move(fault);
}

Pass::Pass(const Program& program, Source& source, const RunOptions& options, std::size_t num_threads)
    : program_(program),
      source_(source),
      options_(options),
      order_(clusters_of(source), num_threads, window_of(program, options, num_threads)),
      queues_{StageQueue(is_in_order(Stage::kEvaluate)), StageQueue(is_in_order(Stage::kStitch)),
              StageQueue(is_in_order(Stage::kSeal)), StageQueue(is_in_order(Stage::kCommit)),
              StageQueue(is_in_order(Stage::kWrite))},
      evaluators_(num_threads),
      times_(num_threads) {
  source.read_ahead(program.scopes.front().columns, 0);
}

// Slices in flight hold what is kept of them. Without sinks that is nothing.
SliceWindow Pass::window_of(const Program& program, const RunOptions& options, std::size_t num_threads) {
  SliceWindow window;
  if (!program.sinks.empty())
    window = {slices_before_stitching(num_threads), default_slices_in_flight(num_threads)};
  if (options.max_slices_in_flight > 0) window.in_flight = options.max_slices_in_flight;
  return window;
}

std::vector<std::size_t> Pass::clusters_of(const Source& source) {
  std::vector<std::size_t> clusters;
  clusters.reserve(source.slices().size());
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice)
    clusters.push_back(source.cluster_of(slice));
  return clusters;
}

void Pass::end_if_asked(std::size_t slice) {
  if (options_.stop.is_set()) fault_.record(slice, std::make_exception_ptr(Interrupted()));
}

bool Pass::has_next() const {
  return order_.has_next() ||
         std::any_of(queues_.begin(), queues_.end(), [](const StageQueue& each) { return each.has_next(); });
}

std::optional<StageTask> Pass::take(std::size_t thread) {
  for (std::size_t stage = kNumStages; --stage > 0;)
    if (queues_[stage].has_next()) return StageTask{static_cast<Stage>(stage), queues_[stage].take()};
  if (auto slice = next_slice(thread)) return StageTask{Stage::kEvaluate, std::move(slice)};
  return std::nullopt;
}

std::unique_ptr<SliceInFlight> Pass::next_slice(std::size_t thread) {
  while (const std::optional<std::size_t> number = order_.take(thread)) {
    end_if_asked(*number);
    if (!fault_.is_at_or_before(*number)) {
      auto slice = std::make_unique<SliceInFlight>();
      slice->slice = *number;
      ++num_in_flight_;
      return slice;
    }
    order_.complete(*number);
  }
  return nullptr;
}

void Pass::perform(StageTask& task, std::size_t thread) {
  const std::size_t slice = task.slice->slice;
  end_if_asked(slice);
  if (fault_.is_at_or_before(slice)) return;
  const Clock::time_point begin = Clock::now();
  try {
    // A thread that waits within a stage does nothing of other slices meanwhile, which would hold this one
    // up.
    oneapi::tbb::this_task_arena::isolate([&] { work(task.stage, *task.slice, thread); });
  } catch (...) {
    fault_.record(slice, std::current_exception());
  }
  const Clock::time_point end = Clock::now();
  times_[thread].spent[static_cast<std::size_t>(task.stage)] += end - begin;
  if (options_.observe) options_.observe({task.stage, slice, static_cast<int>(thread), begin, end});
}

void Pass::finish(StageTask task) {
  if (is_in_order(task.stage)) queue(task.stage).leave();
  const std::size_t slice = task.slice->slice;
  if (task.stage == Stage::kStitch) order_.stitched(slice);
  if (task.stage != Stage::kWrite && !fault_.is_at_or_before(slice))
    return queue(stage_after(task.stage)).add(std::move(task.slice));
  end(slice);
  end_behind_fault();
}

void Pass::end(std::size_t slice) {
  order_.complete(slice);
  --num_in_flight_;
}

// Slices that wait for the one with the fault would wait for ever.
void Pass::end_behind_fault() {
  for (StageQueue& queue : queues_)
    for (const std::size_t slice : queue.drop_from(fault_.slice())) end(slice);
}

void Pass::work(Stage stage, SliceInFlight& slice, std::size_t thread) {
  switch (stage) {
    case Stage::kEvaluate:
      return evaluate(slice, thread);
    case Stage::kStitch:
      return for_each_sink(slice, [](Sink& sink, Portion& portion) { sink.stitch(portion); });
    case Stage::kSeal:
      return for_each_sink(slice, [](Sink& sink, Portion& portion) { sink.seal(portion); });
    case Stage::kCommit:
      return commit(slice);
    case Stage::kWrite:
      return for_each_sink(slice, [](Sink& sink, Portion& portion) { sink.write(portion); });
  }
}

void Pass::evaluate(SliceInFlight& slice, std::size_t thread) {
  for (const Sink* sink : program_.sinks) slice.portions.push_back(sink->begin());
  const std::unique_ptr<SliceReader> reader = source_.open_slice(slice.slice);
  evaluator_of(thread).run(*reader, source_.slices()[slice.slice], slice.portions);
  for_each_sink(slice, [&](const Sink& sink, Portion& portion) { sink.gather(portion, *reader); });
}

Evaluator& Pass::evaluator_of(std::size_t thread) {
  if (!evaluators_[thread])
    evaluators_[thread] = std::make_unique<Evaluator>(program_, thread, options_.stop);
  return *evaluators_[thread];
}

void Pass::commit(SliceInFlight& slice) {
  for_each_sink(slice, [](Sink& sink, Portion& portion) { sink.commit(portion); });
  entries_done_ += source_.slices()[slice.slice].count;
  if (options_.progress) options_.progress(entries_done_);
}

std::vector<std::uint64_t> Pass::entries_in_scope() const {
  std::vector<std::uint64_t> total(program_.scopes.size());
  for (const std::unique_ptr<Evaluator>& evaluator : evaluators_) {
    if (!evaluator) continue;
    for (std::size_t scope = 0; scope < total.size(); ++scope)
      total[scope] += evaluator->entries_in_scope()[scope];
  }
  return total;
}

PassResult Pass::result() const {
  if (const std::exception_ptr fault = fault_.get()) return {{}, fault};
  try {
    return {report(), nullptr};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

RunReport Pass::report() const {
  const std::vector<std::uint64_t> in_scope = entries_in_scope();
  RunReport report;
  report.num_entries = in_scope[0];
  if (report.num_entries != source_.num_entries())
    throw InternalError("processed " + std::to_string(report.num_entries) + " of " +
                        std::to_string(source_.num_entries()) + " entries");
  for (const ScopeId scope : program_.selections) report.entries_kept.push_back(in_scope[scope]);
  report.read = source_.statistics();
  report.threads = static_cast<int>(times_.size());
  report.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  for (const StageTimes& times : times_)
    for (std::size_t stage = 0; stage < kNumStages; ++stage)
      report.stage_seconds[stage] += std::chrono::duration<double>(times.spent[stage]).count();
  return report;
}

}  // namespace skimline
