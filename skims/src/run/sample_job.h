// SPDX-License-Identifier: BSD-3-Clause
// The run of one sample.
#pragma once

#include "plan/planned_sample.h"
#include "plan/sample_inputs.h"
#include "run/histogram_output.h"
#include "run/parted_run.h"
#include "run/skim_output.h"

#include "skimline/framework/runner.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// One sample of a job. The steps are taken in the order of their declaration.
class SampleJob {
 public:
  /// Opens the inputs and plans. `store`, which may be null, has results of earlier runs. Throws as
  /// SampleInputs::open().
  SampleJob(const Config& config, const Sample& sample, int threads, const ResultStore* store);
  ~SampleJob();

  const Sample& sample() const { return sample_; }
  const SampleInputs& inputs() const { return inputs_; }
  const io::InputSource& source() const;
  const Diagnostics& mistakes() const;
  /// These two, once the skims are created: what they keep is used.
  std::vector<std::string> warnings();
  std::vector<std::string> unused_names() const;

  /// Creates the files of skims under temporary names. Throws FileError.
  void create_skims(const JobOptions& options);

  /// The run over the events. `progress` is told of entries done; the options must outlive it. What it comes
  /// to is for take().
  PlannedPass pass(const JobOptions& options, const std::function<void(std::uint64_t)>& progress);
  /// The run in parts, of which the store has some, then over the events for the skims, if there are any.
  PassResult run_in_parts(const JobOptions& options, const std::function<void(std::uint64_t)>& progress);
  /// Takes the result of the run. Runs again from the start without an input that was found damaged, if the
  /// config allows that, and without a count of "n_minus_1" that cannot be made.
  void take(PassResult result, const JobOptions& options, const std::function<void(std::uint64_t)>& progress);

  /// Bytes of the histograms while they are filled.
  std::uint64_t histogram_bytes() const;
  /// Adds what was filled to the output.
  void add_histograms(HistogramOutput& output);

  /// Completes the events of the skims and gives back the memory of all else.
  void finish(const JobOptions& options);

  /// All that follows is known after finish().
  const SampleReport& report() const { return report_; }
  const SampleRecord& record() const { return record_; }
  const ReadStatistics& read() const { return run_.read; }
  const RunReport& run_report() const { return run_; }
  /// Results that were in the store, and that were not.
  std::uint64_t num_taken() const { return num_taken_; }
  std::uint64_t num_computed() const { return num_computed_; }
  /// What was noticed during the run.
  std::vector<std::string> late_warnings() const;
  /// Completes the skims, each with its own record, which `make` makes of that of its sample.
  std::vector<OutputFile> complete_skims(const std::function<RunRecord(SampleRecord)>& make, StopFlag stop);
  const std::vector<std::unique_ptr<SkimOutput>>& skims() const { return skims_; }
  /// The files of all skims, in the order of complete_skims().
  std::vector<io::OutputFile*> skim_files() const;

 private:
  void plan();
  bool has_skim_parts();
  SampleRecord record_of_skim(std::size_t skim) const;
  void append_to_skims(const std::vector<std::string>& paths);
  void check_entries(const SkimOutput& skim) const;
  bool is_done(PassResult& result);
  const PlannedSample& at_fault() const { return at_fault_ ? *at_fault_ : *planned_; }
  void leave_out_count(const EvaluationError& error);
  PassResult run_again(const JobOptions& options, const std::function<void(std::uint64_t)>& progress);
  void describe_inputs();
  Cutflow with_steps_before(std::vector<CountedStep> steps) const;
  void warn_of_mask(const LumiCount& lumi);
  void check_normalisation() const;
  std::vector<io::InputLocation> first_parts() const;
  void count();

  const Config& config_;
  const Sample& sample_;
  int threads_;
  const ResultStore* store_;
  SampleInputs inputs_;
  std::unique_ptr<PlannedSample> planned_;      // made anew if an input turns out to be damaged
  std::unique_ptr<PlannedSample> at_fault_;     // if it is that of a part
  std::vector<histograms::Histogram> results_;  // of all parts, by histogram
  std::uint64_t num_taken_ = 0, num_computed_ = 0;
  std::set<std::size_t> uncounted_;  // cuts without which others cannot be computed
  std::vector<std::string> late_warnings_;
  std::vector<std::unique_ptr<SkimOutput>> skims_;
  bool has_parts_ = false;       // that skims are put together from
  bool are_parts_alike_ = true;  // so that they can be put together
  std::vector<Cutflow> skim_cutflows_;
  RunReport run_;
  SampleReport report_;
  SampleRecord record_;
};

}  // namespace skimline::skims
