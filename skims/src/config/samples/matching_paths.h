// SPDX-License-Identifier: BSD-3-Clause
// Patterns of paths on this machine.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the paths that a pattern of the shell matches, sorted by bytes. Throws FileError where a folder
/// cannot be looked into, as what it holds would be left out.
std::vector<std::string> matching_paths(const std::string& pattern);

}  // namespace skimline::skims
