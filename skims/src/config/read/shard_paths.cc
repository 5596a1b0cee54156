// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/shard_paths.h"

#include <filesystem>
#include <string>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

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
  const std::string shard =
      ".shard" + std::to_string(config.shard->number) + "of" + std::to_string(config.shard->count);
  for (SkimConfig& skim : config.skims) skim.path = path_of_shard(skim.path, shard);
  OutputConfig& output = config.output;
  for (std::string* path :
       {&output.histograms_path, &output.report_path, &output.html_report_path, &output.cutflow_path})
    *path = path_of_shard(*path, shard);
}

}  // namespace skimline::skims
