// SPDX-License-Identifier: BSD-3-Clause
// Cuts as TTree::Draw takes them.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the expression that is true for the events that TTree::Draw selects with a cut: where a list is
/// not reduced, one element has to pass; an event without an element that an index names does not pass.
/// `lists` are the columns that are lists. Throws ConfigError for functions of TTree::Draw alone ("Length$"),
/// with what to write instead.
std::string expression_of_cut(const std::string& cut, const std::set<std::string>& lists);

}  // namespace skimline::skims
