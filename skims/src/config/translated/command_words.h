// SPDX-License-Identifier: BSD-3-Clause
// A command line as the shell cuts it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Returns the words of a command line: quotes and backslashes are understood as in a shell, variables and
/// patterns stay as they are. Throws ConfigError for a quote without its end.
std::vector<std::string> words_of_command(std::string_view line);

}  // namespace skimline::skims
