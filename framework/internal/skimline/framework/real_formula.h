// SPDX-License-Identifier: BSD-3-Clause
// Expressions with the values of ROOT's formulas, which compute with doubles.
#pragma once

#include "skimline/framework/schema.h"
#include "skimline/framework/type.h"

#include <map>
#include <string>
#include <string_view>

namespace skimline {

/// Types of columns, or of their elements, by name.
using NumberTypes = std::map<std::string, ScalarType>;

/// The columns that are numbers but no doubles.
NumberTypes numbers_but_doubles(const Schema& schema);

/// What a formula divided by 0 is.
inline constexpr const char* kQuotient = "Where(b != 0, double(a) / b, 0.)";

/// What becomes of the value of a formula.
enum class FormulaUse {
  kCondition,
  kNumber,
  kAny,  ///< numbers that nothing is computed with keep their types
};

/// Returns an expression with casts to double where else whole numbers or floats would be computed with, or
/// signed ones compared with unsigned ones, and to std::uint64_t where bits of signed ones are; a / b becomes
/// `quotient`(a, b), which is kQuotient, unless b is a number that is not 0. `columns` are numbers that are
/// no doubles, by name. What is no expression stays as it is.
std::string with_real_numbers(std::string_view expression, const NumberTypes& columns, FormulaUse use,
                              std::string_view quotient = "quotient");

/// Whether an expression is a condition: a comparison, an integer column, which is taken for a flag, or what
/// is made of such by "&&", "||", "!" and products. `columns` as above; what is no expression is one, too.
bool is_condition(std::string_view expression, const NumberTypes& columns);

/// What to say of an expression whose operators formulas may take in another order than C++, for want of
/// parentheses; nothing of others, and of what is no expression.
std::string difference_of_order(std::string_view expression);

}  // namespace skimline
