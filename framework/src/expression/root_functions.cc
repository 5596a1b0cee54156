// SPDX-License-Identifier: BSD-3-Clause
// Values at the ends of ranges, of zeros and of NaN are those of ROOT 6.40's TMathBase.h, TMath.h and
// TVector2.cxx.
#include "expression/root_functions.h"

#include "expression/operators.h"

#include "skimline/framework/maths.h"

#include <cmath>
#include <numbers>
#include <span>
#include <utility>

namespace skimline {
namespace {

// Those that are a function of <cmath> on double.
constexpr std::pair<std::string_view, std::string_view> kInDouble[] = {
    {"TMath::Sqrt", "sqrt"},       {"TMath::Exp", "exp"},     {"TMath::Log", "log"},
    {"TMath::Log10", "log10"},     {"TMath::Power", "pow"},   {"TMath::Sin", "sin"},
    {"TMath::Cos", "cos"},         {"TMath::Tan", "tan"},     {"TMath::ASin", "asin"},
    {"TMath::ACos", "acos"},       {"TMath::ATan", "atan"},   {"TMath::SinH", "sinh"},
    {"TMath::CosH", "cosh"},       {"TMath::TanH", "tanh"},   {"TMath::ASinH", "asinh"},
    {"TMath::ACosH", "acosh"},     {"TMath::ATanH", "atanh"}, {"TMath::Hypot", "hypot"},
    {"TMath::Ceil", "ceil"},       {"TMath::Floor", "floor"}, {"TMath::IsNaN", "isnan"},
    {"TMath::SignBit", "signbit"},
};

constexpr double kHalfTurn = std::numbers::pi;

// The first of two that are equal, the second if one is NaN.
struct Larger {
  template <typename T>
  static T of(T a, T b) {
    return a >= b ? a : b;
  }
};
struct Smaller {
  template <typename T>
  static T of(T a, T b) {
    return a <= b ? a : b;
  }
};

template <typename Choice, typename T>
void root_extreme_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(results)[i] = Choice::of(value_at<T>(operands[0], i), value_at<T>(operands[1], i));
}

template <typename Choice>
std::optional<Operation> choose_root_extreme(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType common = choice_type(arguments[0].type.scalar, arguments[1].type.scalar);
  return loop_operation(
      visit_scalar(common,
                   [](auto tag) -> Loop { return root_extreme_loop<Choice, typename decltype(tag)::type>; }),
      {common, common}, common);
}

// Not the log2 of <cmath>, which differs in the last bit.
void logarithm_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<double*>(results)[i] = maths::log(value_at<double>(operands[0], i)) / std::numbers::ln2;
}

std::optional<Operation> choose_logarithm(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  return loop_operation(logarithm_loop, {ScalarType::kDouble}, ScalarType::kDouble);
}

void arc_tangent_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double y = value_at<double>(operands[0], i), x = value_at<double>(operands[1], i);
    const double on_axis = y == 0 ? 0 : y > 0 ? kHalfTurn / 2 : -kHalfTurn / 2;
    static_cast<double*>(results)[i] = x != 0 ? maths::atan2(y, x) : on_axis;
  }
}

std::optional<Operation> choose_arc_tangent(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  return loop_operation(arc_tangent_loop, {ScalarType::kDouble, ScalarType::kDouble}, ScalarType::kDouble);
}

template <bool kIsOdd, typename R>
void parity_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<R*>(results)[i] =
        static_cast<R>(((value_at<std::int64_t>(operands[0], i) & 1) != 0) == kIsOdd);
}

// Of lists a mask, as comparisons.
template <bool kIsOdd>
std::optional<Operation> choose_parity(Arguments arguments) {
  if (arguments.size() != 1 || !is_integer(arguments[0].type.scalar)) return std::nullopt;
  const bool on_lists = arguments[0].type.is_jagged();
  return loop_operation(on_lists ? parity_loop<kIsOdd, std::int32_t> : parity_loop<kIsOdd, bool>,
                        {ScalarType::kInt64}, on_lists ? ScalarType::kInt32 : ScalarType::kBool);
}

// ROOT subtracts whole turns one by one, and would never end for large angles.
constexpr double kMostTurns = 1e6;

template <bool kIsPositive>
void turned_loop(const Operand* operands, void* results, std::size_t count) {
  constexpr double kLow = kIsPositive ? 0 : -kHalfTurn, kHigh = kIsPositive ? 2 * kHalfTurn : kHalfTurn;
  for (std::size_t i = 0; i < count; ++i) {
    double angle = value_at<double>(operands[0], i);
    if (std::fabs(angle) > kMostTurns * 2 * kHalfTurn)
      throw EntryFault{i, "an angle of more than a million turns"};
    while (angle >= kHigh) angle -= 2 * kHalfTurn;
    while (angle < kLow) angle += 2 * kHalfTurn;
    static_cast<double*>(results)[i] = angle;
  }
}

template <bool kIsPositive>
std::optional<Operation> choose_turned(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  Operation operation = loop_operation(turned_loop<kIsPositive>, {ScalarType::kDouble}, ScalarType::kDouble);
  operation.can_fail = true;
  return operation;
}

constexpr Function kOwn[] = {
    {"TMath::Max", "TMath::Max(a, b)", choose_root_extreme<Larger>},
    {"TMath::Min", "TMath::Min(a, b)", choose_root_extreme<Smaller>},
    {"TMath::Log2", "TMath::Log2(x)", choose_logarithm},
    {"TMath::ATan2", "TMath::ATan2(y, x)", choose_arc_tangent},
    {"TMath::Even", "TMath::Even(n)", choose_parity<false>},
    {"TMath::Odd", "TMath::Odd(n)", choose_parity<true>},
    {"TVector2::Phi_mpi_pi", "TVector2::Phi_mpi_pi(x)", choose_turned<false>},
    {"TVector2::Phi_0_2pi", "TVector2::Phi_0_2pi(x)", choose_turned<true>},
};

}  // namespace

std::optional<RootFunction> find_root_function(std::string_view name) {
  for (const std::span<const Function> table : {std::span<const Function>(kOwn), root_formulas()})
    for (const Function& function : table)
      if (function.name == name) return RootFunction{&function, false};
  for (const auto& [known, meant] : kInDouble)
    if (known == name) return RootFunction{find_function(meant), true};
  if (name == "TMath::Abs") return RootFunction{find_function("abs"), false};
  return std::nullopt;
}

std::vector<std::string> root_function_names() {
  std::vector<std::string> names = {"TMath::Abs"};
  for (const std::span<const Function> table : {std::span<const Function>(kOwn), root_formulas()})
    for (const Function& function : table) names.emplace_back(function.name);
  for (const auto& [known, meant] : kInDouble) names.emplace_back(known);
  return names;
}

}  // namespace skimline
