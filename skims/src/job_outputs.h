// SPDX-License-Identifier: BSD-3-Clause
// The files that a job writes: all become visible together, or none.
#pragma once

#include "histogram_output.h"
#include "job_plan.h"

#include "skimline/io/rntuple_sink.h"
#include "skimline/skims/job.h"

#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

class JobOutputs {
 public:
  /// Creates the files under temporary names and connects the skims to the plan. The arguments must outlive
  /// this. Throws FileError.
  JobOutputs(const Config& config, JobPlan& job, const histograms::HistogramSet& histograms);

  /// Completes all files after the run, with this number of threads. If one cannot be completed, those that
  /// were are removed again.
  std::vector<OutputFile> complete(int threads);

  /// Of the histograms, if there are any, once all is complete.
  HistogramSummary histogram_summary() const;
  std::vector<std::string> histogram_warnings() const;

 private:
  struct SkimOutput {
    PlannedSkim skim;
    std::unique_ptr<io::RNTupleSink> sink;
  };
  OutputFile complete_skim(SkimOutput& output);

  std::vector<SkimOutput> skims_;
  std::unique_ptr<HistogramOutput> histograms_;
};

}  // namespace skimline::skims
