// SPDX-License-Identifier: BSD-3-Clause
// Patterns and folders on other machines.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <string>
#include <vector>

namespace skimline::io {

/// Throws FileError, with the nearest one, if a URL's scheme is unknown; asks nobody.
void check_scheme(const std::string& name);

/// Whether a URL names no single file: its path has * or [, or ends with a slash. Names of copies never are.
bool is_remote_pattern(const std::string& name);

/// Returns the URLs of the files that a pattern matches, sorted: * and [] as in a shell, in folders too; of a
/// folder those that end with ".root". Throws FileError if a folder cannot be listed, and Interrupted.
std::vector<std::string> find_remote_files(const std::string& pattern, StopFlag stop = {});

}  // namespace skimline::io
