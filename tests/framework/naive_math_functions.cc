// SPDX-License-Identifier: BSD-3-Clause
// The functions of <cmath>, called for one value: float for float arguments, double for all others.
#include "naive_functions.h"
#include "naive_operators.h"

#include "skimline/framework/maths.h"

#include <cmath>
#include <utility>

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

// The arguments in their common type.
std::vector<Scalar> in_common_type(const NaiveCall& call) {
  ScalarType type = call.arguments.at(0).type.scalar;
  for (const Value& argument : call.arguments) type = joint_type_of(type, argument.type.scalar);
  if (!is_number(type)) throw NaiveRefusal("numbers only");
  std::vector<Scalar> values;
  for (const Value& argument : call.arguments)
    values.push_back(converted(call.context, argument.scalar, type));
  return values;
}

Value extreme(NaiveCall& call, Operator better) {
  if (call.arguments.size() < 2) throw NaiveRefusal("of two values or more");
  const std::vector<Scalar> values = in_common_type(call);
  Scalar best = values[0];
  for (const Scalar& value : values)
    if (as_bool(binary(call.context, better, value, best, false))) best = value;
  return flat_value(best);
}

Value clamp(NaiveCall& call) {
  call.expect(3);
  const std::vector<Scalar> values = in_common_type(call);
  const auto is_less = [&](std::size_t a, std::size_t b) {
    return as_bool(binary(call.context, Operator::kLess, values[a], values[b], false));
  };
  if (is_less(2, 1)) call.context.fault("clamp to a range");
  return flat_value(is_less(0, 1) ? values[1] : is_less(2, 0) ? values[2] : values[0]);
}

template <typename F>
Value test(NaiveCall& call, F function) {
  const bool result =
      std::get<bool>(real(call, [&](auto x) { return static_cast<bool>(function(x)); }).scalar);
  if (call.on_lists) return flat_value(static_cast<std::int32_t>(result));
  return flat_value(result);
}

template <typename T>
Value rounded_as(NaiveCall& call) {
  const T value = std::get<T>(real(call, [](auto x) { return std::round(x); }).scalar);
  std::int64_t result = 0;
  if (value >= T(-9223372036854775808.) && value < T(9223372036854775808.))
    result = static_cast<std::int64_t>(value);
  else
    call.context.fault("lround of a number");
  if (call.on_lists) return flat_value(static_cast<T>(result));
  return flat_value(result);
}

// Away from zero to an integer; of lists a real number of the argument's type.
Value rounded(NaiveCall& call) {
  return real(call, [](auto x) { return x; }).type.scalar == ScalarType::kFloat ? rounded_as<float>(call)
                                                                                : rounded_as<double>(call);
}

// In the order of all numbers, in which -0 comes before 0.
template <typename T>
bool is_below(T x, T y) {
  return std::pair(x, !std::signbit(x)) < std::pair(y, !std::signbit(y));
}

// A number before what is none.
template <typename T>
T first_of(T x, T y, bool is_x) {
  if (std::isnan(y)) return x;
  return is_x && !std::isnan(x) ? x : y;
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

// Of skimline::maths, which tests compare with the truth.
#define SKIMLINE_NAIVE_MATHS(name)                                                         \
  {                                                                                        \
#name, NaiveShape::kValues,                                                            \
        [](NaiveCall & call) { return real(call, [](auto x) { return maths::name(x); }); } \
  }
#define SKIMLINE_NAIVE_MATHS2(name)                                                                    \
  {                                                                                                    \
#name, NaiveShape::kValues,                                                                        \
        [](NaiveCall & call) { return real2(call, [](auto x, auto y) { return maths::name(x, y); }); } \
  }

}  // namespace

std::span<const NaiveFunction> naive_math_functions() {
  static constexpr NaiveFunction kFunctions[] = {
      {"abs", NaiveShape::kValues, absolute},
      {"min", NaiveShape::kValues, [](NaiveCall& call) { return extreme(call, Operator::kLess); }},
      {"max", NaiveShape::kValues, [](NaiveCall& call) { return extreme(call, Operator::kGreater); }},
      {"clamp", NaiveShape::kValues, clamp},
      {"lround", NaiveShape::kValues, rounded},
      {"llround", NaiveShape::kValues, rounded},
      {"isnan", NaiveShape::kValues,
       [](NaiveCall& c) { return test(c, [](auto x) { return std::isnan(x); }); }},
      {"isinf", NaiveShape::kValues,
       [](NaiveCall& c) { return test(c, [](auto x) { return std::isinf(x); }); }},
      {"isfinite", NaiveShape::kValues,
       [](NaiveCall& c) { return test(c, [](auto x) { return std::isfinite(x); }); }},
      {"signbit", NaiveShape::kValues,
       [](NaiveCall& c) { return test(c, [](auto x) { return std::signbit(x); }); }},
      SKIMLINE_NAIVE_REAL(rint),
      SKIMLINE_NAIVE_REAL(nearbyint),
      SKIMLINE_NAIVE_MATHS(lgamma),
      {"fmin", NaiveShape::kValues,
       [](NaiveCall& c) { return real2(c, [](auto x, auto y) { return first_of(x, y, is_below(x, y)); }); }},
      {"fmax", NaiveShape::kValues,
       [](NaiveCall& c) { return real2(c, [](auto x, auto y) { return first_of(x, y, is_below(y, x)); }); }},
      SKIMLINE_NAIVE_REAL2(copysign),
      SKIMLINE_NAIVE_REAL(fabs),
      SKIMLINE_NAIVE_REAL(sqrt),
      SKIMLINE_NAIVE_MATHS(cbrt),
      SKIMLINE_NAIVE_MATHS(exp),
      SKIMLINE_NAIVE_MATHS(exp2),
      SKIMLINE_NAIVE_MATHS(expm1),
      SKIMLINE_NAIVE_MATHS(log),
      SKIMLINE_NAIVE_MATHS(log2),
      SKIMLINE_NAIVE_MATHS(log10),
      SKIMLINE_NAIVE_MATHS(log1p),
      SKIMLINE_NAIVE_MATHS(sin),
      SKIMLINE_NAIVE_MATHS(cos),
      SKIMLINE_NAIVE_MATHS(tan),
      SKIMLINE_NAIVE_MATHS(asin),
      SKIMLINE_NAIVE_MATHS(acos),
      SKIMLINE_NAIVE_MATHS(atan),
      SKIMLINE_NAIVE_MATHS(sinh),
      SKIMLINE_NAIVE_MATHS(cosh),
      SKIMLINE_NAIVE_MATHS(tanh),
      SKIMLINE_NAIVE_MATHS(asinh),
      SKIMLINE_NAIVE_MATHS(acosh),
      SKIMLINE_NAIVE_MATHS(atanh),
      SKIMLINE_NAIVE_REAL(floor),
      SKIMLINE_NAIVE_REAL(ceil),
      SKIMLINE_NAIVE_REAL(trunc),
      SKIMLINE_NAIVE_REAL(round),
      SKIMLINE_NAIVE_MATHS(erf),
      SKIMLINE_NAIVE_MATHS(erfc),
      SKIMLINE_NAIVE_MATHS(tgamma),
      SKIMLINE_NAIVE_MATHS2(pow),
      SKIMLINE_NAIVE_MATHS2(atan2),
      SKIMLINE_NAIVE_MATHS2(hypot),
      SKIMLINE_NAIVE_REAL2(fmod),
      SKIMLINE_NAIVE_REAL2(remainder),
      SKIMLINE_NAIVE_REAL2(fdim),
  };
  return kFunctions;
}

}  // namespace skimline::testing
