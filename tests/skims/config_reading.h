// SPDX-License-Identifier: BSD-3-Clause
// Configs given as text, and the errors that reading them gives.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/skims/config.h"
#include "skimline/skims/config_reader.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace skimline::skims {

namespace fs = std::filesystem;

/// A folder with input files, gone at the end of a test.
class ConfigReaderTest : public testing::Test {
 protected:
  ConfigReaderTest()
      : folder_(fs::temp_directory_path() / ("config_reader_test_" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "data");
    for (const char* name : {"in.root", "data/b.root", "data/a.root", "data/[x].root"})
      std::ofstream(folder_ / name);
  }
  ~ConfigReaderTest() override { fs::remove_all(folder_); }

  Config parse(const std::string& text) const { return *parse_config((folder_ / "a.json").string(), text); }

  // The first lines of all messages, without the folder.
  std::string errors_of(const std::string& text) const {
    try {
      parse(text);
    } catch (const ConfigError& error) {
      return headlines(error.what());
    }
    return "none";
  }

  std::string headlines(std::string message) const {
    for (const std::string folder = folder_.string() + "/"; message.find(folder) != std::string::npos;)
      message.erase(message.find(folder), folder.size());
    std::istringstream lines(message);
    std::string kept;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("a.json:")) kept += (kept.empty() ? "" : "\n") + line;
    return kept;
  }

  fs::path folder_;
};

/// A config that is right, with more keys put in at its end.
inline std::string with(const std::string& more) {
  return R"({"schema_version": 1, "samples": {"data": {"files": ["in.root:Events"]}},)"
         "\n" +
         more + "}";
}

struct Mistake {
  std::string config;
  std::string errors;
};

}  // namespace skimline::skims
