// SPDX-License-Identifier: BSD-3-Clause
// Comments in JSON become blanks, so that places stay.
#pragma once

#include "skimline/skims/diagnostics.h"

#include <cstddef>
#include <string>

namespace skimline::skims {

/// Returns `text` with comments (`//`, `/* */`) and the comma before a closing bracket replaced by blanks, so
/// that all other characters keep their place. The text begins at byte `begin` of the config's. A comment
/// that does not end is an error.
std::string blank_comments(std::string text, Diagnostics& diagnostics, std::size_t begin = 0);

}  // namespace skimline::skims
