// SPDX-License-Identifier: BSD-3-Clause
// Products and moments of lists. Formulas and the order of operations are those of ROOT 6.40's VecOps. Sums
// of integers for moments are taken in double, where RVec's wrap around in the type of the elements.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/operators.h"

#include <cmath>
#include <type_traits>

namespace skimline {
namespace {

// Applies `reduce(first, last)` to every list.
template <typename T, typename Reduce>
ColumnView reduced(const KernelCall& call, Reduce reduce) {
  const ColumnView& list = call.inputs[0];
  using R = decltype(reduce(list.data<T>(), list.data<T>()));
  R* result = call.results.values.reserve<R>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = reduce(list.data<T>() + list.offsets[entry], list.data<T>() + list.offsets[entry + 1]);
  return flat_result(call, result);
}

template <typename T>
T multiplied(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

template <typename T>
ColumnView product(const KernelCall& call) {
  return reduced<T>(call, [](const T* first, const T* last) {
    T value{1};
    for (; first < last; ++first) value = multiplied(value, *first);
    return value;
  });
}

// What sums of T are taken in.
template <typename T>
using SumType = std::conditional_t<std::is_same_v<T, float>, float, double>;

template <typename T>
double mean_of(const T* first, const T* last) {
  if (first == last) return 0;
  SumType<T> sum{0};
  for (const T* value = first; value < last; ++value) sum += static_cast<SumType<T>>(*value);
  return static_cast<double>(sum) / static_cast<double>(last - first);
}

template <typename T>
double variance_of(const T* first, const T* last) {
  if (last - first < 2) return 0;
  SumType<T> sum_of_squares{0}, squared_sum{0};
  for (const T* value = first; value < last; ++value) {
    const auto x = static_cast<SumType<T>>(*value);
    sum_of_squares += x * x;
    squared_sum += x;
  }
  squared_sum *= squared_sum;
  const auto size = static_cast<double>(last - first);
  return 1. / (size - 1.) * (sum_of_squares - squared_sum / size);
}

template <typename T>
ColumnView mean(const KernelCall& call) {
  return reduced<T>(call, mean_of<T>);
}
template <typename T>
ColumnView variance(const KernelCall& call) {
  return reduced<T>(call, variance_of<T>);
}
template <typename T>
ColumnView standard_deviation(const KernelCall& call) {
  return reduced<T>(call, [](const T* first, const T* last) { return std::sqrt(variance_of(first, last)); });
}

template <typename T>
ColumnView dot(const KernelCall& call) {
  const T* other = call.inputs[1].data<T>();
  return reduced<T>(call, [&](const T* first, const T* last) {
    T sum{0};
    for (; first < last; ++first, ++other) {
      if constexpr (std::is_integral_v<T>)
        sum = static_cast<T>(static_cast<std::uint64_t>(sum) +
                             static_cast<std::uint64_t>(multiplied(*first, *other)));
      else
        sum += *first * *other;
    }
    return sum;
  });
}

std::optional<Operation> choose_product(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const auto kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return product<typename decltype(tag)::type>; });
  return kernel_operation(kernel, {scalar}, flat(scalar));
}

std::optional<Operation> moment(Arguments arguments, ColumnKernel of_floats, ColumnKernel of_doubles) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  const bool is_float = arguments[0].type.scalar == ScalarType::kFloat;
  return kernel_operation(is_float ? of_floats : of_doubles,
                          {is_float ? ScalarType::kFloat : ScalarType::kDouble}, flat(ScalarType::kDouble));
}

std::optional<Operation> choose_mean(Arguments arguments) {
  return moment(arguments, mean<float>, mean<double>);
}
std::optional<Operation> choose_variance(Arguments arguments) {
  return moment(arguments, variance<float>, variance<double>);
}
std::optional<Operation> choose_standard_deviation(Arguments arguments) {
  return moment(arguments, standard_deviation<float>, standard_deviation<double>);
}

std::optional<Operation> choose_dot(Arguments arguments) {
  if (arguments.size() != 2 || !are_numbers(arguments)) return std::nullopt;
  if (!arguments[0].type.is_jagged() || !arguments[1].type.is_jagged()) return std::nullopt;
  const ScalarType common = common_type(arguments[0].type.scalar, arguments[1].type.scalar);
  Operation operation = kernel_operation(
      visit_scalar(common, [](auto tag) -> ColumnKernel { return dot<typename decltype(tag)::type>; }),
      {common, common}, flat(common));
  operation.can_fail = true;
  return operation;
}

}  // namespace

std::span<const Function> statistics_functions() {
  static constexpr Function kFunctions[] = {
      {"Product", "Product(list)", choose_product}, {"Mean", "Mean(list)", choose_mean},
      {"Var", "Var(list)", choose_variance},        {"StdDev", "StdDev(list)", choose_standard_deviation},
      {"Dot", "Dot(list, list)", choose_dot},
  };
  return kFunctions;
}

}  // namespace skimline
