// SPDX-License-Identifier: BSD-3-Clause
// What C++ allows and users seldom mean.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"

#include <optional>
#include <string>

namespace skimline {

/// Of a quotient of integers, which loses its fraction.
std::optional<std::string> warning_of_division(Operator op, const Node& left, const Node& right);

/// Of comparing signed with unsigned numbers, and of `a < b < c`.
std::optional<std::string> warning_of_comparison(const Syntax& comparison, const Node& left,
                                                 const Node& right);

}  // namespace skimline
