// SPDX-License-Identifier: BSD-3-Clause
// The functions of <cmath> on values and lists, with the types of the C++ overloads: float stays float,
// integers become double.
#include "expression/function_registry.h"
#include "expression/operators.h"

#include <cmath>
#include <cstdlib>
#include <type_traits>

namespace skimline {
namespace {

template <typename T, T (*kFunction)(T)>
void unary_loop(const Operand* operands, void* results, std::size_t count) {
  const T* values = static_cast<const T*>(operands[0].values);
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(results)[i] = kFunction(values[i]);
}

template <typename T, T (*kFunction)(T, T)>
void binary_loop(const Operand* operands, void* results, std::size_t count) {
  const T* a = static_cast<const T*>(operands[0].values);
  const T* b = static_cast<const T*>(operands[1].values);
  const std::size_t step_a = operands[0].is_constant ? 0 : 1;
  const std::size_t step_b = operands[1].is_constant ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i)
    static_cast<T*>(results)[i] = kFunction(a[i * step_a], b[i * step_b]);
}

ScalarType real_type(ScalarType scalar) {
  return scalar == ScalarType::kFloat ? ScalarType::kFloat : ScalarType::kDouble;
}

ScalarType real_type(ScalarType a, ScalarType b) {
  return a == ScalarType::kFloat && b == ScalarType::kFloat ? ScalarType::kFloat : ScalarType::kDouble;
}

Operation loop_operation(Loop loop, std::vector<ScalarType> operands, ScalarType result) {
  Operation operation;
  operation.loop = loop;
  operation.operand_scalars = std::move(operands);
  operation.result = result;
  return operation;
}

template <float (*kFloat)(float), double (*kDouble)(double)>
std::optional<Operation> choose_unary(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = real_type(arguments[0].type.scalar);
  return loop_operation(real == ScalarType::kFloat ? unary_loop<float, kFloat> : unary_loop<double, kDouble>,
                        {real}, real);
}

template <float (*kFloat)(float, float), double (*kDouble)(double, double)>
std::optional<Operation> choose_binary(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = real_type(arguments[0].type.scalar, arguments[1].type.scalar);
  return loop_operation(
      real == ScalarType::kFloat ? binary_loop<float, kFloat> : binary_loop<double, kDouble>, {real, real},
      real);
}

template <typename T>
void absolute_integers(const Operand* operands, void* results, std::size_t count) {
  const T* values = static_cast<const T*>(operands[0].values);
  for (std::size_t i = 0; i < count; ++i) {
    // Through unsigned: the most negative value has no absolute value and keeps its bits.
    const auto magnitude = static_cast<std::make_unsigned_t<T>>(values[i]);
    static_cast<T*>(results)[i] = static_cast<T>(values[i] < 0 ? 0 - magnitude : magnitude);
  }
}

// Integers: std::abs of a scalar stays an integer, RVec's abs of a list gives double.
std::optional<Operation> choose_abs(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = promoted(arguments[0].type.scalar);
  const bool is_signed_integer = scalar == ScalarType::kInt32 || scalar == ScalarType::kInt64;
  if (is_floating(scalar) || arguments[0].type.is_jagged() || !is_signed_integer)
    return choose_unary<std::fabs, std::fabs>(arguments);
  return loop_operation(
      scalar == ScalarType::kInt32 ? absolute_integers<std::int32_t> : absolute_integers<std::int64_t>,
      {scalar}, scalar);
}

template <typename T, bool kLess>
void choose_value(const Operand* operands, void* results, std::size_t count) {
  const T* a = static_cast<const T*>(operands[0].values);
  const T* b = static_cast<const T*>(operands[1].values);
  const std::size_t step_a = operands[0].is_constant ? 0 : 1;
  const std::size_t step_b = operands[1].is_constant ? 0 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const T x = a[i * step_a], y = b[i * step_b];
    // The comparisons of std::min and std::max, which decide what NaN gives.
    static_cast<T*>(results)[i] = kLess ? (y < x ? y : x) : (x < y ? y : x);
  }
}

template <bool kLess>
std::optional<Operation> choose_extreme(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType common = common_type(arguments[0].type.scalar, arguments[1].type.scalar);
  const Loop loop = visit_scalar(
      common, [](auto tag) -> Loop { return choose_value<typename decltype(tag)::type, kLess>; });
  return loop_operation(loop, {common, common}, common);
}

}  // namespace

std::span<const Function> math_functions() {
  static constexpr Function kFunctions[] = {
      {"abs", "abs(x)", choose_abs},
      {"fabs", "fabs(x)", choose_unary<std::fabs, std::fabs>},
      {"sqrt", "sqrt(x)", choose_unary<std::sqrt, std::sqrt>},
      {"cbrt", "cbrt(x)", choose_unary<std::cbrt, std::cbrt>},
      {"exp", "exp(x)", choose_unary<std::exp, std::exp>},
      {"exp2", "exp2(x)", choose_unary<std::exp2, std::exp2>},
      {"expm1", "expm1(x)", choose_unary<std::expm1, std::expm1>},
      {"log", "log(x)", choose_unary<std::log, std::log>},
      {"log2", "log2(x)", choose_unary<std::log2, std::log2>},
      {"log10", "log10(x)", choose_unary<std::log10, std::log10>},
      {"log1p", "log1p(x)", choose_unary<std::log1p, std::log1p>},
      {"sin", "sin(x)", choose_unary<std::sin, std::sin>},
      {"cos", "cos(x)", choose_unary<std::cos, std::cos>},
      {"tan", "tan(x)", choose_unary<std::tan, std::tan>},
      {"asin", "asin(x)", choose_unary<std::asin, std::asin>},
      {"acos", "acos(x)", choose_unary<std::acos, std::acos>},
      {"atan", "atan(x)", choose_unary<std::atan, std::atan>},
      {"sinh", "sinh(x)", choose_unary<std::sinh, std::sinh>},
      {"cosh", "cosh(x)", choose_unary<std::cosh, std::cosh>},
      {"tanh", "tanh(x)", choose_unary<std::tanh, std::tanh>},
      {"asinh", "asinh(x)", choose_unary<std::asinh, std::asinh>},
      {"acosh", "acosh(x)", choose_unary<std::acosh, std::acosh>},
      {"atanh", "atanh(x)", choose_unary<std::atanh, std::atanh>},
      {"floor", "floor(x)", choose_unary<std::floor, std::floor>},
      {"ceil", "ceil(x)", choose_unary<std::ceil, std::ceil>},
      {"trunc", "trunc(x)", choose_unary<std::trunc, std::trunc>},
      {"round", "round(x)", choose_unary<std::round, std::round>},
      {"erf", "erf(x)", choose_unary<std::erf, std::erf>},
      {"erfc", "erfc(x)", choose_unary<std::erfc, std::erfc>},
      {"tgamma", "tgamma(x)", choose_unary<std::tgamma, std::tgamma>},
      {"pow", "pow(x, y)", choose_binary<std::pow, std::pow>},
      {"atan2", "atan2(y, x)", choose_binary<std::atan2, std::atan2>},
      {"hypot", "hypot(x, y)", choose_binary<std::hypot, std::hypot>},
      {"fmod", "fmod(x, y)", choose_binary<std::fmod, std::fmod>},
      {"remainder", "remainder(x, y)", choose_binary<std::remainder, std::remainder>},
      {"fdim", "fdim(x, y)", choose_binary<std::fdim, std::fdim>},
      {"min", "min(x, y)", choose_extreme<true>},
      {"max", "max(x, y)", choose_extreme<false>},
  };
  return kFunctions;
}

}  // namespace skimline
