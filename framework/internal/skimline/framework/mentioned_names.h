// SPDX-License-Identifier: BSD-3-Clause
// Which names an expression mentions, whatever they stand for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Returns the names of columns and definitions in an expression, without back-quotes, and of the functions
/// that it calls: each once, in order. Nothing of them needs to be there. Throws ExpressionError for what is
/// no expression.
std::vector<std::string> mentioned_names(std::string_view expression);

}  // namespace skimline
