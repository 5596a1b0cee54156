// SPDX-License-Identifier: BSD-3-Clause
// The tokens of an expression, one after the other.
#pragma once

#include "expression/token.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Stands at a token, and says what is wrong where that one does not fit. Behind the last, kEnd, is that one.
class TokenReader {
 public:
  /// Throws ExpressionError for what are no tokens, and for too many. The text must outlive the reader.
  explicit TokenReader(std::string_view text);

  std::string_view text() const { return text_; }
  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  /// The token before; there must be one.
  const Token& last() const { return tokens_[next_ - 1]; }

  std::size_t position() const { return next_; }
  void return_to(std::size_t position) { next_ = position; }

  bool is_punctuation(char c, std::size_t ahead = 0) const;
  /// Whether a name stands there, of a column or a function, in back-quotes or not.
  bool is_name(std::size_t ahead = 0) const;
  /// Whether a name of types of numbers stands there that is not called: "float", but not "float(".
  bool is_type(std::size_t ahead = 0) const;

  /// Takes a punctuation mark if it stands there.
  bool accept(char c);
  void expect(char c, const std::string& purpose);

  [[noreturn]] void fail(const std::string& problem) const;
  /// What C++ and Python have beside expressions is named as such.
  [[noreturn]] void fail_at_foreign(const std::string& expected) const;

 private:
  bool is_type(const Token& token, const Token& behind) const;
  std::string hint() const;
  bool is_variable() const;
  std::string hint_at_name() const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

/// How a token is named in a message.
std::string shown(const Token& token);

}  // namespace skimline
