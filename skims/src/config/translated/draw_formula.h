// SPDX-License-Identifier: BSD-3-Clause
// Formulas as TTree::Draw takes them, in which all numbers are doubles.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the expression with the values of a formula: `columns`, numbers of other types, become doubles,
/// and so do whole numbers that are written. What stands for something else there ("x^2") adds a sentence to
/// `left_out`.
std::string expression_of_formula(const std::string& formula, const std::set<std::string>& columns,
                                  std::vector<std::string>& left_out);

}  // namespace skimline::skims
