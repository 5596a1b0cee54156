// SPDX-License-Identifier: BSD-3-Clause
// Configs of TRExFitter: blocks of settings with a blank line between them.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// One block, `Region: "SR"` and the settings below it, each given once.
struct FitBlock {
  struct Setting {
    std::string name, value;
  };

  /// The value of a setting as it is written, with its quotes; empty if it is not there.
  std::string written(const std::string& setting) const;
  /// The same without quotes.
  std::string value(const std::string& setting) const;
  /// The same in capital letters, as TRExFitter compares words.
  std::string word(const std::string& setting) const;
  /// The parts of a value between commas, without quotes.
  std::vector<std::string> values(const std::string& setting) const;

  std::string kind, name;
  std::string place;  ///< "fit.config:12"
  std::vector<Setting> settings;
};

/// Whether a file is one: it has a line that begins with "Job:".
bool is_trexfitter_config(const std::string& path);

/// Reads a file. A block of several names, `Region: "A";"B"`, is one block for each. Throws ConfigError for
/// lines that are no settings, and for files that only replacements make one.
std::vector<FitBlock> read_trexfitter_blocks(const std::string& path);

}  // namespace skimline::skims
