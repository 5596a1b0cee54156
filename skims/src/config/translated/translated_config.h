// SPDX-License-Identifier: BSD-3-Clause
// Configs made of what other tools were told.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

struct TranslatedConfig {
  std::string text;                   ///< with what is left out as comments
  std::vector<std::string> left_out;  ///< what could not be carried over, a sentence for each
};

/// Makes a config, for the file `config_path`, of a dataset specification of RDataFrame, a file, or of a
/// command line of nano_postproc.py, whose columns are looked up in the first input, if it can be read.
/// Throws ConfigError for everything else, and for what a skim cannot be made of.
TranslatedConfig translated_config(const std::string& from, const std::string& config_path);

}  // namespace skimline::skims
