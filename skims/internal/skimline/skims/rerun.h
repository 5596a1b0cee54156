// SPDX-License-Identifier: BSD-3-Clause
// Does again what made a file, as the record in it says, and compares the bytes.
#pragma once

#include "skimline/skims/config_options.h"
#include "skimline/skims/job_options.h"
#include "skimline/skims/job_report.h"
#include "skimline/skims/run_record.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

struct Config;

struct RerunOptions {
  std::string file;    ///< an output of a run: histograms, or a skim
  std::string output;  ///< folder for the new outputs, which is made
  /// Where the config was, whose folder its paths are relative to: what the file knows of it if empty, or
  /// else its own folder.
  std::string config_folder;
};

/// A run that is to be done again.
struct PreparedRerun {
  RunRecord record;
  std::shared_ptr<const Config> config;
  std::vector<std::string>
      warnings;  ///< what the config names beside the inputs that were read, in sentences
};

/// Reads the record, checks that its inputs are what they were, and makes the config that reads just these.
/// Throws ConfigError if the file has no record, if that is of several runs, or if the output folder has the
/// file itself; Error, which names all inputs that are missing or others now.
PreparedRerun prepare_rerun(const RerunOptions& options);

struct RerunReport {
  JobReport job;
  std::string original, again;  ///< paths; no second one if nothing like the file came of the run
  std::string version_then;     ///< of the program that wrote the original
  bool has_same_bytes = false;
  std::uint64_t first_byte = 0;  ///< that differs
  std::string differences;       ///< in what the contents differ, in lines
};

/// Runs it, and compares the file with what came of it. Throws what run_job() throws.
RerunReport rerun(const RerunOptions& options, const PreparedRerun& prepared, const JobOptions& job);

/// Returns what was found, in lines.
std::string to_text(const RerunReport& report);

}  // namespace skimline::skims
