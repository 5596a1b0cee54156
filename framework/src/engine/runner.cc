// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/runner.h"

#include "engine/cpu_limits.h"
#include "engine/evaluator.h"

#include "skimline/framework/threads.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace skimline {
namespace {

namespace tbb = oneapi::tbb;

// One slice on its way through the pipeline.
struct Token {
  std::size_t slice = 0;
  std::vector<std::unique_ptr<Portion>> portions;  // by sink
};
using TokenPointer = std::shared_ptr<Token>;

// Keeps the fault of the earliest slice, so that the same input gives the same message whatever the threads.
class EarliestFault {
 public:
  void record(std::size_t slice, std::exception_ptr fault) {
    const std::lock_guard lock(mutex_);
    if (slice >= slice_) return;
    slice_ = slice;
    fault_ = std::move(fault);
  }
  /// Whether a slice need not go on. Slices before the faulty one must: their fault would be the one to
  /// report.
  bool is_at_or_before(std::size_t slice) const { return slice_ <= slice; }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> slice_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr fault_;
};

using Clock = std::chrono::steady_clock;

// The time that one thread spends in the stages. While it waits for pages that others seal, it may do a stage
// of another slice, which is not to count twice.
class alignas(64) StageTimes {
 public:
  void begin() { nested_.push_back({}); }
  void end(Stage stage, Clock::duration whole) {
    own_[static_cast<std::size_t>(stage)] += whole - nested_.back();
    nested_.pop_back();
    if (!nested_.empty()) nested_.back() += whole;
  }
  double seconds(std::size_t stage) const { return std::chrono::duration<double>(own_[stage]).count(); }

 private:
  std::array<Clock::duration, kNumStages> own_{};
  std::vector<Clock::duration> nested_;  // within each stage that the thread is in, the outermost first
};

int thread_of_arena() { return tbb::this_task_arena::current_thread_index(); }

// One run: the pipeline's stages and what they share. Stages do not throw into the pipeline, which would lose
// what is in flight: a fault is recorded, later slices are passed through untouched, and no new ones start.
class Run {
 public:
  Run(const Program& program, Source& source, const RunOptions& options, int threads)
      : program_(program),
        source_(source),
        options_(options),
        evaluators_(static_cast<std::size_t>(threads)),
        times_(static_cast<std::size_t>(threads)) {}

  void execute() {
    // Tokens bound the memory in flight; a few more than threads let slow slices be overtaken.
    const std::size_t tokens =
        options_.max_slices_in_flight > 0 ? options_.max_slices_in_flight : 2 * evaluators_.size() + 2;
    const auto in_order = tbb::filter_mode::serial_in_order;
    const auto parallel = tbb::filter_mode::parallel;
    tbb::parallel_pipeline(
        tokens,
        tbb::make_filter<void, TokenPointer>(in_order, [this](auto& control) { return next(control); }) &
            stage(parallel, Stage::kEvaluate, &Run::evaluate) &
            stage(in_order, Stage::kStitch, &Run::stitch) & stage(parallel, Stage::kSeal, &Run::seal) &
            stage(in_order, Stage::kCommit, &Run::commit) & stage(parallel, Stage::kWrite, &Run::write) &
            tbb::make_filter<TokenPointer, void>(parallel, [](const auto&) {}));
    fault_.rethrow();
  }

  std::vector<std::uint64_t> entries_in_scope() const {
    std::vector<std::uint64_t> total(program_.scopes.size());
    for (const auto& evaluator : evaluators_) {
      if (!evaluator) continue;
      for (std::size_t scope = 0; scope < total.size(); ++scope)
        total[scope] += evaluator->entries_in_scope()[scope];
    }
    return total;
  }

  std::array<double, kNumStages> stage_seconds() const {
    std::array<double, kNumStages> seconds{};
    for (const StageTimes& times : times_)
      for (std::size_t stage = 0; stage < kNumStages; ++stage) seconds[stage] += times.seconds(stage);
    return seconds;
  }

 private:
  using Work = void (Run::*)(Token&);

  tbb::filter<TokenPointer, TokenPointer> stage(tbb::filter_mode mode, Stage stage, Work work) {
    return tbb::make_filter<TokenPointer, TokenPointer>(mode, [this, stage, work](TokenPointer token) {
      end_if_asked(token->slice);
      if (fault_.is_at_or_before(token->slice)) return token;
      const int thread = thread_of_arena();
      StageTimes& times = times_[static_cast<std::size_t>(thread)];
      times.begin();
      const Clock::time_point begin = Clock::now();
      try {
        (this->*work)(*token);
      } catch (...) {
        fault_.record(token->slice, std::current_exception());
      }
      const Clock::time_point end = Clock::now();
      times.end(stage, end - begin);
      if (options_.observe) options_.observe({stage, token->slice, thread, begin, end});
      return token;
    });
  }

  void end_if_asked(std::size_t slice) {
    if (options_.stop.is_set()) fault_.record(slice, std::make_exception_ptr(Interrupted()));
  }

  TokenPointer next(tbb::flow_control& control) {
    end_if_asked(next_slice_);
    if (next_slice_ == source_.slices().size() || fault_.is_at_or_before(next_slice_)) {
      control.stop();
      return nullptr;
    }
    auto token = std::make_shared<Token>();
    token->slice = next_slice_++;
    return token;
  }

  void evaluate(Token& token) {
    for (const Sink* sink : program_.sinks) token.portions.push_back(sink->begin());
    const std::unique_ptr<SliceReader> reader = source_.open_slice(token.slice);
    evaluator_of_thread().run(*reader, source_.slices()[token.slice], token.portions);
    for_each_sink(token, [&](const Sink& sink, Portion& portion) { sink.gather(portion, *reader); });
  }

  Evaluator& evaluator_of_thread() {
    const auto slot = static_cast<std::size_t>(thread_of_arena());
    if (!evaluators_[slot]) evaluators_[slot] = std::make_unique<Evaluator>(program_, slot, options_.stop);
    return *evaluators_[slot];
  }

  void stitch(Token& token) {
    for_each_sink(token, [](Sink& sink, Portion& portion) { sink.stitch(portion); });
  }

  void seal(Token& token) {
    for_each_sink(token, [](Sink& sink, Portion& portion) { sink.seal(portion); });
  }

  void commit(Token& token) {
    for_each_sink(token, [](Sink& sink, Portion& portion) { sink.commit(portion); });
    entries_done_ += source_.slices()[token.slice].count;
    if (options_.progress) options_.progress(entries_done_);
  }

  void write(Token& token) {
    for_each_sink(token, [](Sink& sink, Portion& portion) { sink.write(portion); });
  }

  template <typename Step>
  void for_each_sink(Token& token, Step step) {
    for (std::size_t i = 0; i < program_.sinks.size(); ++i) step(*program_.sinks[i], *token.portions[i]);
  }

  const Program& program_;
  Source& source_;
  const RunOptions& options_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;  // by thread of the arena
  std::vector<StageTimes> times_;                       // the same
  std::size_t next_slice_ = 0;
  std::uint64_t entries_done_ = 0;
  EarliestFault fault_;
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
  const Clock::time_point start = Clock::now();
  const Program& program = plan.program();
  RunReport report;
  report.threads = available_threads(options.threads > 0 ? options.threads : default_threads());

  Run pass(program, source, options, report.threads);
  run_with_threads(report.threads, [&] { pass.execute(); });

  const std::vector<std::uint64_t> in_scope = pass.entries_in_scope();
  report.num_entries = in_scope[0];
  if (report.num_entries != source.num_entries())
    throw InternalError("processed " + std::to_string(report.num_entries) + " of " +
                        std::to_string(source.num_entries()) + " entries");
  for (const ScopeId scope : program.selections) report.entries_kept.push_back(in_scope[scope]);
  report.read = source.statistics();
  report.stage_seconds = pass.stage_seconds();
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace skimline
