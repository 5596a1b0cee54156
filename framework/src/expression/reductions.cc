// SPDX-License-Identifier: BSD-3-Clause
// Functions that reduce a list to one value.
#include "expression/function_registry.h"
#include "expression/kernel.h"

#include <algorithm>
#include <type_traits>

namespace skimline {
namespace {

ColumnView flat_result(const KernelCall& call, const void* values) {
  return {call.type, call.length, values, nullptr, false};
}

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
// A sum of bools counts: RVec's own sum of bools saturates at one, which nobody means.
ColumnView sum_of_bools(const KernelCall& call) {
  return fold_lists<bool>(call, std::int32_t{0},
                          [](std::int32_t count, bool value) { return count + value; });
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

// The first of the elements that `better` prefers to all before it, as std::min_element and max_element.
template <typename T, typename Better>
ColumnView extreme(const KernelCall& call, const char* name, Better better) {
  const T* values = call.inputs[0].data<T>();
  const std::uint32_t* offsets = call.inputs[0].offsets;
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    if (offsets[entry] == offsets[entry + 1])
      throw EntryFault{entry, std::string(name) + " of an empty list"};
    T best = values[offsets[entry]];
    for (std::uint32_t i = offsets[entry] + 1; i < offsets[entry + 1]; ++i)
      if (better(values[i], best)) best = values[i];
    result[entry] = best;
  }
  return flat_result(call, result);
}

template <typename T>
ColumnView smallest(const KernelCall& call) {
  return extreme<T>(call, "Min", [](T candidate, T best) { return candidate < best; });
}
template <typename T>
ColumnView largest(const KernelCall& call) {
  return extreme<T>(call, "Max", [](T candidate, T best) { return best < candidate; });
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

std::optional<Operation> choose_sum(Arguments arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  if (scalar == ScalarType::kLorentzVector) return reduction(sum_of_vectors, scalar, scalar);
  if (!is_number(scalar)) return std::nullopt;
  if (scalar == ScalarType::kBool) return reduction(sum_of_bools, scalar, ScalarType::kInt32);
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

std::optional<Operation> choose_size(Arguments arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  return reduction(list_size, arguments[0].type.scalar, ScalarType::kUInt64);
}

}  // namespace

std::span<const Function> list_functions() {
  static constexpr Function kFunctions[] = {
      {"Sum", "Sum(list)", choose_sum}, {"Any", "Any(list)", choose_any},
      {"All", "All(list)", choose_all}, {"Min", "Min(list)", choose_min},
      {"Max", "Max(list)", choose_max}, {"size", "size(list)", choose_size, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
