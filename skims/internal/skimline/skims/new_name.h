// SPDX-License-Identifier: BSD-3-Clause
// Which names configs and frames may give to what expressions are made of.
#pragma once

#include <string>
#include <string_view>

namespace skimline::skims {

/// Whether the name can be given to a value of expressions.
bool is_identifier(std::string_view name);

/// Whether expressions have this name from the program, where there is such a thing: the weight of the event.
/// Columns of files may be called so.
bool is_given_name(std::string_view name);

/// Whether no function can have the name, as it means something else in every expression.
bool is_reserved(std::string_view name);

/// What is wrong with a name for a value of expressions; empty if nothing is. `what` is "a definition".
std::string problem_of_new_name(std::string_view name, const std::string& what);

}  // namespace skimline::skims
