// SPDX-License-Identifier: BSD-3-Clause
// <cmath>, called for one value: float for float arguments, double for all others.
#include "naive_functions.h"
#include "naive_operators.h"

#include <cmath>

namespace skimline::testing {
namespace {

template <typename F>
Value real(NaiveCall& call, F function) {
  call.expect(1);
  const Scalar& x = call.arguments[0].scalar;
  if (const auto* value = std::get_if<float>(&x)) return flat_value(function(*value));
  return flat_value(function(double_argument(call, 0)));
}

template <typename F>
Value real2(NaiveCall& call, F function) {
  call.expect(2);
  if (all_are(call, ScalarType::kFloat))
    return flat_value(
        function(std::get<float>(call.arguments[0].scalar), std::get<float>(call.arguments[1].scalar)));
  return flat_value(function(double_argument(call, 0), double_argument(call, 1)));
}

// Of a flat integer an integer, unless its type has no sign after promotion. Of lists always a real number,
// which RVec makes of the absolute value of the integer: of the most negative one C++ defines none.
Value absolute(NaiveCall& call) {
  call.expect(1);
  const ScalarType type = call.arguments[0].type.scalar;
  if (is_integer(type)) {
    const Scalar promoted =
        converted(call.context, call.arguments[0].scalar, common_type_of(type, ScalarType::kBool));
    const bool is_signed =
        std::holds_alternative<std::int32_t>(promoted) || std::holds_alternative<std::int64_t>(promoted);
    const Scalar zero = default_value(flat(type_of(promoted))).scalar;
    const bool is_negative = as_bool(binary(call.context, Operator::kLess, promoted, zero, false));
    const Scalar result = is_negative ? unary(call.context, Operator::kMinus, promoted, false) : promoted;
    if (is_signed && !call.on_lists) return flat_value(result);
  }
  return real(call, [](auto x) { return std::fabs(x); });
}

Value extreme(NaiveCall& call, bool wants_less) {
  call.expect(2);
  const ScalarType type = common_type_of(call.arguments[0].type.scalar, call.arguments[1].type.scalar);
  if (!is_number(type)) throw NaiveRefusal("min and max of numbers only");
  const Scalar a = converted(call.context, call.arguments[0].scalar, type);
  const Scalar b = converted(call.context, call.arguments[1].scalar, type);
  const Scalar is_less = wants_less ? binary(call.context, Operator::kLess, b, a, false)
                                    : binary(call.context, Operator::kLess, a, b, false);
  return flat_value(as_bool(is_less) ? b : a);
}

#define SKIMLINE_NAIVE_REAL(name)                                                        \
  {                                                                                      \
#name, NaiveShape::kValues,                                                          \
        [](NaiveCall & call) { return real(call, [](auto x) { return std::name(x); }); } \
  }
#define SKIMLINE_NAIVE_REAL2(name)                                                                   \
  {                                                                                                  \
#name, NaiveShape::kValues,                                                                      \
        [](NaiveCall & call) { return real2(call, [](auto x, auto y) { return std::name(x, y); }); } \
  }

}  // namespace

std::span<const NaiveFunction> naive_math_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"abs", NaiveShape::kValues, absolute},
      {"min", NaiveShape::kValues, [](NaiveCall& call) { return extreme(call, true); }},
      {"max", NaiveShape::kValues, [](NaiveCall& call) { return extreme(call, false); }},
      SKIMLINE_NAIVE_REAL(fabs),
      SKIMLINE_NAIVE_REAL(sqrt),
      SKIMLINE_NAIVE_REAL(cbrt),
      SKIMLINE_NAIVE_REAL(exp),
      SKIMLINE_NAIVE_REAL(exp2),
      SKIMLINE_NAIVE_REAL(expm1),
      SKIMLINE_NAIVE_REAL(log),
      SKIMLINE_NAIVE_REAL(log2),
      SKIMLINE_NAIVE_REAL(log10),
      SKIMLINE_NAIVE_REAL(log1p),
      SKIMLINE_NAIVE_REAL(sin),
      SKIMLINE_NAIVE_REAL(cos),
      SKIMLINE_NAIVE_REAL(tan),
      SKIMLINE_NAIVE_REAL(asin),
      SKIMLINE_NAIVE_REAL(acos),
      SKIMLINE_NAIVE_REAL(atan),
      SKIMLINE_NAIVE_REAL(sinh),
      SKIMLINE_NAIVE_REAL(cosh),
      SKIMLINE_NAIVE_REAL(tanh),
      SKIMLINE_NAIVE_REAL(asinh),
      SKIMLINE_NAIVE_REAL(acosh),
      SKIMLINE_NAIVE_REAL(atanh),
      SKIMLINE_NAIVE_REAL(floor),
      SKIMLINE_NAIVE_REAL(ceil),
      SKIMLINE_NAIVE_REAL(trunc),
      SKIMLINE_NAIVE_REAL(round),
      SKIMLINE_NAIVE_REAL(erf),
      SKIMLINE_NAIVE_REAL(erfc),
      SKIMLINE_NAIVE_REAL(tgamma),
      SKIMLINE_NAIVE_REAL2(pow),
      SKIMLINE_NAIVE_REAL2(atan2),
      SKIMLINE_NAIVE_REAL2(hypot),
      SKIMLINE_NAIVE_REAL2(fmod),
      SKIMLINE_NAIVE_REAL2(remainder),
      SKIMLINE_NAIVE_REAL2(fdim),
  };
  return kFunctions;
}

}  // namespace skimline::testing
