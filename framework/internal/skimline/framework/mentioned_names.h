// SPDX-License-Identifier: BSD-3-Clause
// Which names an expression mentions, whatever they stand for, and the expression with others.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Returns the names of columns and definitions in an expression, without back-quotes, and of the functions
/// that it calls: each once, in order. Nothing of them needs to be there. Throws ExpressionError for what is
/// no expression.
std::vector<std::string> mentioned_names(std::string_view expression);

/// Returns the patterns of columns in an expression, those of AnyOf and AllOf. Throws as that.
std::vector<std::string> mentioned_patterns(std::string_view expression);

/// Returns the expression with other texts in place of names of columns and definitions, and of functions.
/// Parameters of lambdas, variables, texts in quotes and comments stay as they are, but for parameters and
/// variables that have a name which is put in: these get others. Throws ExpressionError for what is
/// no expression.
std::string with_other_names(std::string_view expression, const std::map<std::string, std::string>& names,
                             const std::map<std::string, std::string>& functions);

}  // namespace skimline
