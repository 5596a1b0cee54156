// SPDX-License-Identifier: BSD-3-Clause
// Formulas as TTree::Draw takes them, in which all numbers are doubles.
#pragma once

#include "config/translated/config_writing.h"

#include "skimline/framework/real_formula.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// Returns the expression with the values of a formula: `columns` become doubles, and so do whole numbers
/// that are written. What stands for something else there ("x^2") adds a sentence to `left_out`.
std::string expression_of_formula(const std::string& formula, const NumberTypes& columns,
                                  std::vector<std::string>& left_out);

/// Adds the function that stands for divisions in formulas and cuts, if any of a config has it.
void add_quotient(OrderedJson& config);

}  // namespace skimline::skims
