// SPDX-License-Identifier: BSD-3-Clause
#include "side_file.h"

#include "skimline/framework/error.h"

#include <filesystem>
#include <span>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

// A relative path of which nothing exists yet would stay relative.
fs::path identity(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

// What else the file is in this run, or nothing.
std::string other_use(const std::string& path, const Config& config) {
  const auto is_it = [&](const std::string& other) { return !other.empty() && is_same_file(other, path); };
  if (is_it(config.source->path)) return "the config";
  for (const Sample& sample : config.samples)
    for (const Input& input : sample.inputs)
      if (is_it(input.location.path)) return "an input";
  for (const SkimConfig& skim : config.skims)
    if (is_it(skim.path)) return "the output of the skim \"" + skim.name.value + "\"";
  if (config.output.histograms && is_it(config.output.histograms_path)) return "the output of the histograms";
  if (config.output.cutflow && is_it(config.output.cutflow_path)) return "the output of the cutflow";
  return {};
}

void check(const std::string& asked_by, const std::string& path, const Config& config) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw ConfigError(asked_by + ": the folder \"" + folder.string() + "\" does not exist");
  if (fs::is_directory(path, ignored)) throw ConfigError(asked_by + ": \"" + path + "\" is a folder");
  if (const std::string use = other_use(path, config); !use.empty())
    throw ConfigError(asked_by + ": \"" + path + "\" is also " + use);
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) { return identity(a) == identity(b); }

SideFile::SideFile(const std::string& asked_by, const std::string& path, const Config& config) {
  check(asked_by, path, config);
  file_ = std::make_unique<io::OutputFile>(path);
}

void SideFile::write(const std::string& text) {
  file_->write(0, std::as_bytes(std::span(text)));
  file_->commit(text.size());
}

}  // namespace skimline::skims
