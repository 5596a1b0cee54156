// SPDX-License-Identifier: BSD-3-Clause
// Cuts as TTree::Draw takes them.
#pragma once

#include "config/translated/draw_formula.h"

#include <set>
#include <string>

namespace skimline::skims {

/// Returns the expression that is true for the events that TTree::Draw selects with a cut: where a list is
/// not reduced, one element has to pass; an event without an element that an index names does not pass.
/// `lists` are the columns that are lists, and `columns` become doubles where that makes a difference. Throws
/// ConfigError for what means nothing or something else in expressions ("Length$", "x^2"), with what to write
/// instead.
std::string expression_of_cut(const std::string& cut, const std::set<std::string>& lists,
                              const NumberTypes& columns);

}  // namespace skimline::skims
