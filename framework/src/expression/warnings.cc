// SPDX-License-Identifier: BSD-3-Clause
#include "expression/warnings.h"

#include "expression/combinations.h"
#include "expression/operators.h"
#include "expression/unsigned_wrapping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace skimline {
namespace {

bool is_comparison(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }
bool is_order(Operator op) { return op >= Operator::kLess && op <= Operator::kGreaterEqual; }

// Whether converting the values to an unsigned type may change them.
bool may_wrap(const Node& node) { return is_signed_integer(node.type.scalar) && !node.is_nonnegative; }

// Functions whose results depend on the size of their arguments, beside those of values one by one.
constexpr std::string_view kOfSize[] = {"Min",    "Max",  "ArgMin",     "ArgMax",  "Mean",          "Var",
                                        "StdDev", "Sort", "StableSort", "Argsort", "StableArgsort", "Dot"};
// Functions that give one of several arguments.
constexpr std::string_view kOfChoices[] = {"min",  "max", "clamp",       "Where",
                                           "Take", "at",  "Concatenate", "Sum"};

// Functions that give lists of indexes.
constexpr std::string_view kOfIndexes[] = {
    "Argsort",  "StableArgsort", "Nonzero",  "Enumerate",      "Range",       "Nearest",     "Match",
    "BestPair", "Reindex",       "Ancestor", "DistinctParent", kSubsetMember, kProductMember};
// Operators and functions that give conditions, of lists as integers.
constexpr std::string_view kOfConditions[] = {
    "<", "<=",    ">",     ">=",       "==",      "!=",   "&&",           "||",
    "!", "isnan", "isinf", "isfinite", "signbit", "IsIn", "WithAncestors"};

// Functions that give elements of a list as they are.
constexpr std::string_view kOfElements[] = {"[]", "Take", "Drop", "Reverse"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_condition(const Node& node) {
  return node.type.scalar == ScalarType::kBool || is_one_of(node.name, kOfConditions);
}

bool are_bits(const Node& node) { return is_integer(node.type.scalar) && !is_condition(node); }

bool is_one_of_bits(Operator op) {
  return op == Operator::kBitAnd || op == Operator::kBitXor || op == Operator::kBitOr;
}

bool is_made_of_literals(const Syntax& syntax) {
  const bool is_computed = syntax.kind == SyntaxKind::kUnary || syntax.kind == SyntaxKind::kBinary;
  return syntax.kind == SyntaxKind::kLiteral ||
         (is_computed && std::all_of(syntax.operands.begin(), syntax.operands.end(),
                                     [](const SyntaxPointer& each) { return is_made_of_literals(*each); }));
}

// With what stands between it and an operator.
bool is_bare_comparison(const Syntax& syntax, std::string_view between) {
  return syntax.kind == SyntaxKind::kBinary && is_comparison(syntax.op) &&
         between.find_first_of("()") == std::string_view::npos;
}

// What stands between an operand and its operator: parentheses, if it has any.
std::string_view text_between(std::size_t begin, std::size_t end, std::string_view text) {
  return begin <= end && end <= text.size() ? text.substr(begin, end - begin) : "()";
}
std::string_view text_behind(const Syntax& operand, const Syntax& operation, std::string_view text) {
  return text_between(operand.range.end(), operation.name_range.offset, text);
}
std::string_view text_before(const Syntax& operand, const Syntax& operation, std::string_view text) {
  return text_between(operation.name_range.end(), operand.range.offset, text);
}

bool is_zero_or_one(const Constant& constant) {
  return visit_scalar(constant.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return constant.as<T>() == T{0} || constant.as<T>() == T{1};
    else
      return false;
  });
}

// Whether `!` stands before a condition, and not before another number, which it converts.
bool negates_condition(const Node& negated, const Nodes& nodes) {
  if (negated.name != "!") return true;
  const Node& operand = nodes[negated.inputs[0]];
  const bool is_converted =
      operand.kind == NodeKind::kLoop && operand.name.empty() && operand.inputs.size() == 1;
  return is_condition(is_converted ? nodes[operand.inputs[0]] : operand);
}

// Columns of indexes as NanoAOD names them, and elements of these.
bool is_named_index(NodeId id, const Nodes& nodes) {
  while (is_one_of(nodes[id].name, kOfElements)) id = nodes[id].inputs[0];
  const Node& node = nodes[id];
  if (node.kind != NodeKind::kColumn || node.type.scalar == ScalarType::kBool) return false;
  const std::size_t begin = node.text.find_last_of("._");
  return node.text.find("Idx", begin == std::string::npos ? 0 : begin) != std::string::npos;
}

// The operator of `b op a` where it is that of `a op b`.
Operator mirrored(Operator op) {
  switch (op) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessEqual:
      return Operator::kGreaterEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterEqual:
      return Operator::kLessEqual;
    default:
      return op;
  }
}

// Whether `value op number` is the same for all values of a type: false, or true of !=. An order that always
// holds does no harm.
template <typename T, typename Number>
bool is_decided(Operator op, Number number) {
  constexpr T kLowest = std::numeric_limits<T>::lowest(), kHighest = std::numeric_limits<T>::max();
  switch (op) {
    case Operator::kLess:
      return std::cmp_less_equal(number, kLowest);
    case Operator::kLessEqual:
      return std::cmp_less(number, kLowest);
    case Operator::kGreater:
      return std::cmp_greater_equal(number, kHighest);
    case Operator::kGreaterEqual:
      return std::cmp_greater(number, kHighest);
    default:
      return !std::in_range<T>(number);
  }
}

template <typename T>
std::optional<std::string> warning_of_range(Operator op, const Constant& constant) {
  const bool is_beyond = visit_scalar(constant.scalar, [&](auto tag) {
    using Number = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<Number>)
      return is_decided<T>(op, +constant.as<Number>());
    else
      return false;
  });
  if (!is_beyond) return std::nullopt;
  return std::string("this is always ") + (op == Operator::kNotEqual ? "true" : "false") + ": a " +
         std::string(name_of(scalar_type_of<T>)) + " holds numbers from " +
         std::to_string(std::numeric_limits<T>::lowest()) + " to " +
         std::to_string(std::numeric_limits<T>::max());
}

// Of values that are compared with a number beyond their type. What comes of a difference is warned of as
// such; of indexes none may be wanted, Range(size(x)) < 0.
std::optional<std::string> warning_of_constant(Operator op, const Node& values, const Node& constant) {
  if (constant.kind != NodeKind::kConstant || values.kind == NodeKind::kConstant ||
      values.difference != kNoNode || is_one_of(values.name, kOfIndexes))
    return std::nullopt;
  return visit_scalar(values.type.scalar, [&](auto tag) -> std::optional<std::string> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return warning_of_range<T>(op, constant.constant);
    else
      return std::nullopt;
  });
}

// Of a float that is to equal a double which no float is.
std::optional<std::string> warning_of_precision(Operator op, const Node& left, const Node& right) {
  if (op != Operator::kEqual && op != Operator::kNotEqual) return std::nullopt;
  const bool is_behind = right.kind == NodeKind::kConstant;
  const Node &constant = is_behind ? right : left, &values = is_behind ? left : right;
  if (constant.kind != NodeKind::kConstant || values.kind == NodeKind::kConstant ||
      constant.type.scalar != ScalarType::kDouble || values.type.scalar != ScalarType::kFloat)
    return std::nullopt;
  const double number = constant.constant.as<double>();
  const bool is_within = std::abs(number) <= double{std::numeric_limits<float>::max()};
  const bool is_float = std::isinf(number) || (is_within && double{static_cast<float>(number)} == number);
  if (std::isnan(number) || is_float) return std::nullopt;
  return std::string("this is always ") + (op == Operator::kEqual ? "false" : "true") + ": no float is " +
         constant.text + ", a double: write float(" + constant.text + ")";
}

}  // namespace

std::optional<std::string> warning_of_division(Operator op, const Node& left, const Node& right) {
  const ScalarType a = left.type.scalar, b = right.type.scalar;
  if (op != Operator::kDivide || !is_integer(a) || !is_integer(b)) return std::nullopt;
  return "both sides of \"/\" are integers (" + std::string(name_of(a)) + " and " + std::string(name_of(b)) +
         "), so the fraction is lost: write double(a) / b, or int(a / b) if that is meant";
}

std::optional<std::string> warning_of_comparison(Operator op, const Node& left, const Node& right) {
  if (auto warning = warning_of_precision(op, left, right)) return warning;
  const ScalarType a = left.type.scalar, b = right.type.scalar;
  if (!is_comparison(op) || !is_integer(a) || !is_integer(b)) return std::nullopt;
  const ScalarType common = common_type(a, b);
  if (is_signed_integer(common) || !(may_wrap(left) || may_wrap(right)))
    return right.kind == NodeKind::kConstant ? warning_of_constant(op, left, right)
                                             : warning_of_constant(mirrored(op), right, left);
  return "signed and unsigned integers (" + std::string(name_of(a)) + " and " + std::string(name_of(b)) +
         ") are compared as " + std::string(name_of(common)) +
         ", in which negative values are huge: write int(x) around the unsigned one";
}

// An order of an order is none, with parentheses either.
std::optional<std::string> warning_of_chain(const Syntax& comparison, std::string_view text, const Node& left,
                                            const Node& right) {
  if (!is_comparison(comparison.op)) return std::nullopt;
  const Syntax &first = *comparison.operands[0], &second = *comparison.operands[1];
  const auto written = [](Operator one, Operator other) {
    return "this compares the result of a comparison, 0 or 1: write a " + std::string(spelling(one)) +
           " b && b " + std::string(spelling(other)) + " c";
  };
  const bool is_of_orders =
      first.kind == SyntaxKind::kBinary && is_order(first.op) && is_order(comparison.op);
  if (!is_condition(right) &&
      (is_of_orders || is_bare_comparison(first, text_behind(first, comparison, text))))
    return written(first.op, comparison.op);
  if (!is_condition(left) && is_bare_comparison(second, text_before(second, comparison, text)))
    return written(comparison.op, second.op);
  return std::nullopt;
}

// Of conditions that are compared with one, or with 0 or 1, both are the same.
std::optional<std::string> warning_of_negation(const Syntax& comparison, std::string_view text, NodeId left,
                                               NodeId right, const Nodes& nodes) {
  const Operator op = comparison.op;
  const Syntax& first = *comparison.operands[0];
  const bool is_bare = first.kind == SyntaxKind::kUnary && first.op == Operator::kNot &&
                       text_behind(first, comparison, text).find(')') == std::string_view::npos;
  if (!is_comparison(op) || !is_bare) return std::nullopt;
  const bool is_bit = nodes[right].kind == NodeKind::kConstant && is_zero_or_one(nodes[right].constant);
  if (!is_order(op) && negates_condition(nodes[left], nodes) && (is_bit || is_condition(nodes[right])))
    return std::nullopt;
  const std::string compared(spelling(op));
  return "\"!\" binds more tightly than \"" + compared + "\": write !(a " + compared + " b), or (!a) " +
         compared + " b if that is meant";
}

// Parentheses say what is meant.
std::optional<std::string> warning_of_bits(const Syntax& bits, std::string_view text, const Node& left,
                                           const Node& right) {
  if (!is_one_of_bits(bits.op)) return std::nullopt;
  const Syntax &first = *bits.operands[0], &second = *bits.operands[1];
  const Syntax* comparison = nullptr;
  if (is_bare_comparison(second, text_before(second, bits, text)) &&
      (is_made_of_literals(*second.operands[0]) || right.kind == NodeKind::kConstant) && are_bits(left))
    comparison = &second;
  if (is_bare_comparison(first, text_behind(first, bits, text)) && is_made_of_literals(second) &&
      are_bits(right))
    comparison = &first;
  if (!comparison) return std::nullopt;
  const std::string compared(spelling(comparison->op)), joined(spelling(bits.op));
  return "\"" + compared + "\" binds more tightly than \"" + joined + "\": write (a " + joined + " b) " +
         compared + " c";
}

std::string warning_of_inverted_condition() {
  return "\"~\" inverts all bits: of 0 and 1 it makes -1 and -2, which both count as true: write !x";
}

// Bits of one side that the other side cannot have are lost in `&`, all of ~0 and ~1 but the lowest.
bool is_zero_or_one(NodeId id, const Nodes& nodes) {
  const Node& node = nodes[id];
  if (is_condition(node)) return true;
  if (!is_number(node.type.scalar) || node.inputs.empty() || node.inputs.size() > 2) return false;
  const bool is_converted_or_repeated = node.name.empty();
  if (is_converted_or_repeated) return is_zero_or_one(node.inputs[0], nodes);
  if (node.inputs.size() == 1) return false;
  const bool left = is_zero_or_one(node.inputs[0], nodes);
  if (node.name == "&") return left || is_zero_or_one(node.inputs[1], nodes);
  return (node.name == "|" || node.name == "^") && left && is_zero_or_one(node.inputs[1], nodes);
}

bool shows_size(Operator op, ScalarType operand, ScalarType converted) {
  const bool is_of_size =
      is_order(op) || op == Operator::kDivide || op == Operator::kModulo || op == Operator::kShiftRight;
  return is_of_size || shows_wrapping(operand, converted);
}

bool shows_size(const Operation& operation, std::size_t argument, ScalarType given) {
  const bool is_of_values = operation.loop && operation.name != "Where";
  if (is_of_values || is_one_of(operation.name, kOfSize)) return true;
  // Numbers of elements that are huge are errors when they are met.
  const ScalarType converted = operation.operand_scalars[argument];
  return is_floating(converted) && shows_wrapping(given, converted);
}

std::optional<std::string> warning_of_choice(std::string_view function, const Node& choice,
                                             ScalarType converted) {
  if (!function.empty() && !is_one_of(function, kOfChoices)) return std::nullopt;
  if (!is_number(converted) || !is_integer(converted) || converted == ScalarType::kBool ||
      is_signed_integer(converted) || !may_wrap(choice))
    return std::nullopt;
  const bool is_constant = choice.kind == NodeKind::kConstant;
  return (is_constant ? "\"" + choice.text + "\" becomes huge" : "negative values become huge") + " as " +
         std::string(name_of(converted)) + ", the type of the result: write int(x) around what is unsigned";
}

std::optional<std::string> warning_of_narrow_sum(const Operation& operation) {
  const bool adds_up = operation.name == "Sum" || operation.name == "Product" || operation.name == "Mean";
  if (!adds_up || !is_number(operation.result) || promoted(operation.result) == operation.result ||
      operation.result == ScalarType::kBool)
    return std::nullopt;
  const int largest = visit_scalar(operation.result, [](auto tag) {
    return static_cast<int>(std::numeric_limits<typename decltype(tag)::type>::max());
  });
  return std::string(operation.name) + " of these is a " + std::string(name_of(operation.result)) +
         ", which wraps around beyond " + std::to_string(largest) + ": write " + std::string(operation.name) +
         "(int(x))";
}

std::optional<std::string> warning_of_index(NodeId id, const Nodes& nodes) {
  const Node& index = nodes[id];
  if (index.type == flat(ScalarType::kBool))
    return "a condition counts as the index 0 or 1: to choose elements it must be a list, and one element is "
           "written c ? x[1] : x[0]";
  if (!index.type.is_jagged()) return std::nullopt;
  const std::string masks =
      "these are indexes, and stand for a mask here, which keeps the elements where it is not 0: ";
  if (is_one_of(index.name, kOfIndexes)) return masks + "write Take(x, indexes)";
  if (is_named_index(id, nodes)) return masks + "write Take(x, indexes, y), with y for -1";
  return std::nullopt;
}

std::optional<std::string> warning_of_indexes(std::string_view function, std::size_t argument,
                                              const Node& indexes) {
  const bool takes_indexes = function == "Take" || function == "Drop" || function == "at";
  if (!takes_indexes || argument != 1 || !is_condition(indexes)) return std::nullopt;
  return std::string("conditions count as the indexes 0 and 1 here: elements are chosen by ") +
         (function == "Drop" ? "x[!mask]" : "x[mask]");
}

}  // namespace skimline
