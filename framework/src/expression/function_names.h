// SPDX-License-Identifier: BSD-3-Clause
// Which names are those of functions.
#pragma once

#include "expression/syntax.h"
#include "expression/user_functions.h"

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Whether the language has a function of that name, casts included.
bool is_built_in_function(std::string_view name);

/// What is wrong with a name that is none, and what may be meant.
std::string unknown_function(const std::string& name, const UserFunctions& functions);

/// Checks that the body of a function names its parameters, the built-in functions and `functions` only.
/// Throws ExpressionError pointing into `body`.
void check_names(std::string_view body, const Syntax& syntax, const std::vector<std::string>& parameters,
                 const UserFunctions& functions);

}  // namespace skimline
