// SPDX-License-Identifier: BSD-3-Clause
// What fields of RNTuples, branches of TTrees and these themselves may be called.
#pragma once

#include <string>

namespace skimline::io {

/// Whether a name is not empty and has no blank, control character, dot, slash or backslash.
bool is_legal_name(const std::string& name);

/// Returns why `what`, "an RNTuple" or "a TTree", cannot have this path in a file, or nothing. ROOT finds
/// nothing with a ";" in its path, which begins a cycle, nor in folders called "." or "..".
std::string problem_of_path(const std::string& path, const std::string& what);

/// Returns the name with an underscore for each character that a name cannot have, and for each byte that is
/// not UTF-8.
std::string legal_name(const std::string& name);

}  // namespace skimline::io
