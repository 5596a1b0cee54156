// SPDX-License-Identifier: BSD-3-Clause
// What fields of RNTuples, branches of TTrees and these themselves may be called.
#pragma once

#include <string>

namespace skimline::io {

/// Whether a name is not empty and has no blank, control character, dot, slash or backslash.
bool is_legal_name(const std::string& name);

/// Returns the name with an underscore for each character that a name cannot have, and for each byte that is
/// not UTF-8.
std::string legal_name(const std::string& name);

}  // namespace skimline::io
