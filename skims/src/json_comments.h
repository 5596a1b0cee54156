// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/skims/diagnostics.h"

#include <string>

namespace skimline::skims {

/// Returns `text` with comments (`//`, `/* */`) and the comma before a closing bracket replaced by blanks, so
/// that all other characters keep their place. A comment that does not end is an error.
std::string blank_comments(std::string text, Diagnostics& diagnostics);

}  // namespace skimline::skims
