// SPDX-License-Identifier: BSD-3-Clause
// From text to tokens.
#pragma once

#include "expression/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

enum class TokenKind { kEnd, kLiteral, kString, kName, kQuotedName, kOperator, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  TextRange range;
  std::string_view text;
  Operator op = Operator::kNone;
  Constant literal;
  std::string string;  ///< of kString, escapes replaced; of kQuotedName, the name
};

/// Cuts `text` into tokens, the last of which is kEnd. Names hold no dots, but may be qualified by "::".
/// Numbers have their C++ type: 1 is int, 3000000000 long, 1u unsigned, 1. double, 1.f float, true bool.
/// Strings stand in double or single quotes, names with any characters in back-quotes. Throws
/// ExpressionError.
std::vector<Token> tokenize(std::string_view text);

}  // namespace skimline
