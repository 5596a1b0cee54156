// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/shard_paths.h"

#include <filesystem>
#include <string>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

std::string text_of(const Shard& shard) {
  return ".shard" + std::to_string(shard.number) + "of" + std::to_string(shard.count);
}

// Devices such as /dev/null have no parts.
std::string path_of_shard(const std::string& text, const std::string& shard) {
  const fs::path path(text);
  std::error_code ignored;
  if (text.empty() || fs::is_character_file(path, ignored)) return text;
  return (path.parent_path() / (path.stem().string() + shard + path.extension().string())).string();
}

}  // namespace

void name_outputs_of_shard(Config& config) {
  if (!config.shard) return;
  const std::string shard = text_of(*config.shard);
  for (SkimConfig& skim : config.skims) skim.path = path_of_shard(skim.path, shard);
  OutputConfig& output = config.output;
  for (std::string* path :
       {&output.histograms_path, &output.report_path, &output.html_report_path, &output.cutflow_path})
    *path = path_of_shard(*path, shard);
}

std::string name_before_shard(const std::string& name, const Shard& shard) {
  const fs::path path(name);
  const std::string stem = path.stem().string(), ending = text_of(shard);
  if (!stem.ends_with(ending)) return name;
  return stem.substr(0, stem.size() - ending.size()) + path.extension().string();
}

}  // namespace skimline::skims
