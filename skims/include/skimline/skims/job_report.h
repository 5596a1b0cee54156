// SPDX-License-Identifier: BSD-3-Clause
// What came of a job: events step by step, what was read and left out, and outputs.
#pragma once

#include "skimline/framework/read_statistics.h"
#include "skimline/framework/stage.h"
#include "skimline/skims/left_out_columns.h"
#include "skimline/skims/run_record.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

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

/// A file that the job wrote.
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

/// What a store had of the results of the parts of all samples, and what was computed.
struct StoreUse {
  std::uint64_t num_taken = 0, num_computed = 0;
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

struct Yields;

/// What came of all samples. Times are in seconds, sizes in bytes.
struct JobReport {
  std::vector<SampleReport> samples;
  RunRecord record;                      ///< as the outputs carry it
  std::shared_ptr<const Yields> yields;  ///< as those find them who read the histograms
  std::uint64_t num_files = 0;
  std::uint64_t num_entries = 0;
  ReadStatistics read;
  HistogramSummary histograms;
  std::optional<StoreUse> store;  ///< if there is one
  double seconds = 0;             ///< of the event loop, the reduction of histograms and the outputs
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

/// Returns cutflow, yields and summary as tables, in lines of about `width`.
std::string to_text(const JobReport& report, std::size_t width = 100);

/// Returns the report as one JSON object. All but times and their shares, "threads", "requests" and
/// "peak_memory" is the same for any number of threads.
std::string to_json(const JobReport& report);

}  // namespace skimline::skims
