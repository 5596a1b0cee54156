// SPDX-License-Identifier: BSD-3-Clause
// The file that holds all histograms of a run.
#pragma once

#include "plan/job_plan.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/histograms/histogram.h"
#include "skimline/io/output_file.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/job_options.h"
#include "skimline/skims/job_report.h"
#include "skimline/skims/run_record.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::skims {

class HistogramOutput {
 public:
  /// Creates the file under a temporary name, unless the histograms are only handed over. Config and options
  /// must outlive this. Throws FileError.
  HistogramOutput(const Config& config, const JobOptions& options);

  /// What was filled of a histogram, by its number, once for each, from many threads.
  using ResultOf = std::function<histograms::Histogram(std::size_t)>;

  /// Asks for the results of a sample after the run, with this number of threads, and writes them: in
  /// parts, so that few large ones are in memory at once. Throws FileError, Error if a result does not fit
  /// into the file, and Interrupted soon after `stop` is set, if there is one.
  void add(const Sample& sample, const JobPlan& job, const histograms::HistogramSet& histograms,
           const ResultOf& result_of);

  /// Adds what is summed over samples, and the record; the file is complete, and still under its temporary
  /// name. Nothing if there is no file.
  std::optional<OutputFile> complete(const RunRecord& record);
  /// Nothing if there is none.
  io::OutputFile* file();

  const HistogramSummary& summary() const { return summary_; }
  /// What became of fills that are no numbers.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<histograms::Histogram> reduce(const ResultOf& result_of, std::size_t first, std::size_t last,
                                            StopFlag stop);
  // What a result is.
  struct Label {
    HistogramKey key;
    io::CellType type = io::CellType::kDouble;
    std::string sample;  // or the name of the sum
  };
  struct Results {
    std::vector<histograms::Histogram> histograms;
    std::vector<Label> labels;  // of each

    void add(histograms::Histogram histogram, Label label);
  };
  void put_out(Results results);
  void write(const Results& results, StopFlag stop);
  void hand_over(histograms::Histogram histogram, const Label& label);
  void add_to_sum(histograms::Histogram part, Label label);
  void count(const histograms::Histogram& histogram);
  std::uint64_t write_json(const RunRecord& record);

  const Config& config_;
  const JobOptions& options_;
  std::unique_ptr<io::RootFileWriter> root_file_;
  std::unique_ptr<io::OutputFile> json_file_;
  std::vector<histograms::Histogram> kept_;  // of a file that is written at once
  Results sums_;                             // over the samples so far
  HistogramSummary summary_;
  std::vector<std::string> warnings_;
};

}  // namespace skimline::skims
