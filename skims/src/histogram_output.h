// SPDX-License-Identifier: BSD-3-Clause
// The file that holds all histograms of a run.
#pragma once

#include "job_plan.h"

#include "skimline/histograms/histogram.h"
#include "skimline/io/output_file.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/job.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skimline::skims {

class HistogramOutput {
 public:
  /// Creates the file under a temporary name. The arguments must outlive this. Throws FileError.
  HistogramOutput(const Config& config, const JobPlan& job, const histograms::HistogramSet& histograms);

  /// Sums up the histograms after the run, with this number of threads, and writes them: in parts, so that
  /// few large ones are in memory at once. The file is visible afterwards. Throws FileError, and Error if a
  /// result does not fit into the file.
  OutputFile complete(int threads);

  const HistogramSummary& summary() const { return summary_; }
  /// What became of fills that are no numbers.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::size_t end_of_part(std::size_t first) const;
  std::vector<histograms::Histogram> reduce(std::size_t first, std::size_t last);
  void write(std::span<const histograms::Histogram> part, std::size_t first);
  void count(const histograms::Histogram& histogram);
  std::uint64_t write_json(std::span<const histograms::Histogram> histograms);

  const Config& config_;
  const JobPlan& job_;
  const histograms::HistogramSet& histograms_;
  std::unique_ptr<io::RootFileWriter> root_file_;
  std::unique_ptr<io::OutputFile> json_file_;
  HistogramSummary summary_;
  std::vector<std::string> warnings_;
};

}  // namespace skimline::skims
