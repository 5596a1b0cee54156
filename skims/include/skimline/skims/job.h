// SPDX-License-Identifier: BSD-3-Clause
// Runs what a config asks for: one pass over its files, histograms and skims out.
#pragma once

#include "skimline/framework/runner.h"
#include "skimline/framework/source.h"
#include "skimline/skims/config.h"
#include "skimline/skims/left_out_columns.h"
#include "skimline/skims/run_record.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// How far a job is.
struct JobProgress {
  std::string_view sample;  ///< being processed
  std::uint64_t entries_done = 0, num_entries = 0;
  std::uint64_t files_done = 0, num_files = 0;
  /// Of the files, in proportion to the entries that were processed.
  std::uint64_t bytes_done = 0, num_bytes = 0;
};

/// A histogram that a job has filled, for one sample, region and weight.
struct FilledHistogram {
  std::string sample;     ///< or the name of a sum of samples
  std::string name;       ///< in the config
  std::string region;     ///< empty if it has none
  std::string variation;  ///< or that of the weight; empty if nominal
  histograms::Histogram histogram;
};

struct JobOptions {
  /// 0 means default_threads(). Outputs are the same for any number.
  int threads = 0;
  /// As in RunOptions; 0 means as many as the memory limit of the config allows.
  std::size_t max_slices_in_flight = 0;
  /// Makes the job throw Interrupted soon once it is true.
  const std::atomic<bool>* stop = nullptr;
  /// Called from one thread at a time.
  std::function<void(const JobProgress&)> progress;
  /// Given each warning of the job once, as soon as it is known; those of the config before the first event
  /// is read, and none if the config has mistakes. Called from one thread. The report has all of them.
  std::function<void(const std::string&)> warn;
  /// Told of every stage of every slice, from many threads. `sample` lives as long as the config.
  std::function<void(std::string_view sample, const StageSpan&)> observe;
  /// Given all histograms, in the order of samples and of the config, before the outputs are complete: if the
  /// job throws, they count for nothing. Called from one thread.
  std::function<void(FilledHistogram)> take_histogram;
  /// Whether histograms go to the file that the config names for them.
  bool writes_histograms = true;
  /// Whether the report goes to the file that the config names for it.
  bool writes_report = false;
  /// Whether outputs may replace files that are no older outputs of the same job.
  bool overwrites = false;
};

/// Events left after one step; the first step is all events.
struct CutflowStep {
  std::string name;
  std::uint64_t num_passed = 0;
  double sum_weights = 0;  ///< of these events: their number if the sample has no weights
  double sum_squares = 0;  ///< of their weights
};

/// Events in a region.
struct RegionCount {
  CutflowStep step;
  std::string after;             ///< the step of the cutflow whose events it is taken from
  std::uint64_t num_before = 0;  ///< these events
};

struct OutputFile {
  std::string path;
  std::string content;  ///< such as "skim \"dimuon\": 1 234 events, 15 columns"
  std::uint64_t bytes = 0;
  std::string checksum;  ///< "adler32:" and eight hexadecimal digits; empty for devices
};

/// All histograms that were filled.
struct HistogramSummary {
  std::uint64_t number = 0;
  std::uint64_t cells = 0;    ///< flow cells included
  std::uint64_t bytes = 0;    ///< of their sums in memory, without copies for threads
  double reduce_seconds = 0;  ///< summing up what the threads have filled
  double write_seconds = 0;
};

/// The events of one variation.
struct VariationCount {
  std::string name;
  std::vector<CutflowStep> cutflow;
  std::vector<RegionCount> regions;
};

/// Events in and outside the luminosity blocks of a mask.
struct LumiCount {
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
};

/// Columns of the input that a skim would have had and could not get.
struct LeftOutOfSkim {
  std::string skim;
  std::string ntuple;  ///< the RNTuple or TTree in it
  std::vector<LeftOutColumn> columns;
};

/// What became of one sample.
struct SampleReport {
  std::string name;
  std::vector<CutflowStep> cutflow;
  std::vector<CutflowStep> n_minus_1;  ///< by cut: what passes all others
  std::vector<RegionCount> regions;
  std::vector<VariationCount> variations;  ///< those that the sample has
  std::optional<LumiCount> lumi;
  std::uint64_t num_files = 0;           ///< that were read
  std::uint64_t num_entries = 0;         ///< that were processed
  std::uint64_t promised_entries = 0;    ///< by the inputs, within the limits
  std::vector<SkippedInput> skipped;     ///< inputs that were left out
  std::vector<std::string> missing;      ///< where less was processed than promised, and why
  std::vector<LeftOutOfSkim> left_out;   ///< by skim, if there is anything
  std::vector<std::string> differences;  ///< columns that not all files have alike, and what was made of it
  double seconds = 0;
};

struct JobReport {
  std::vector<SampleReport> samples;
  RunRecord record;  ///< as the outputs carry it
  std::uint64_t num_files = 0;
  std::uint64_t num_entries = 0;
  ReadStatistics read;
  HistogramSummary histograms;
  double seconds = 0;  ///< of the event loop, the reduction of histograms and the outputs
  std::array<double, kNumStages> stage_seconds{};  ///< summed over the threads, by Stage
  double processor_seconds = 0;                    ///< of all threads, in `seconds`
  std::uint64_t peak_memory = 0;                   ///< bytes of the process so far
  std::chrono::system_clock::time_point started;
  int threads = 0;
  std::vector<OutputFile> outputs;
  std::vector<std::string> warnings;

  /// Whether all that the inputs promised was processed, and skims have all columns that they should.
  bool is_complete() const;
};

/// Checks all expressions, patterns and types against the files, runs, and writes the outputs. Either all
/// outputs appear, or none.
///
/// Throws ConfigError listing all mistakes with line and column before any event is read; FileError,
/// SchemaError and EvaluationError for what is met in the files; Interrupted.
JobReport run_job(const Config& config, const JobOptions& options = {});

/// Returns the cutflow and the summary as tables.
std::string to_text(const JobReport& report);

/// Returns the report as one JSON object. All but times, "threads" and "requests" is the same for any number
/// of threads.
std::string to_json(const JobReport& report);

}  // namespace skimline::skims
