// SPDX-License-Identifier: BSD-3-Clause
// One skim of a sample, from the plan to the file.
#pragma once

#include "plan/job_plan.h"
#include "run/skim_sink.h"

#include "skimline/io/appended_entries.h"
#include "skimline/io/output_file.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/job_options.h"
#include "skimline/skims/job_report.h"
#include "skimline/skims/run_record.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace skimline::skims {

/// Where the events of a skim come from.
enum class SkimSource {
  kEvents,  ///< a run of the plan
  kParts    ///< files that have some of them each
};

/// The file of a skim of one sample, or several if it is split: its events, and the record of how they came
/// to be.
class SkimOutput {
 public:
  /// Creates the file under a temporary name and connects the skim to the plan. The plan, and
  /// finish_events(), throw Interrupted soon after the job is asked to stop. Throws FileError.
  SkimOutput(const Sample& sample, PlannedSkim skim, JobPlan& plan, const JobOptions& options,
             SkimSource source);

  const PlannedSkim& skim() const { return skim_; }
  const std::string& path() const { return path_; }

  /// Appends the events of a part, in the threads of the caller's arena. Throws FileError, and Interrupted.
  void append(const std::string& part);
  std::uint64_t num_entries() const { return num_entries_; }

  /// Completes the events after the run. What the plan was made for may go then.
  void finish_events();
  /// Writes what NanoAOD has beside the events of the inputs.
  void carry_beside(const std::vector<io::InputLocation>& inputs, const io::InputOptions& input_options,
                    const JobOptions& options);
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Of the events, then of what is beside them.
  const std::vector<LeftOutOfSkim>& left_out() const { return left_out_; }
  std::size_t num_files() const { return files_.size(); }
  /// Adds the record of a file, which is complete then, and still under its temporary name. Files are
  /// completed in their order.
  OutputFile complete(std::size_t number, const RunRecord& record, StopFlag stop);
  io::OutputFile& file(std::size_t number);

 private:
  io::RootFileWriter& add_file();
  // Of the next file. Returns its bytes; the ROOT file is gone.
  std::uint64_t write_as_arrow(std::size_t number, StopFlag stop);

  const Sample& sample_;
  PlannedSkim skim_;
  std::string path_;  // of the first file
  std::vector<std::unique_ptr<io::RootFileWriter>> files_;
  std::vector<std::unique_ptr<io::OutputFile>>
      arrow_files_;  // of those that are complete, if that is the format
  std::unique_ptr<SkimSink> sink_;
  std::unique_ptr<io::AppendedEntries> parts_;  // if that is where they come from
  std::vector<LeftOutOfSkim> left_out_;
  std::vector<std::string> warnings_;
  std::vector<io::FileContent> contents_;  // by file
  std::uint64_t num_entries_ = 0;
  std::map<int, std::size_t> compressions_;  // that were chosen: how many columns have each
};

}  // namespace skimline::skims
