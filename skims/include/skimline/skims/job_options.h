// SPDX-License-Identifier: BSD-3-Clause
// What a job is told: how it is to run, and what it calls back with.
#pragma once

#include "skimline/framework/stage.h"
#include "skimline/framework/stop_flag.h"
#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

/// How run_job() is to run. What it calls must not throw unless the job is to end with that.
struct JobOptions {
  /// 0 means default_threads(). Outputs are the same for any number.
  int threads = 0;
  /// As in RunOptions; 0 means as many as the memory limit of the config allows.
  std::size_t max_slices_in_flight = 0;
  /// Makes the job throw Interrupted soon once it is set.
  StopFlag stop;
  /// Called from one thread at a time.
  std::function<void(const JobProgress&)> progress;
  /// Given each warning of the job once, as soon as it is known; those of the config before the first event
  /// is read, and none if the config has mistakes. Called from one thread at a time. The report has all.
  std::function<void(const std::string&)> warn;
  /// Told of every stage of every slice, from many threads. `sample` lives as long as the config.
  std::function<void(std::string_view sample, const StageSpan&)> observe;
  /// Given all histograms, in the order of samples and of the config, before the outputs are complete: if the
  /// job throws, they count for nothing. Called from one thread at a time.
  std::function<void(FilledHistogram)> take_histogram;
  /// Whether histograms go to the file that the config names for them.
  bool writes_histograms = true;
  /// Whether the report goes to the file that the config names for it.
  bool writes_report = false;
  /// The folder of results of earlier runs, which are taken, and kept; none if empty.
  std::string store;
  /// Whether outputs may replace files that are no older outputs of the same job.
  bool overwrites = false;
};

}  // namespace skimline::skims
