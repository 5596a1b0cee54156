// SPDX-License-Identifier: BSD-3-Clause
// Where in a config an expression stands, from its text.
#pragma once

#include "skimline/skims/config.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns all expressions of a config but the bodies of functions, in the order in which they are evaluated.
std::vector<const Text*> expressions_outside_functions(const Config& config);

/// Returns the place of the bytes [offset, offset + length) of the first expression or function that reads
/// `text`.
std::optional<Location> place_of(const Config& config, const std::string& text, std::size_t offset,
                                 std::size_t length);

/// Returns "analysis.json:6:21", where the part of an expression stands first; without numbers if it is
/// nowhere as such.
std::string place_in(const Config& config, const std::string& expression);

}  // namespace skimline::skims
