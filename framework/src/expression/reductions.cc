// SPDX-License-Identifier: BSD-3-Clause
// Functions that reduce a list to one value.
#include "expression/extremes.h"
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/operators.h"
#include "expression/strings.h"

#include <algorithm>
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

template <typename T>
ColumnView sum(const KernelCall& call) {
  return fold_lists<T>(call, T{0}, added<T>);
}
ColumnView sum_of_bools(const KernelCall& call) {
  return fold_lists<bool>(call, std::uint64_t{0},
                          [](std::uint64_t count, bool value) { return count + value; });
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
  return fold_lists<LorentzVector>(call, LorentzVector{},
                                   [](const LorentzVector& a, const LorentzVector& b) -> LorentzVector {
                                     return {a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy};
                                   });
}
template <typename T>
ColumnView any(const KernelCall& call) {
  return fold_lists<T>(call, false, [](bool found, T value) { return found | (value != T{0}); });
}
template <typename T>
ColumnView all(const KernelCall& call) {
  return fold_lists<T>(call, true, [](bool found, T value) { return found & (value != T{0}); });
}

ColumnView list_size(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = offsets[entry + 1] - offsets[entry];
  return flat_result(call, result);
}

// The position of the first of the elements that `better` prefers to all before it, as std::min_element and
// max_element.
template <typename Better, typename T>
std::uint32_t find_best(const KernelCall& call, std::size_t entry, const char* name) {
  const std::uint32_t first = call.inputs[0].offsets[entry], last = call.inputs[0].offsets[entry + 1];
  if (first == last) throw EntryFault{entry, std::string(name) + " of an empty list"};
  return first +
         static_cast<std::uint32_t>(first_best<Better>(call.inputs[0].data<T>() + first, last - first));
}

template <typename Better, typename T>
ColumnView extreme(const KernelCall& call, const char* name) {
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = call.inputs[0].data<T>()[find_best<Better, T>(call, entry, name)];
  return flat_result(call, result);
}

template <typename Better, typename T>
ColumnView index_of_extreme(const KernelCall& call, const char* name) {
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    result[entry] = find_best<Better, T>(call, entry, name) - call.inputs[0].offsets[entry];
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

bool is_one_list(Arguments arguments) { return arguments.size() == 1 && arguments[0].type.is_jagged(); }
bool is_one_list_of_numbers(Arguments arguments) { return is_one_list(arguments) && are_numbers(arguments); }

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
  const ScalarType scalar = arguments[0].type.scalar == ScalarType::kBool
                                ? ScalarType::kUInt64
                                : choice_type(arguments[0].type.scalar, arguments[1].type.scalar);
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
  if (scalar == ScalarType::kBool) return reduction(sum_of_bools, scalar, ScalarType::kUInt64);
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return sum<typename decltype(tag)::type>; }),
      scalar, scalar);
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
  if (const auto operation = length_of_string(arguments)) return operation;
  if (!is_one_list(arguments)) return std::nullopt;
  return reduction(list_size, arguments[0].type.scalar, ScalarType::kUInt64);
}

}  // namespace

std::span<const Function> list_functions() {
  static constexpr Function kFunctions[] = {
      {"Sum", "Sum(list)", choose_sum},           {"Any", "Any(list)", choose_any},
      {"All", "All(list)", choose_all},           {"Min", "Min(list)", choose_min},
      {"Max", "Max(list)", choose_max},           {"ArgMin", "ArgMin(list)", choose_arg_min},
      {"ArgMax", "ArgMax(list)", choose_arg_max}, {"size", "size(list)", choose_size, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
