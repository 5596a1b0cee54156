// SPDX-License-Identifier: BSD-3-Clause
#include "report_file.h"

#include "skimline/framework/error.h"

namespace skimline::skims {
ReportFile::ReportFile(const ReportOptions& options, const Config& config)
    : is_standard_output_(options.is_wanted && options.path == "-") {
  if (!options.is_wanted || is_standard_output_) return;
  const std::string& path = options.path.empty() ? config.output.report_path : options.path;
  if (!path.empty()) file_.emplace(options.path.empty() ? "report" : "--report", path, config);
}

void ReportFile::write(const JobReport& report) {
  if (!file_) return;
  try {
    file_->write(to_json(report));
  } catch (const FileError& error) {
    throw Error(std::string(error.what()) + "; output files are complete");
  }
}

}  // namespace skimline::skims
