// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "side_file.h"

#include "skimline/skims/config.h"
#include "skimline/skims/job.h"

#include <optional>
#include <string>

namespace skimline::skims {

/// How the command line changes where the report goes.
struct ReportOptions {
  std::string path;  ///< instead of that of the config; "-" for standard output; empty if not given
  bool is_wanted = true;
};

/// The report of a run as JSON: a file, or standard output.
class ReportFile {
 public:
  /// Throws as SideFile does.
  ReportFile(const ReportOptions& options, const Config& config);

  bool is_standard_output() const { return is_standard_output_; }
  /// Where it is, or nothing if it is no file.
  std::string path() const { return file_ ? file_->path() : std::string(); }

  /// Writes the report to the file, if there is one. Throws FileError, which says that the outputs are there.
  void write(const JobReport& report);

 private:
  bool is_standard_output_ = false;
  std::optional<SideFile> file_;
};

}  // namespace skimline::skims
