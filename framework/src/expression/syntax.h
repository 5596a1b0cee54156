// SPDX-License-Identifier: BSD-3-Clause
// The syntax tree of one expression. docs/expression-language.md has the grammar.
#pragma once

#include "expression/constant.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Bytes [offset, offset + length) of an expression's text.
struct TextRange {
  std::size_t offset = 0;
  std::size_t length = 0;

  std::size_t end() const { return offset + length; }
};

enum class Operator {
  kNone,
  kPlus,
  kMinus,
  kTimes,
  kDivide,
  kModulo,
  kShiftLeft,
  kShiftRight,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kBitAnd,
  kBitXor,
  kBitOr,
  kBitNot,
  kAnd,
  kOr,
  kNot,
};

/// The operator as it is written.
std::string_view spelling(Operator op);

enum class SyntaxKind {
  kLiteral,      ///< `literal`
  kString,       ///< `string`
  kName,         ///< `name`, dots included, back-quotes not
  kUnary,        ///< `op` operands[0]
  kBinary,       ///< operands[0] `op` operands[1]
  kConditional,  ///< operands[0] ? operands[1] : operands[2]
  kCall,         ///< `name`(operands...); x.size() is size(x)
  kIndex,        ///< operands[0] [ operands[1] ]
  kMember,       ///< operands[0].`name`, of objects
  kLambda,       ///< [](`declared`) -> `name` { return operands[0]; }
  kBlock,        ///< { operands... }, which are statements
  kReturn,       ///< return operands[0];
  kVariable,     ///< `declared`[0] = operands[0]; or without a value
  kAssignment,   ///< `name` = operands[0];
  kIf,           ///< if (operands[0]) operands[1] else operands[2], which are blocks, or without the last one
};

/// A parameter of a lambda, or a variable: a type that cast_target() knows, or none for that of its value.
struct Declaration {
  std::string type;
  std::string name;
  TextRange name_range{};
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::kLiteral;
  TextRange range;
  TextRange name_range;  ///< of the name or the operator
  Constant literal;
  std::string string;
  std::string name;
  Operator op = Operator::kNone;
  bool is_member = false;             ///< kCall: written x.name(...)
  bool is_braced = false;             ///< kCall: written name{...}, a list of these values
  bool is_quoted = false;             ///< kName: in back-quotes, so that it names nothing but a column
  bool is_character = false;          ///< kString: one in single quotes, also a number
  std::vector<Declaration> declared;  ///< kLambda, kVariable
  std::vector<std::unique_ptr<const Syntax>> operands;
};

using SyntaxPointer = std::unique_ptr<const Syntax>;

/// The parameters that a lambda declares, or the variables that the statements of a block do.
std::vector<Declaration> declared_in(const Syntax& syntax);

/// Whether a name stands in it.
bool names(const Syntax& syntax, std::string_view name);

/// Parses a whole expression. Throws ExpressionError with the place, what was found and what was expected.
SyntaxPointer parse(std::string_view text);

}  // namespace skimline
