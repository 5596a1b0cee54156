// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "histogram_output.h"
#include "sample_inputs.h"
#include "skim_output.h"

#include "skimline/framework/runner.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// One sample of a job. The steps are taken in the order of their declaration.
class SampleJob {
 public:
  /// Opens the inputs and plans. Throws as SampleInputs::open().
  SampleJob(const Config& config, const Sample& sample, int threads);
  ~SampleJob();

  const Sample& sample() const { return sample_; }
  const SampleInputs& inputs() const { return inputs_; }
  const io::InputSource& source() const;
  const Diagnostics& mistakes() const;
  std::vector<std::string> warnings();

  /// Creates the files of skims under temporary names. Throws FileError.
  void create_skims(const JobOptions& options);

  /// Runs over the events; again from the start without an input that is found damaged, if the config allows
  /// that. `progress` is told of entries done.
  void run(const JobOptions& options, const std::function<void(std::uint64_t)>& progress);

  /// Adds what was filled to the output.
  void add_histograms(HistogramOutput& output);

  /// Completes the events of the skims and gives back the memory of all else.
  void finish(const JobOptions& options);

  /// All that follows is known after finish().
  const SampleReport& report() const { return report_; }
  const SampleRecord& record() const { return record_; }
  const ReadStatistics& read() const { return run_.read; }
  const RunReport& run_report() const { return run_; }
  std::vector<std::string> skim_warnings() const;
  /// Completes the skims, each with its own record, which `make` makes of that of its sample.
  std::vector<OutputFile> complete_skims(const std::function<RunRecord(SampleRecord)>& make);
  const std::vector<std::unique_ptr<SkimOutput>>& skims() const { return skims_; }

 private:
  struct Attempt;
  void plan();
  void run_once(const JobOptions& options, const std::function<void(std::uint64_t)>& progress);
  void describe_inputs();
  Cutflow with_steps_before(std::vector<CountedStep> steps) const;
  void check_normalisation() const;
  std::vector<io::InputLocation> first_parts() const;
  void count();
  std::string place_of(std::uint64_t entry) const;

  const Config& config_;
  const Sample& sample_;
  int threads_;
  SampleInputs inputs_;
  std::unique_ptr<Attempt> attempt_;
  std::vector<std::string> warnings_;
  std::vector<std::unique_ptr<SkimOutput>> skims_;
  std::vector<Cutflow> skim_cutflows_;
  RunReport run_;
  SampleReport report_;
  SampleRecord record_;
};

}  // namespace skimline::skims
