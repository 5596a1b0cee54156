// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/real_formula.h"

#include "expression/casts.h"
#include "expression/syntax.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace skimline {
namespace {

bool is_of_bits(const Syntax& syntax) {
  if (syntax.kind != SyntaxKind::kBinary) return false;
  switch (syntax.op) {
    case Operator::kModulo:
    case Operator::kShiftLeft:
    case Operator::kShiftRight:
    case Operator::kBitAnd:
    case Operator::kBitXor:
    case Operator::kBitOr:
      return true;
    default:
      return false;
  }
}

bool is_arithmetic(const Syntax& syntax) {
  switch (syntax.op) {
    case Operator::kPlus:
    case Operator::kMinus:
      return true;
    case Operator::kTimes:
    case Operator::kDivide:
      return syntax.kind == SyntaxKind::kBinary;
    default:
      return false;
  }
}

bool is_comparison(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::kBinary && syntax.op >= Operator::kLess &&
         syntax.op <= Operator::kNotEqual;
}

// "-1" is the opposite of one.
bool is_written_number(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::kLiteral || (syntax.kind == SyntaxKind::kUnary && is_arithmetic(syntax) &&
                                                 syntax.operands[0]->kind == SyntaxKind::kLiteral);
}

// Calls whose results are whole whatever they are given.
bool is_whole_call(const Syntax& syntax) {
  const std::optional<ScalarType> cast = cast_target(syntax.name);
  return syntax.name == "Sum" || syntax.name == "size" || syntax.name.ends_with("Nint") ||
         (cast && *cast < ScalarType::kFloat);
}

// Whether a number is written that is not 0.
bool is_never_zero(const Syntax& syntax) {
  if (!is_written_number(syntax)) return false;
  const Constant& literal =
      syntax.kind == SyntaxKind::kLiteral ? syntax.literal : syntax.operands[0]->literal;
  return std::any_of(literal.bytes.begin(), literal.bytes.end(),
                     [](std::byte each) { return each != std::byte{0}; });
}

bool shifts_bits(Operator op) { return op == Operator::kShiftLeft || op == Operator::kShiftRight; }

// Whether ROOT's formulas may take `a inner b outer c` otherwise than C++: the operand on the left or right
// of `outer` has `inner` and no parentheses.
bool is_of_other_order(const Syntax& outer, const Syntax& inner, bool is_left) {
  const bool has_shift = shifts_bits(outer.op) || shifts_bits(inner.op);
  if (inner.kind == SyntaxKind::kUnary) return is_left && shifts_bits(outer.op);
  if (inner.kind != SyntaxKind::kBinary) return false;
  if (is_comparison(outer)) return is_comparison(inner) || (has_shift && outer.op < Operator::kEqual);
  if (inner.op == Operator::kModulo && outer.op >= Operator::kTimes && outer.op <= Operator::kModulo)
    return true;
  return has_shift && outer.op <= Operator::kShiftRight;
}

// What is no condition by itself, but for columns.
bool is_number(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::kCall || (syntax.kind == SyntaxKind::kBinary && is_arithmetic(syntax));
}

// The type of a column, or of its elements, if it is none of doubles.
std::optional<ScalarType> column_of(const Syntax& syntax, const NumberTypes& columns) {
  const Syntax* base = &syntax;
  while (base->kind == SyntaxKind::kIndex) base = base->operands[0].get();
  if (base->kind != SyntaxKind::kName) return std::nullopt;
  if (base->name == "entry_") return ScalarType::kUInt64;
  const auto found = columns.find(base->name);
  return found == columns.end() ? std::nullopt : std::optional(found->second);
}

// The parts that must be conditions for the whole to be one; nothing where it is none.
std::optional<std::vector<const Syntax*>> conditions_in(const Syntax& syntax, const NumberTypes& columns) {
  using Parts = std::vector<const Syntax*>;
  switch (syntax.kind) {
    case SyntaxKind::kLiteral:
      return syntax.literal.scalar == ScalarType::kBool ? std::optional(Parts()) : std::nullopt;
    case SyntaxKind::kName:
    case SyntaxKind::kIndex: {
      const std::optional<ScalarType> type = column_of(syntax, columns);
      return type && *type < ScalarType::kFloat ? std::optional(Parts()) : std::nullopt;
    }
    case SyntaxKind::kUnary:
      return syntax.op == Operator::kNot ? std::optional(Parts()) : std::nullopt;
    case SyntaxKind::kConditional:
      return Parts{syntax.operands[1].get(), syntax.operands[2].get()};
    case SyntaxKind::kCall:
      return syntax.name == "Any" || syntax.name == "All" ? std::optional(Parts()) : std::nullopt;
    case SyntaxKind::kBinary:
      if (is_comparison(syntax) || syntax.op == Operator::kAnd || syntax.op == Operator::kOr) return Parts();
      if (syntax.op == Operator::kTimes || syntax.op == Operator::kBitAnd || syntax.op == Operator::kBitOr)
        return Parts{syntax.operands[0].get(), syntax.operands[1].get()};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Goes through the parts of an expression, and notes what to write between its letters.
class FormulaWriter {
 public:
  FormulaWriter(std::string_view text, const NumberTypes& columns, std::string_view quotient)
      : text_(text), columns_(columns), quotient_(std::string(quotient) + "(") {}

  std::string written(const Syntax& whole, FormulaUse use) {
    const bool is_choice = use == FormulaUse::kAny && whole.kind == SyntaxKind::kConditional;
    pending_.push_back({&whole, use == FormulaUse::kNumber || is_choice});
    if (use == FormulaUse::kCondition && (is_number(whole) || column_of(whole) == ScalarType::kFloat))
      insertions_.push_back({whole.range.end(), 0, Place::kLast, " != 0"});
    while (!pending_.empty()) {
      const Part part = pending_.back();
      pending_.pop_back();
      take(*part.syntax, part.is_real);
    }
    std::stable_sort(insertions_.begin(), insertions_.end(), [](const Insertion& a, const Insertion& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.place < b.place;
    });
    std::string made;
    std::size_t begin = 0;
    for (const Insertion& each : insertions_) {
      made.append(text_.substr(begin, each.offset - begin)).append(each.text);
      begin = each.offset + each.num_replaced;
    }
    return made.append(text_.substr(begin));
  }

 private:
  struct Part {
    const Syntax* syntax;
    bool is_real;  // whether its value must be a double
  };
  enum class Place { kDot, kEnd, kBegin, kLast };
  struct Insertion {
    std::size_t offset, num_replaced;
    Place place;
    std::string_view text;
  };

  void take(const Syntax& syntax, bool is_real) {
    switch (syntax.kind) {
      case SyntaxKind::kLiteral:
        if (is_real) take_literal(syntax);
        return;
      case SyntaxKind::kName:
      case SyntaxKind::kIndex:
        if (is_real && column_of(syntax)) enclose("double(", syntax);
        return;
      case SyntaxKind::kConditional:
        pending_.push_back({syntax.operands[0].get(), false});
        pending_.push_back({syntax.operands[1].get(), is_real});
        pending_.push_back({syntax.operands[2].get(), is_real});
        return;
      case SyntaxKind::kCall:
        if (is_real && is_whole_call(syntax)) enclose("double(", syntax);
        for (const SyntaxPointer& operand : syntax.operands) pending_.push_back({operand.get(), true});
        return;
      case SyntaxKind::kUnary:
      case SyntaxKind::kBinary:
        return take_operator(syntax, is_real);
      default:
        return;
    }
  }

  void take_operator(const Syntax& syntax, bool is_real) {
    if (is_of_bits(syntax) && is_real) enclose("double(", syntax);
    if (syntax.op == Operator::kDivide && !is_never_zero(*syntax.operands[1])) {
      enclose(quotient_, syntax);
      insertions_.push_back({syntax.name_range.offset, syntax.name_range.length, Place::kLast, ","});
    }
    // A written number has the type of neither side.
    const bool is_of_two = is_comparison(syntax) && !are_alike(*syntax.operands[0], *syntax.operands[1]);
    for (const SyntaxPointer& operand : syntax.operands) {
      const bool is_number = is_written_number(*operand);
      const bool is_compared = is_comparison(syntax) && is_number && operand->kind == SyntaxKind::kUnary;
      if (is_of_bits(syntax) && is_arithmetic(*operand) && !is_number) enclose("long(", *operand);
      const std::optional<ScalarType> type = column_of(*operand);
      if (shifts_bits(syntax.op) && operand == syntax.operands[0] && type && *type < ScalarType::kUInt64)
        enclose("ULong64_t(", *operand);
      pending_.push_back({operand.get(), is_arithmetic(syntax) || is_of_two || is_compared});
    }
  }

  bool are_alike(const Syntax& left, const Syntax& right) const {
    if (is_written_number(left) || is_written_number(right)) return true;
    const std::optional<ScalarType> type = column_of(left);
    return type && type == column_of(right);
  }

  std::optional<ScalarType> column_of(const Syntax& syntax) const {
    return skimline::column_of(syntax, columns_);
  }

  void take_literal(const Syntax& syntax) {
    if (syntax.literal.scalar >= ScalarType::kDouble || syntax.literal.scalar == ScalarType::kBool) return;
    const std::string_view number = text_.substr(syntax.range.offset, syntax.range.length);
    if (number.find_first_not_of("0123456789") != std::string_view::npos) return enclose("double(", syntax);
    insertions_.push_back({syntax.range.end(), 0, Place::kDot, "."});
  }

  void enclose(std::string_view begin, const Syntax& syntax) {
    insertions_.push_back({syntax.range.offset, 0, Place::kBegin, begin});
    insertions_.push_back({syntax.range.end(), 0, Place::kEnd, ")"});
  }

  std::string_view text_;
  const NumberTypes& columns_;
  const std::string quotient_;
  std::vector<Part> pending_;
  std::vector<Insertion> insertions_;
};

}  // namespace

NumberTypes numbers_but_doubles(const Schema& schema) {
  NumberTypes numbers;
  for (const ColumnInfo& column : schema.columns())
    if (is_number(column.type.scalar) && column.type.scalar != ScalarType::kDouble)
      numbers.emplace(column.name, column.type.scalar);
  return numbers;
}

std::string with_real_numbers(std::string_view expression, const NumberTypes& columns, FormulaUse use,
                              std::string_view quotient) {
  try {
    const SyntaxPointer whole = parse(expression);
    return FormulaWriter(expression, columns, quotient).written(*whole, use);
  } catch (const ExpressionError&) {
    return std::string(expression);
  }
}

bool is_condition(std::string_view expression, const NumberTypes& columns) {
  SyntaxPointer whole;
  try {
    whole = parse(expression);
  } catch (const ExpressionError&) {
    return true;
  }
  for (std::vector<const Syntax*> pending{whole.get()}; !pending.empty();) {
    const auto parts = conditions_in(*pending.back(), columns);
    if (!parts) return false;
    pending.pop_back();
    pending.insert(pending.end(), parts->begin(), parts->end());
  }
  return true;
}

std::string difference_of_order(std::string_view expression) {
  SyntaxPointer whole;
  try {
    whole = parse(expression);
  } catch (const ExpressionError&) {
    return "";
  }
  std::vector<const Syntax*> pending{whole.get()};
  while (!pending.empty()) {
    const Syntax& syntax = *pending.back();
    pending.pop_back();
    for (const SyntaxPointer& operand : syntax.operands) pending.push_back(operand.get());
    if (syntax.kind != SyntaxKind::kBinary) continue;
    for (const SyntaxPointer& operand : syntax.operands) {
      const bool is_left = operand == syntax.operands[0];
      const bool has_parentheses =
          is_left ? operand->range.offset != syntax.range.offset : operand->range.end() != syntax.range.end();
      if (has_parentheses || !is_of_other_order(syntax, *operand, is_left)) continue;
      const std::string part(expression.substr(operand->range.offset, operand->range.length));
      return "ROOT's formulas take \"" +
             std::string(expression.substr(syntax.range.offset, syntax.range.length)) +
             "\" in another order than C++: write (" + part + "), or parentheses around what else is meant";
    }
  }
  return "";
}

}  // namespace skimline
