// SPDX-License-Identifier: BSD-3-Clause
#include "metrics_file.h"

#include "skimline/framework/error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputsAreThere = "; output files are complete";

// A relative path of which nothing exists yet would stay relative.
fs::path identity(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

bool is_same(const std::string& a, const std::string& b) { return identity(a) == identity(b); }

// What else the file is in this run, or nothing.
std::string other_use(const std::string& path, const Config& config) {
  if (is_same(path, config.source->path)) return "the config";
  for (const Sample& sample : config.samples)
    for (const Input& input : sample.inputs)
      if (is_same(path, input.location.path)) return "an input";
  for (const SkimConfig& skim : config.skims)
    if (is_same(path, skim.path)) return "the output of the skim \"" + skim.name.value + "\"";
  if (config.output.histograms && is_same(path, config.output.histograms_path))
    return "the output of the histograms";
  return {};
}

std::string system_problem() { return std::string("cannot be written: ") + std::strerror(errno); }

}  // namespace

MetricsFile::MetricsFile(std::string path, const Config& config) : path_(std::move(path)) {
  if (path_.empty() || is_standard_output()) return;
  std::error_code ignored;
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw ConfigError("--metrics: the folder \"" + folder.string() + "\" does not exist");
  if (fs::is_directory(path_, ignored)) throw ConfigError("--metrics: \"" + path_ + "\" is a folder");
  if (const std::string use = other_use(path_, config); !use.empty())
    throw ConfigError("--metrics: \"" + path_ + "\" is also " + use);
}

void MetricsFile::write(const JobReport& report) const {
  if (path_.empty() || is_standard_output()) return;
  std::error_code ignored;
  const bool is_device = fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored);
  const fs::path target = is_device ? fs::path(path_) : identity(path_);
  const fs::path part = is_device ? target
                                  : target.parent_path() / ("." + target.filename().string() + "." +
                                                            std::to_string(getpid()) + ".part");
  errno = 0;
  std::ofstream stream(part, std::ios::binary);
  stream << to_json(report) << std::flush;
  if (!stream) {
    const std::string problem = system_problem() + kOutputsAreThere;
    if (!is_device) fs::remove(part, ignored);
    throw FileError(path_, problem);
  }
  stream.close();
  if (!is_device && std::rename(part.c_str(), target.c_str()) != 0) {
    const std::string problem = system_problem() + kOutputsAreThere;
    fs::remove(part, ignored);
    throw FileError(path_, problem);
  }
}

}  // namespace skimline::skims
