// SPDX-License-Identifier: BSD-3-Clause
// Whether outputs have different names, and none is an input.
#pragma once

#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Adds an error for every output that would overwrite an input, the config or another output, and for every
/// one whose folder can neither be written into nor made.
void check_outputs(const Config& config, Diagnostics& diagnostics);

/// What is wrong with a file's name in which braces are not those of the placeholder, of which it has none if
/// that is empty: a mistyped one, or a variable without its "$", is a part of the name.
std::vector<std::string> problems_of_braces(const std::string& file, const std::string& placeholder);

}  // namespace skimline::skims
