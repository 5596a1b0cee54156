// SPDX-License-Identifier: BSD-3-Clause
#include "report_file.h"

#include "skimline/framework/error.h"

#include <filesystem>

namespace skimline::skims {
namespace {

std::string default_path(const Config& config) {
  return (std::filesystem::path(config.source->path).parent_path() / "report.json").string();
}

std::string path_of(const ReportOptions& options, const Config& config) {
  if (!options.path.empty()) return options.path;
  if (!config.output.report_path.empty() || config.output.report) return config.output.report_path;
  return default_path(config);
}

}  // namespace

ReportFile::ReportFile(const ReportOptions& options, const Config& config)
    : is_standard_output_(options.is_wanted && options.path == "-") {
  if (!options.is_wanted || is_standard_output_) return;
  const std::string path = path_of(options, config);
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
