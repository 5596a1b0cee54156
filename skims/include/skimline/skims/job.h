// SPDX-License-Identifier: BSD-3-Clause
// Runs what a config asks for: one pass over its files, histograms and skims out.
#pragma once

#include "skimline/framework/source.h"
#include "skimline/skims/config.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skimline::skims {

struct JobOptions {
  /// 0 means one per core the process may run on. Outputs are the same for any number.
  int threads = 0;
  /// Makes the job throw Interrupted soon once it is true.
  const std::atomic<bool>* stop = nullptr;
  /// Called from one thread at a time with the number of entries done and of all.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

/// Events left after one step; the first step is all events.
struct CutflowStep {
  std::string name;
  std::uint64_t num_passed = 0;
};

/// Events in a region.
struct RegionCount {
  std::string name;
  std::string after;             ///< the step of the cutflow whose events it is taken from
  std::uint64_t num_before = 0;  ///< these events
  std::uint64_t num_passed = 0;
};

struct OutputFile {
  std::string path;
  std::string content;  ///< such as "skim \"dimuon\": 1 234 events, 15 columns"
  std::uint64_t bytes = 0;
};

/// All histograms that were filled.
struct HistogramSummary {
  std::uint64_t number = 0;
  std::uint64_t cells = 0;    ///< flow cells included
  std::uint64_t bytes = 0;    ///< of their sums in memory, without copies for threads
  double reduce_seconds = 0;  ///< summing up what the threads have filled
  double write_seconds = 0;
};

struct JobReport {
  std::vector<CutflowStep> cutflow;
  std::vector<RegionCount> regions;
  std::uint64_t num_files = 0;
  std::uint64_t num_entries = 0;
  ReadStatistics read;
  HistogramSummary histograms;
  double seconds = 0;  ///< of the event loop, the reduction of histograms and the outputs
  int threads = 0;
  std::vector<OutputFile> outputs;
  std::vector<std::string> warnings;
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
