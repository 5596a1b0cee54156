// SPDX-License-Identifier: BSD-3-Clause
#include "expression/warnings.h"

#include "expression/operators.h"

namespace skimline {
namespace {

bool is_comparison(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }
bool is_order(Operator op) { return op >= Operator::kLess && op <= Operator::kGreaterEqual; }

bool is_signed_integer(ScalarType scalar) {
  return is_integer(scalar) &&
         visit_scalar(scalar, [](auto tag) { return std::is_signed_v<typename decltype(tag)::type>; });
}

bool is_negative(const Constant& constant) {
  return visit_scalar(constant.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return constant.as<T>() < T{};
  });
}

// Whether converting the values to an unsigned type may change them.
bool may_wrap(const Node& node) {
  if (!is_signed_integer(promoted(node.type.scalar))) return false;
  if (node.kind == NodeKind::kConstant) return is_negative(node.constant);
  return is_signed_integer(node.type.scalar);  // narrower unsigned types are never negative
}

}  // namespace

std::optional<std::string> warning_of_division(Operator op, const Node& left, const Node& right) {
  const ScalarType a = left.type.scalar, b = right.type.scalar;
  if (op != Operator::kDivide || !is_integer(a) || !is_integer(b)) return std::nullopt;
  return "both sides of \"/\" are integers (" + std::string(name_of(a)) + " and " + std::string(name_of(b)) +
         "), so the fraction is lost: write double(a) / b, or int(a / b) if that is meant";
}

std::optional<std::string> warning_of_comparison(const Syntax& comparison, const Node& left,
                                                 const Node& right) {
  const Operator op = comparison.op;
  if (!is_comparison(op)) return std::nullopt;
  const Syntax& first = *comparison.operands[0];
  const ScalarType a = left.type.scalar, b = right.type.scalar;
  if (is_order(op) && first.kind == SyntaxKind::kBinary && is_order(first.op) && b != ScalarType::kBool)
    return "this compares the result of a comparison, 0 or 1: write a < b && b < c";
  if (!is_integer(a) || !is_integer(b)) return std::nullopt;
  const ScalarType common = common_type(a, b);
  if (is_signed_integer(common) || !(may_wrap(left) || may_wrap(right))) return std::nullopt;
  return "signed and unsigned integers (" + std::string(name_of(a)) + " and " + std::string(name_of(b)) +
         ") are compared as " + std::string(name_of(common)) +
         ", in which negative values are huge: write int(x) around the unsigned one";
}

}  // namespace skimline
