// SPDX-License-Identifier: BSD-3-Clause
// A config as one text, with all that it is made of.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// Returns a config as JSON for readers, with its included files, overrides, settings of the command line,
/// templates and variables put in. Throws ConfigError with all mistakes in how it is put together.
std::string expanded_config(const std::string& path, const std::vector<std::string>& settings);

}  // namespace skimline::skims
