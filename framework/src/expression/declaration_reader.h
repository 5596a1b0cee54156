// SPDX-License-Identifier: BSD-3-Clause
// Types of C++, and the names that are declared with them.
#pragma once

#include "expression/syntax.h"
#include "expression/token_reader.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace skimline {

/// The name of a function or type without the namespaces in which C++ has it.
std::string_view unqualified(std::string_view name);

/// Reads tokens that make up types. What takes some throws ExpressionError where they are none.
class DeclarationReader : public TokenReader {
 public:
  using TokenReader::TokenReader;

  bool is_word(std::string_view word) const;
  /// Takes a word if it stands there.
  bool accept_word(std::string_view word);

  /// Takes the words of a type of numbers that ends at `end`: "unsigned long".
  std::string type(std::string_view end);

  /// Takes `const float &x`, `auto x`.
  Declaration parameter();

  /// Whether a variable follows: `const auto &x = 1`, `float x{1}`, `RVecF x(n, 0)`, `int n;`; what is no
  /// type of C++ only before a "=".
  bool is_declaration(std::size_t ahead = 0) const;

  /// Takes what stands in front of the name of a variable; empty if its type is that of its value.
  std::string type_of_variable();

  /// Takes a name, with its type if that stands in front of it; `what` says what it is the name of.
  Declaration name_with_type(const std::string& what);

 private:
  std::size_t name_of_variable(std::size_t begin) const;
};

}  // namespace skimline
