// SPDX-License-Identifier: BSD-3-Clause
// The files that a job writes: all become visible together, or none.
#pragma once

#include "job_plan.h"

#include "skimline/histograms/histogram.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/job.h"

#include <memory>
#include <vector>

namespace skimline::skims {

class JobOutputs {
 public:
  /// Creates the files under temporary names and connects the skims to the plan. Throws FileError.
  JobOutputs(const Config& config, JobPlan& job);

  /// Completes all files after the run. If one cannot be completed, those that were are removed again.
  std::vector<OutputFile> complete(const std::vector<histograms::Histogram>& histograms);

 private:
  struct SkimOutput {
    PlannedSkim skim;
    std::unique_ptr<io::RNTupleSink> sink;
  };
  OutputFile complete_skim(SkimOutput& output);
  OutputFile complete_histograms(const std::vector<histograms::Histogram>& histograms);

  const Config& config_;
  std::vector<SkimOutput> skims_;
  std::unique_ptr<io::RootFileWriter> histogram_file_;
};

}  // namespace skimline::skims
