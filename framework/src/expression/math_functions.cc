// SPDX-License-Identifier: BSD-3-Clause
// The functions of <cmath> on values and lists, with the types of the C++ overloads: float stays float,
// integers become double. Values are those of skimline::maths, where <cmath> leaves the last bits open.
#include "expression/function_registry.h"
#include "expression/operand_blocks.h"
#include "expression/operators.h"
#include "maths/float_arrays.h"

#include "skimline/framework/instruction_set.h"
#include "skimline/framework/maths.h"

#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace skimline {
namespace {

template <typename T, T (*kFunction)(T)>
void unary_loop(const Operand* operands, void* results, std::size_t count) {
  const T* values = static_cast<const T*>(operands[0].values);
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(results)[i] = kFunction(values[i]);
}

template <void (*kFunction)(const float*, std::size_t, float*)>
void array_loop(const Operand* operands, void* results, std::size_t count) {
  kFunction(static_cast<const float*>(operands[0].values), count, static_cast<float*>(results));
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

ScalarType joint_type(Arguments arguments) {
  ScalarType joint = arguments[0].type.scalar;
  for (const Argument& each : arguments.subspan(1)) joint = choice_type(joint, each.type.scalar);
  return joint;
}

template <float (*kFloat)(float), double (*kDouble)(double)>
std::optional<Operation> choose_unary(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = real_type(arguments[0].type.scalar);
  return loop_operation(real == ScalarType::kFloat ? unary_loop<float, kFloat> : unary_loop<double, kDouble>,
                        {real}, real);
}

// Functions that take floats by the array.
template <void (*kFloats)(const float*, std::size_t, float*), double (*kDouble)(double)>
std::optional<Operation> choose_array(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = real_type(arguments[0].type.scalar);
  return loop_operation(real == ScalarType::kFloat ? array_loop<kFloats> : unary_loop<double, kDouble>,
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

// Which of 0 and -0 is the lesser <cmath> leaves open; by IEEE 754-2019 (minimumNumber) it is -0.
template <typename T>
T lesser(T x, T y) {
  return x < y || (x == y && std::signbit(x)) || std::isnan(y) ? x : y;
}

template <typename T>
T greater(T x, T y) {
  return x > y || (x == y && !std::signbit(x)) || std::isnan(y) ? x : y;
}

// The comparisons of std::min and std::max, which decide what NaN gives, from the left. With `kMore` the best
// so far are the results.
template <typename T, bool kLess, bool kMore>
struct Extremes {
  [[gnu::always_inline]] static inline void run(const T* const& firsts, const T* const& nexts,
                                                const std::size_t& size, T* const& results) {
    const T* const first = firsts;
    const T* const next = nexts;
    T* const __restrict result = results;
    const std::size_t count = size;
    for (std::size_t i = 0; i < count; ++i) {
      const T best = kMore ? result[i] : first[i];
      const bool is_better = kLess ? next[i] < best : best < next[i];
      result[i] = is_better ? next[i] : best;
    }
  }
};

constexpr std::size_t kMaxValues = 8;

// Apart from the loops, which differ in nothing but how many operands they are given.
template <typename T, bool kLess>
[[gnu::noinline]] void find_extremes(std::span<const Operand> operands, T* results, std::size_t count) {
  const OperandBlocks<T, kMaxValues> values(operands);
  for_each_block(count, [&](std::size_t first, std::size_t size) {
    T* const result = results + first;
    run_kernel<Extremes<T, kLess, false>>(values.at(0, first), values.at(1, first), size, result);
    for (std::size_t k = 2; k < operands.size(); ++k)
      run_kernel<Extremes<T, kLess, true>>(values.at(0, first), values.at(k, first), size, result);
  });
}

template <typename T, bool kLess, std::size_t kCount>
void extreme_loop(const Operand* operands, void* results, std::size_t count) {
  find_extremes<T, kLess>({operands, kCount}, static_cast<T*>(results), count);
}

template <typename T, bool kLess, std::size_t kCount = 2>
Loop extreme_loop_of(std::size_t count) {
  if (count == kCount) return extreme_loop<T, kLess, kCount>;
  if constexpr (kCount < kMaxValues)
    return extreme_loop_of<T, kLess, kCount + 1>(count);
  else
    return nullptr;
}

template <bool kLess>
std::optional<Operation> choose_extreme(Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > kMaxValues || !are_numbers(arguments)) return std::nullopt;
  const ScalarType common = joint_type(arguments);
  const Loop loop = visit_scalar(common, [&](auto tag) {
    return extreme_loop_of<typename decltype(tag)::type, kLess>(arguments.size());
  });
  return loop_operation(loop, std::vector(arguments.size(), common), common);
}

template <typename T>
void clamp_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = value_at<T>(operands[0], i);
    const T low = value_at<T>(operands[1], i), high = value_at<T>(operands[2], i);
    if (high < low) throw EntryFault{i, "clamp to a range whose end is below its start"};
    static_cast<T*>(results)[i] = value < low ? low : high < value ? high : value;
  }
}

std::optional<Operation> choose_clamp(Arguments arguments) {
  if (arguments.size() != 3 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType common = joint_type(arguments);
  Operation operation = loop_operation(
      visit_scalar(common, [](auto tag) -> Loop { return clamp_loop<typename decltype(tag)::type>; }),
      std::vector(3, common), common);
  operation.can_fail = true;
  return operation;
}

template <typename T, bool (*kTest)(T), typename R>
void test_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<R*>(results)[i] = static_cast<R>(kTest(value_at<T>(operands[0], i)));
}

// Of lists a mask, as comparisons.
template <bool (*kFloat)(float), bool (*kDouble)(double)>
std::optional<Operation> choose_test(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = real_type(arguments[0].type.scalar);
  const bool on_lists = arguments[0].type.is_jagged();
  const Loop on_float = on_lists ? test_loop<float, kFloat, std::int32_t> : test_loop<float, kFloat, bool>;
  const Loop on_double =
      on_lists ? test_loop<double, kDouble, std::int32_t> : test_loop<double, kDouble, bool>;
  return loop_operation(real == ScalarType::kFloat ? on_float : on_double, {real},
                        on_lists ? ScalarType::kInt32 : ScalarType::kBool);
}

template <typename T, typename R>
void rounded_loop(const Operand* operands, void* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T rounded = std::round(value_at<T>(operands[0], i));
    if (!(rounded >= T(-0x1p63) && rounded < T(0x1p63)))
      throw EntryFault{i, "lround of a number that is no std::int64_t"};
    // Adding 0 makes 0 of -0, as an integer has it: where processors can, gcc makes one rounding of the way
    // to an integer and back, which keeps the sign.
    static_cast<R*>(results)[i] = static_cast<R>(rounded + T(0));
  }
}

template <typename T>
Loop rounded_loop_for(bool on_lists) {
  return on_lists ? rounded_loop<T, T> : rounded_loop<T, std::int64_t>;
}

// Flat integers; RVec's lists stay real.
std::optional<Operation> choose_rounded(Arguments arguments) {
  if (arguments.size() != 1 || !are_numbers(arguments)) return std::nullopt;
  const ScalarType real = real_type(arguments[0].type.scalar);
  const bool on_lists = arguments[0].type.is_jagged();
  Operation operation = loop_operation(
      real == ScalarType::kFloat ? rounded_loop_for<float>(on_lists) : rounded_loop_for<double>(on_lists),
      {real}, on_lists ? real : ScalarType::kInt64);
  operation.can_fail = true;
  return operation;
}

}  // namespace

std::span<const Function> math_functions() {
  static constexpr Function kFunctions[] = {
      {"abs", "abs(x)", choose_abs},
      {"fabs", "fabs(x)", choose_unary<std::fabs, std::fabs>},
      {"sqrt", "sqrt(x)", choose_unary<std::sqrt, std::sqrt>},
      {"cbrt", "cbrt(x)", choose_unary<maths::cbrt, maths::cbrt>},
      {"exp", "exp(x)", choose_array<float_arrays::exp, maths::exp>},
      {"exp2", "exp2(x)", choose_array<float_arrays::exp2, maths::exp2>},
      {"expm1", "expm1(x)", choose_array<float_arrays::expm1, maths::expm1>},
      {"log", "log(x)", choose_array<float_arrays::log, maths::log>},
      {"log2", "log2(x)", choose_array<float_arrays::log2, maths::log2>},
      {"log10", "log10(x)", choose_array<float_arrays::log10, maths::log10>},
      {"log1p", "log1p(x)", choose_array<float_arrays::log1p, maths::log1p>},
      {"sin", "sin(x)", choose_array<float_arrays::sin, maths::sin>},
      {"cos", "cos(x)", choose_array<float_arrays::cos, maths::cos>},
      {"tan", "tan(x)", choose_array<float_arrays::tan, maths::tan>},
      {"asin", "asin(x)", choose_array<float_arrays::asin, maths::asin>},
      {"acos", "acos(x)", choose_array<float_arrays::acos, maths::acos>},
      {"atan", "atan(x)", choose_array<float_arrays::atan, maths::atan>},
      {"sinh", "sinh(x)", choose_array<float_arrays::sinh, maths::sinh>},
      {"cosh", "cosh(x)", choose_array<float_arrays::cosh, maths::cosh>},
      {"tanh", "tanh(x)", choose_array<float_arrays::tanh, maths::tanh>},
      {"asinh", "asinh(x)", choose_array<float_arrays::asinh, maths::asinh>},
      {"acosh", "acosh(x)", choose_array<float_arrays::acosh, maths::acosh>},
      {"atanh", "atanh(x)", choose_array<float_arrays::atanh, maths::atanh>},
      {"floor", "floor(x)", choose_unary<std::floor, std::floor>},
      {"ceil", "ceil(x)", choose_unary<std::ceil, std::ceil>},
      {"trunc", "trunc(x)", choose_unary<std::trunc, std::trunc>},
      {"round", "round(x)", choose_unary<std::round, std::round>},
      {"rint", "rint(x)", choose_unary<std::rint, std::rint>},
      {"nearbyint", "nearbyint(x)", choose_unary<std::nearbyint, std::nearbyint>},
      {"lround", "lround(x)", choose_rounded},
      {"llround", "llround(x)", choose_rounded},
      {"lgamma", "lgamma(x)", choose_unary<maths::lgamma, maths::lgamma>},
      {"erf", "erf(x)", choose_unary<maths::erf, maths::erf>},
      {"erfc", "erfc(x)", choose_unary<maths::erfc, maths::erfc>},
      {"tgamma", "tgamma(x)", choose_unary<maths::tgamma, maths::tgamma>},
      {"pow", "pow(x, y)", choose_binary<maths::pow, maths::pow>},
      {"atan2", "atan2(y, x)", choose_binary<maths::atan2, maths::atan2>},
      {"hypot", "hypot(x, y)", choose_binary<maths::hypot, maths::hypot>},
      {"fmod", "fmod(x, y)", choose_binary<std::fmod, std::fmod>},
      {"remainder", "remainder(x, y)", choose_binary<std::remainder, std::remainder>},
      {"fdim", "fdim(x, y)", choose_binary<std::fdim, std::fdim>},
      {"fmin", "fmin(x, y)", choose_binary<lesser<float>, lesser<double>>},
      {"fmax", "fmax(x, y)", choose_binary<greater<float>, greater<double>>},
      {"copysign", "copysign(x, sign)", choose_binary<std::copysign, std::copysign>},
      {"min", "min(x, y, ...)", choose_extreme<true>},
      {"max", "max(x, y, ...)", choose_extreme<false>},
      {"clamp", "clamp(x, low, high)", choose_clamp},
      {"isnan", "isnan(x)", choose_test<std::isnan, std::isnan>},
      {"isinf", "isinf(x)", choose_test<std::isinf, std::isinf>},
      {"isfinite", "isfinite(x)", choose_test<std::isfinite, std::isfinite>},
      {"signbit", "signbit(x)", choose_test<std::signbit, std::signbit>},
  };
  return kFunctions;
}

}  // namespace skimline
