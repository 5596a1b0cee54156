// SPDX-License-Identifier: BSD-3-Clause
// Functions that reduce a list to one value.
#include "expression/extremes.h"
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/lorentz_vectors.h"
#include "expression/operators.h"
#include "expression/strings.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace skimline {
namespace {

// Folds every list into one value, in list order as std::accumulate does.
template <typename T, typename R, typename Fold>
ColumnView fold_lists(const KernelCall& call, R start, Fold fold) {
  const T* values = call.inputs[0].data<T>();
  const std::uint32_t* offsets = call.inputs[0].offsets;
  R* result = call.results.values.reserve<R>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    R value = start;
    for (std::uint32_t i = offsets[entry]; i < offsets[entry + 1]; ++i) value = fold(value, values[i]);
    result[entry] = value;
  }
  return flat_result(call, result);
}

template <typename T>
T added(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

// Most lists are short, and where they end is a branch that no processor foresees. So many elements are
// therefore always looked at, whether the list has them or not.
constexpr std::uint32_t kAlways = 4;

// The number whose addition changes nothing, or `value` if that belongs to the list.
template <typename T>
T value_if(bool is_inside, T value) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
  const Bits mask = Bits{0} - Bits{is_inside};
  return std::bit_cast<T>((std::bit_cast<Bits>(value) & mask) | (std::bit_cast<Bits>(T{-0.0}) & ~mask));
}

template <typename T>
ColumnView sum_of_reals(const KernelCall& call) {
  const T* values = call.inputs[0].data<T>();
  const std::uint32_t* offsets = call.inputs[0].offsets;
  const std::size_t length = call.length, num_values = offsets[length];
  if (num_values > 2 * kAlways * length) return fold_lists<T>(call, T{0}, added<T>);
  T* result = call.results.values.reserve<T>(length);
  for (std::size_t entry = 0; entry < length; ++entry) {
    const std::uint32_t last = offsets[entry + 1];
    std::uint32_t i = offsets[entry];
    T sum{0};
    if (i + kAlways <= num_values)
      for (const std::uint32_t end = i + kAlways; i < end; ++i) sum += value_if(i < last, values[i]);
    for (; i < last; ++i) sum += values[i];
    result[entry] = sum;
  }
  return flat_result(call, result);
}

// For sums that may be taken in any order: the total before each value, and of all. The sum of a list is then
// a difference.
template <typename T, typename Total, typename Term>
const Total* running_totals(const KernelCall& call, Term term) {
  const T* values = call.inputs[0].data<T>();
  const std::size_t num_values = call.inputs[0].offsets[call.length];
  Total* totals = call.results.inner_offsets.reserve<Total>(num_values + 1);
  Total total = 0;
  for (std::size_t i = 0; i < num_values; ++i) {
    totals[i] = total;
    total = static_cast<Total>(total + term(values[i]));
  }
  totals[num_values] = total;
  return totals;
}

// Applies `finish(sum, size)` to the sum of every list.
template <typename R, typename Total, typename Finish>
ColumnView differences(const KernelCall& call, const Total* totals, Finish finish) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  const std::size_t length = call.length;
  R* result = call.results.values.reserve<R>(length);
  for (std::size_t entry = 0; entry < length; ++entry) {
    const std::uint32_t first = offsets[entry], last = offsets[entry + 1];
    result[entry] = static_cast<R>(finish(static_cast<Total>(totals[last] - totals[first]), last - first));
  }
  return flat_result(call, result);
}

// As C++ does, sums of integers wrap around.
template <typename T>
ColumnView sum_of_integers(const KernelCall& call) {
  using Total = std::make_unsigned_t<T>;
  const auto* totals = running_totals<T, Total>(call, [](T value) { return static_cast<Total>(value); });
  return differences<T>(call, totals, [](Total sum, std::uint32_t) { return sum; });
}

template <typename T>
const std::uint32_t* running_counts(const KernelCall& call) {
  return running_totals<T, std::uint32_t>(call, [](T value) { return std::uint32_t{value != T{0}}; });
}

ColumnView sum_of_bools(const KernelCall& call) {
  return differences<std::uint64_t>(call, running_counts<bool>(call),
                                    [](std::uint32_t count, std::uint32_t) { return count; });
}
template <typename T>
ColumnView sum(const KernelCall& call) {
  if constexpr (std::is_same_v<T, bool>)
    return sum_of_bools(call);
  else if constexpr (std::is_integral_v<T>)
    return sum_of_integers<T>(call);
  else
    return sum_of_reals<T>(call);
}

// From a start value, one per entry.
template <typename T>
ColumnView sum_from(const KernelCall& call) {
  const FlatValues<T> starts(call.inputs[1]);
  const T* values = call.inputs[0].data<T>();
  const std::uint32_t* offsets = call.inputs[0].offsets;
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    T value = starts[entry];
    for (std::uint32_t i = offsets[entry]; i < offsets[entry + 1]; ++i) value = added(value, values[i]);
    result[entry] = value;
  }
  return flat_result(call, result);
}
ColumnView sum_of_vectors(const KernelCall& call) {
  return fold_lists<LorentzVector>(call, LorentzVector{}, vector_sum);
}
template <typename T>
ColumnView any(const KernelCall& call) {
  return differences<bool>(call, running_counts<T>(call),
                           [](std::uint32_t count, std::uint32_t) { return count != 0; });
}
template <typename T>
ColumnView all(const KernelCall& call) {
  return differences<bool>(call, running_counts<T>(call),
                           [](std::uint32_t count, std::uint32_t size) { return count == size; });
}

ColumnView list_size(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  const std::size_t length = call.length;
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(length);
  for (std::size_t entry = 0; entry < length; ++entry) result[entry] = offsets[entry + 1] - offsets[entry];
  return flat_result(call, result);
}

// The lists of a function that has no answer for empty ones.
struct FilledLists {
  std::uint32_t first(std::size_t entry) const {
    if (offsets[entry] == offsets[entry + 1])
      throw EntryFault{entry, std::string(name) + " of an empty list"};
    return offsets[entry];
  }

  const std::uint32_t* offsets;
  const char* name;
};

// The position of the first of the elements that `Better` prefers to all before it, as std::min_element and
// max_element.
template <typename Better, typename T>
std::uint32_t find_best(const T* values, std::uint32_t first, std::uint32_t last) {
  if (last - first >= kLongList)
    return first + static_cast<std::uint32_t>(first_best<Better>(values + first, last - first));
  std::uint32_t best = first;
  // No element is better than itself: beyond the end the last one is looked at again.
  for (std::uint32_t k = 1; k < kAlways; ++k) {
    const std::uint32_t i = std::min(first + k, last - 1);
    const std::uint32_t is_better = Better::apply(values[i], values[best]);
    best += (i - best) * is_better;
  }
  for (std::uint32_t i = first + kAlways; i < last; ++i)
    if (Better::apply(values[i], values[best])) best = i;
  return best;
}

template <typename Better, typename T>
ColumnView extreme(const KernelCall& call, const char* name) {
  const FilledLists lists{call.inputs[0].offsets, name};
  const T* values = call.inputs[0].data<T>();
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = values[find_best<Better>(values, lists.first(entry), lists.offsets[entry + 1])];
  return flat_result(call, result);
}

template <typename Better, typename T>
ColumnView index_of_extreme(const KernelCall& call, const char* name) {
  const FilledLists lists{call.inputs[0].offsets, name};
  const T* values = call.inputs[0].data<T>();
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = lists.first(entry);
    result[entry] = find_best<Better>(values, first, lists.offsets[entry + 1]) - first;
  }
  return flat_result(call, result);
}

template <typename T>
ColumnView smallest(const KernelCall& call) {
  return extreme<IsSmaller, T>(call, "Min");
}
template <typename T>
ColumnView largest(const KernelCall& call) {
  return extreme<IsLarger, T>(call, "Max");
}
template <typename T>
ColumnView index_of_smallest(const KernelCall& call) {
  return index_of_extreme<IsSmaller, T>(call, "ArgMin");
}
template <typename T>
ColumnView index_of_largest(const KernelCall& call) {
  return index_of_extreme<IsLarger, T>(call, "ArgMax");
}

Operation reduction(ColumnKernel kernel, ScalarType operand, ScalarType result, bool can_fail = false) {
  Operation operation;
  operation.kernel = kernel;
  operation.operand_scalars = {operand};
  operation.result = result;
  operation.can_fail = can_fail;
  return operation;
}

std::optional<Operation> choose_sum_from(Arguments arguments) {
  if (!arguments[0].type.is_jagged() || arguments[1].type.is_jagged() || !are_numbers(arguments))
    return std::nullopt;
  const ScalarType list = arguments[0].type.scalar, start = arguments[1].type.scalar;
  const bool is_count = list == ScalarType::kBool && is_integer(start);
  const ScalarType scalar = is_count ? ScalarType::kUInt64 : choice_type(list, start);
  return kernel_operation(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return sum_from<typename decltype(tag)::type>; }),
      {scalar, scalar}, flat(scalar));
}

std::optional<Operation> choose_sum(Arguments arguments) {
  if (arguments.size() == 2) return choose_sum_from(arguments);
  if (!is_one_list(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  if (scalar == ScalarType::kLorentzVector) return reduction(sum_of_vectors, scalar, scalar);
  if (!is_number(scalar)) return std::nullopt;
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return sum<typename decltype(tag)::type>; }),
      scalar, scalar == ScalarType::kBool ? ScalarType::kUInt64 : scalar);
}

std::optional<Operation> choose_any(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  return reduction(visit_scalar(arguments[0].type.scalar,
                                [](auto tag) -> ColumnKernel { return any<typename decltype(tag)::type>; }),
                   arguments[0].type.scalar, ScalarType::kBool);
}

std::optional<Operation> choose_all(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  return reduction(visit_scalar(arguments[0].type.scalar,
                                [](auto tag) -> ColumnKernel { return all<typename decltype(tag)::type>; }),
                   arguments[0].type.scalar, ScalarType::kBool);
}

std::optional<Operation> choose_min(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return smallest<typename decltype(tag)::type>; }),
      scalar, scalar, true);
}

std::optional<Operation> choose_max(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return largest<typename decltype(tag)::type>; }),
      scalar, scalar, true);
}

std::optional<Operation> choose_arg_min(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const auto kernel = visit_scalar(
      scalar, [](auto tag) -> ColumnKernel { return index_of_smallest<typename decltype(tag)::type>; });
  return reduction(kernel, scalar, ScalarType::kUInt64, true);
}

std::optional<Operation> choose_arg_max(Arguments arguments) {
  if (!is_one_list_of_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const auto kernel = visit_scalar(
      scalar, [](auto tag) -> ColumnKernel { return index_of_largest<typename decltype(tag)::type>; });
  return reduction(kernel, scalar, ScalarType::kUInt64, true);
}

std::optional<Operation> choose_size(Arguments arguments) {
  if (auto operation = length_of_string(arguments)) return operation;
  if (!is_one_list(arguments)) return std::nullopt;
  return reduction(list_size, arguments[0].type.scalar, ScalarType::kUInt64);
}

}  // namespace

std::span<const Function> list_functions() {
  static constexpr Function kFunctions[] = {
      {"Sum", "Sum(list, start)", choose_sum},    {"Any", "Any(list)", choose_any},
      {"All", "All(list)", choose_all},           {"Min", "Min(list)", choose_min},
      {"Max", "Max(list)", choose_max},           {"ArgMin", "ArgMin(list)", choose_arg_min},
      {"ArgMax", "ArgMax(list)", choose_arg_max}, {"size", "size(list)", choose_size, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
