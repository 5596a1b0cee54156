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

// Applies `reduce(start, first, last)` to every list and the flat value that it starts from.
template <typename T, typename Reduce>
ColumnView reduced_from(const KernelCall& call, Reduce reduce) {
  const ColumnView& list = call.inputs[0];
  const FlatValues<T> starts(call.inputs[1]);
  using R = decltype(reduce(T{}, list.data<T>(), list.data<T>()));
  R* result = call.results.values.reserve<R>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] =
        reduce(starts[entry], list.data<T>() + list.offsets[entry], list.data<T>() + list.offsets[entry + 1]);
  return flat_result(call, result);
}

template <typename T>
ColumnView product_from(const KernelCall& call) {
  return reduced_from<T>(call, [](T value, const T* first, const T* last) {
    for (; first < last; ++first) value = multiplied(value, *first);
    return value;
  });
}

// The mean of T as an R. Integers are divided as such; RVec divides by an unsigned size, which makes negative
// sums huge.
template <typename T, typename R>
ColumnView mean_from(const KernelCall& call) {
  return reduced_from<T>(call, [](T sum, const T* first, const T* last) {
    if (first == last) return static_cast<R>(sum);
    const auto size = last - first;
    for (; first < last; ++first) {
      if constexpr (std::is_integral_v<T>)
        sum = static_cast<T>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(*first));
      else
        sum += *first;
    }
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<R>(sum / static_cast<T>(size));
    else if constexpr (std::is_signed_v<T>)
      return static_cast<R>(std::int64_t{sum} / std::int64_t{size});
    else
      return static_cast<R>(std::uint64_t{sum} / static_cast<std::uint64_t>(size));
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

// Whether these are a list of numbers and a flat number to start from.
bool are_list_and_start(Arguments arguments) {
  return arguments.size() == 2 && are_numbers(arguments) && arguments[0].type.is_jagged() &&
         !arguments[1].type.is_jagged();
}

std::optional<Operation> choose_product_from(Arguments arguments) {
  const ScalarType scalar = choice_type(arguments[0].type.scalar, arguments[1].type.scalar);
  const auto kernel = visit_scalar(
      scalar, [](auto tag) -> ColumnKernel { return product_from<typename decltype(tag)::type>; });
  return kernel_operation(kernel, {scalar, scalar}, flat(scalar));
}

// In the type of a real start; of integers from an integer in their common one. Means of `bool`s are those of
// their number.
std::optional<Operation> choose_mean_from(Arguments arguments) {
  const ScalarType list = arguments[0].type.scalar, start = arguments[1].type.scalar;
  const auto operation = [](ColumnKernel kernel, ScalarType sum, ScalarType result) {
    return kernel_operation(kernel, {sum, sum}, flat(result));
  };
  const ScalarType real = is_floating(start) ? start : list;
  if (real == ScalarType::kDouble) return operation(mean_from<double, double>, real, real);
  if (real == ScalarType::kFloat && list == real) return operation(mean_from<float, float>, real, real);
  if (real == ScalarType::kFloat) return operation(mean_from<double, float>, ScalarType::kDouble, real);
  const ScalarType sum = list == ScalarType::kBool ? ScalarType::kUInt64 : choice_type(list, start);
  const auto of_numbers = visit_scalar(sum, [](auto tag) -> ColumnKernel {
    using T = typename decltype(tag)::type;
    return mean_from<T, T>;
  });
  return operation(of_numbers, sum, sum);
}

std::optional<Operation> choose_product(Arguments arguments) {
  if (are_list_and_start(arguments)) return choose_product_from(arguments);
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
  if (are_list_and_start(arguments)) return choose_mean_from(arguments);
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
      {"Product", "Product(list, start)", choose_product},
      {"Mean", "Mean(list, start)", choose_mean},
      {"Var", "Var(list)", choose_variance},
      {"StdDev", "StdDev(list)", choose_standard_deviation},
      {"Dot", "Dot(list, list)", choose_dot},
  };
  return kFunctions;
}

}  // namespace skimline
