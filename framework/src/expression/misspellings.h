// SPDX-License-Identifier: BSD-3-Clause
// What other languages and libraries call things that expressions call otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// What to say behind "unknown function ...": the function that is meant, or the nearest of `known`.
std::string meant_function(std::string_view name, const std::vector<std::string>& known);

/// Whether names of Python's modules of functions begin so: "np" and "np.random".
bool is_module(std::string_view name);

/// What to write instead of a name, in parentheses, or nothing: "True" is "true".
std::string meant_value(std::string_view name);

}  // namespace skimline
