// SPDX-License-Identifier: BSD-3-Clause
// Configs made of what other tools were told.
#pragma once

#include "config/translated/config_writing.h"

#include <string>

namespace skimline::skims {

/// Makes a config, for the file `config_path`, of a dataset specification of RDataFrame or a config of
/// FastFrames or TRExFitter, files, or of a command line of nano_postproc.py. Columns are looked up in the
/// first input, if it can be read. Throws ConfigError for everything else, and for what a skim cannot be made
/// of.
TranslatedConfig translated_config(const std::string& from, const std::string& config_path);

}  // namespace skimline::skims
