// SPDX-License-Identifier: BSD-3-Clause
// Which names are those of functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Whether the language has a function of that name, casts included.
bool is_built_in_function(std::string_view name);

/// What is wrong with a name that is none, and what may be meant: a function of the language, or one of
/// `added`.
std::string unknown_function(const std::string& name, const std::vector<std::string>& added);

}  // namespace skimline
