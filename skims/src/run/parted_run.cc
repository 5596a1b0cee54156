// SPDX-License-Identifier: BSD-3-Clause
#include "run/parted_run.h"

#include "plan/event_fault.h"
#include "run/skim_part.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

// The entries that are done of parts that run together.
class PartProgress {
 public:
  explicit PartProgress(const std::function<void(std::uint64_t)>& tell) : tell_(tell) {}

  // A part that needs nothing more.
  void add(std::uint64_t entries) {
    const std::lock_guard lock(mutex_);
    done_ += entries;
    tell();
  }

  // What is to be told of the entries of one part.
  std::function<void(std::uint64_t)> of_part() {
    return [this, before = std::uint64_t{0}](std::uint64_t entries) mutable {
      add(entries - std::exchange(before, entries));
    };
  }

 private:
  void tell() const {
    if (tell_) tell_(done_);
  }

  const std::function<void(std::uint64_t)>& tell_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

// Several parts at a time, each with histograms of its own.
class PartedRun {
 public:
  PartedRun(SampleParts& parts, const RunOptions& options, const TakeSkims& take_skims)
      : parts_(parts), options_(options), take_skims_(take_skims), progress_(options.progress) {}

  PartedResult run() && {
    made_.totals = parts_.empty_totals();
    summed_ = parts_.add_sum(made_.totals);
    for (const std::size_t part : summed_) note_taken(part, parts_.num_results());
    made_.result.report.threads = options_.threads;
    for (std::size_t part = 0; part < parts_.parts().size() && !made_.at_fault;) {
      const std::size_t end = run_some(part);
      for (; part < end && !made_.at_fault; ++part) take_skims_(parts_.skim_paths(part));
    }
    made_.result.report.entries_kept = made_.totals.entries_kept;
    return std::move(made_);
  }

 private:
  // Returns the number of the next part. All plans are there before the first pass has a reference to one.
  std::size_t run_some(std::size_t part) {
    // Where memory is limited, it was reckoned for the histograms of one plan.
    const bool is_memory_short = options_.max_slices_in_flight > 0;
    const std::size_t usual = is_memory_short ? 1 : 2 * static_cast<std::size_t>(options_.threads);
    std::vector<PlannedPart> missing;
    const auto may_wait = [&] { return !is_memory_short && parts_.may_wait_together(missing); };
    for (; part < parts_.parts().size() && (missing.size() < usual || may_wait()); ++part) {
      options_.stop.throw_if_set();
      if (summed_.contains(part)) continue;
      PlannedPart found = parts_.look_up(part);
      if (found.is_known)
        take(found);
      else
        missing.push_back(std::move(found));
    }
    parts_.plan(missing);
    std::vector<PlannedPass> passes;
    for (PlannedPart& each : missing) {
      passes.push_back(pass_of(each));
      passes.back().reads_ahead_at_once = missing.size() > usual;
    }
    run_together(std::move(passes), options_.threads);
    return part;
  }

  void take(const PlannedPart& part) {
    parts_.add(part, PartResults(), made_.totals);
    note_taken(part.number, num_known(part));
  }

  void note_taken(std::size_t part, std::size_t num_results) {
    made_.num_taken += num_results;
    progress_.add(parts_.parts()[part].entries.count);
  }

  static std::size_t num_known(const PlannedPart& part) {
    const std::vector<std::string>& skims = part.missing_skims;
    return part.known.keys().size() +
           static_cast<std::size_t>(std::count(skims.begin(), skims.end(), std::string()));
  }

  PlannedPass pass_of(PlannedPart& part) {
    RunOptions options = options_;
    options.progress = progress_.of_part();
    const auto skims = std::make_shared<SkimsOfPart>(part, options_);
    return {part.missing->job.build(), *part.missing->source, std::move(options),
            [this, &part, skims](PassResult result) { complete(part, *skims, result); }};
  }

  // Of several faults that of the earliest part counts; results of parts behind it are kept all the same.
  void complete(PlannedPart& part, SkimsOfPart& skims, PassResult& result) {
    RunReport& report = made_.result.report;
    report.read += part.missing->source->statistics();
    if (result.fault) {
      if (made_.at_fault) return;
      made_.result.fault = result.fault;
      made_.at_fault = std::move(part.missing);
      return;
    }
    part.missing->source->check_unchanged();
    skims.finish();
    PartResults computed = parts_.results_of(part, result.report, true);
    made_.num_taken += num_known(part);
    made_.num_computed += computed.keys().size() + skims.size();
    parts_.add(part, std::move(computed), made_.totals);
    report.seconds += result.report.seconds;
    for (std::size_t stage = 0; stage < kNumStages; ++stage)
      report.stage_seconds[stage] += result.report.stage_seconds[stage];
    part.missing.reset();
  }

  SampleParts& parts_;
  const RunOptions& options_;
  const TakeSkims& take_skims_;
  PartProgress progress_;
  PartedResult made_;
  std::set<std::size_t> summed_;  // parts whose sum was in the store
};

}  // namespace

PartedResult run_parts(SampleParts& parts, const RunOptions& options, const TakeSkims& take_skims) {
  return PartedRun(parts, options, take_skims).run();
}

namespace {

// Nothing if what has gone wrong is for run_parts() to deal with.
std::optional<PartResults> computed(const SampleParts& parts, PlannedPart& part, const RunOptions& options,
                                    bool are_kept) {
  if (!part.missing) return PartResults();
  try {
    SkimsOfPart skims(part, options);
    const RunReport report = run(part.missing->job.build(), *part.missing->source, options);
    part.missing->source->check_unchanged();
    skims.finish();
    return parts.results_of(part, report, are_kept);
  } catch (const EvaluationError& error) {
    if (!user_of(error, *part.missing).cut_left_out) throw event_error(*part.missing, error);
    return std::nullopt;
  }
}

}  // namespace

bool compute_part(SampleParts& parts, std::size_t number, const RunOptions& options) {
  PlannedPart part = parts.planned(number);
  return computed(parts, part, options, false).has_value();
}

std::optional<std::vector<histograms::Histogram>> results_of_part(SampleParts& parts, std::size_t number,
                                                                  const RunOptions& options) {
  PlannedPart part = parts.planned(number);
  std::optional<PartResults> results = computed(parts, part, options, true);
  if (!results) return std::nullopt;
  return parts.in_order(part, std::move(*results));
}

}  // namespace skimline::skims
