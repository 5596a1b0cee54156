// SPDX-License-Identifier: BSD-3-Clause
// Configs whose inputs are named in several ways, and what becomes of them.
#pragma once

#include "config_reading.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// A folder in which tests write files that name inputs.
class InputConfigTest : public ConfigReaderTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void touch(const std::vector<std::string>& names) const {
    for (const std::string& name : names) write(name, "");
  }

  /// A config that selects nothing, of these samples.
  static std::string config_of(const std::string& samples) {
    return R"({"schema_version": 1, "select": [], )" + samples + "}";
  }

  Config parse_samples(const std::string& samples, const ConfigOptions& options = {}) const {
    return *parse_config((folder_ / "a.json").string(), config_of(samples), options);
  }

  /// The first lines of all messages, without the folder: those that name a place.
  std::string mistakes_of(const std::string& samples, const ConfigOptions& options = {}) const {
    try {
      parse_samples(samples, options);
    } catch (const ConfigError& error) {
      std::string text = error.what();
      for (const std::string folder = folder_.string() + "/"; text.find(folder) != std::string::npos;)
        text.erase(text.find(folder), folder.size());
      std::istringstream lines(text);
      std::string kept;
      for (std::string line; std::getline(lines, line);)
        if (line.find(": error: ") != std::string::npos) kept += (kept.empty() ? "" : "\n") + line;
      return kept;
    }
    return "none";
  }

  /// "name:RNTuple", with the entries that are promised, of all inputs of a sample.
  static std::vector<std::string> names_of(const Sample& sample) {
    std::vector<std::string> names;
    for (const Input& input : sample.inputs) {
      names.push_back(input.name);
      if (!input.location.name.empty()) names.back() += ":" + input.location.name;
      if (input.promised_entries) names.back() += " (" + std::to_string(*input.promised_entries) + ")";
    }
    return names;
  }

  static std::vector<std::string> sample_names(const Config& config) {
    std::vector<std::string> names;
    for (const Sample& sample : config.samples) names.push_back(sample.name.value);
    return names;
  }

  /// All metadata of a sample as "name=value".
  static std::set<std::string> metadata_of(const Sample& sample) {
    std::set<std::string> all;
    for (const NamedValue& each : sample.metadata) {
      std::ostringstream text;
      text << each.name.value << "=";
      std::visit([&](const auto& value) { text << value; }, each.value);
      all.insert(text.str());
    }
    return all;
  }
};

using Names = std::vector<std::string>;

}  // namespace skimline::skims
