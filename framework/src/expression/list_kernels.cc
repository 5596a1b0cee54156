// SPDX-License-Identifier: BSD-3-Clause
// Kernels that see lists: element, mask, broadcast, and the reductions of VecOps.
#include "expression/function_registry.h"
#include "expression/kernel.h"

#include <algorithm>
#include <type_traits>

namespace skimline {
namespace {

ColumnView flat_result(const KernelCall& call, const void* values) {
  return {call.type, call.length, values, nullptr, false};
}

template <typename T>
ColumnView element(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const ColumnView& index = call.inputs[1];
  const T* values = list.data<T>();
  const std::int64_t* indexes = index.data<std::int64_t>();
  const std::size_t step = index.is_constant ? 0 : 1;
  T* result = call.results.values.reserve<T>(call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::int64_t position = indexes[entry * step];
    const std::uint32_t size = list.offsets[entry + 1] - list.offsets[entry];
    if (position < 0 || position >= static_cast<std::int64_t>(size))
      throw EntryFault{entry, "index " + std::to_string(position) + " is out of range of a list of size " +
                                  std::to_string(size)};
    result[entry] = values[list.offsets[entry] + static_cast<std::size_t>(position)];
  }
  return flat_result(call, result);
}

template <typename T>
ColumnView masked(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  const T* values = list.data<T>();
  const bool* keep = call.inputs[1].data<bool>();
  T* result = call.results.values.reserve<T>(list.num_values());
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  std::uint32_t kept = 0;
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    for (std::uint32_t i = list.offsets[entry]; i < list.offsets[entry + 1]; ++i) {
      result[kept] = values[i];
      kept += keep[i];
    }
    offsets[entry + 1] = kept;
  }
  return {call.type, call.length, result, offsets, false};
}

template <typename T>
ColumnView broadcast(const KernelCall& call) {
  const T* values = call.inputs[0].data<T>();
  const ColumnView& like = call.inputs[1];
  T* result = call.results.values.reserve<T>(like.num_values());
  const std::size_t step = call.inputs[0].is_constant ? 0 : 1;
  for (std::size_t entry = 0; entry < call.length; ++entry)
    std::fill(result + like.offsets[entry], result + like.offsets[entry + 1], values[entry * step]);
  return {call.type, call.length, result, like.offsets, false};
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

bool is_one_list(std::span<const Type> arguments) {
  return arguments.size() == 1 && arguments[0].is_jagged();
}

Operation reduction(ColumnKernel kernel, ScalarType operand, ScalarType result, bool can_fail = false) {
  Operation operation;
  operation.kernel = kernel;
  operation.operand_scalars = {operand};
  operation.result = result;
  operation.can_fail = can_fail;
  return operation;
}

std::optional<Operation> choose_sum(std::span<const Type> arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].scalar;
  if (scalar == ScalarType::kBool) return reduction(sum_of_bools, scalar, ScalarType::kInt32);
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return sum<typename decltype(tag)::type>; }),
      scalar, scalar);
}

std::optional<Operation> choose_any(std::span<const Type> arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  return reduction(visit_scalar(arguments[0].scalar,
                                [](auto tag) -> ColumnKernel { return any<typename decltype(tag)::type>; }),
                   arguments[0].scalar, ScalarType::kBool);
}

std::optional<Operation> choose_all(std::span<const Type> arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  return reduction(visit_scalar(arguments[0].scalar,
                                [](auto tag) -> ColumnKernel { return all<typename decltype(tag)::type>; }),
                   arguments[0].scalar, ScalarType::kBool);
}

std::optional<Operation> choose_min(std::span<const Type> arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].scalar;
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return smallest<typename decltype(tag)::type>; }),
      scalar, scalar, true);
}

std::optional<Operation> choose_max(std::span<const Type> arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].scalar;
  return reduction(
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return largest<typename decltype(tag)::type>; }),
      scalar, scalar, true);
}

std::optional<Operation> choose_size(std::span<const Type> arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  return reduction(list_size, arguments[0].scalar, ScalarType::kUInt64);
}

}  // namespace

Operation element_operation(ScalarType scalar) {
  Operation operation;
  operation.kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return element<typename decltype(tag)::type>; });
  operation.operand_scalars = {scalar, ScalarType::kInt64};
  operation.result = scalar;
  operation.can_fail = true;
  return operation;
}

Operation mask_operation(ScalarType scalar) {
  Operation operation;
  operation.kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return masked<typename decltype(tag)::type>; });
  operation.operand_scalars = {scalar, ScalarType::kBool};
  operation.result = scalar;
  operation.result_depth = 1;
  operation.can_fail = true;
  return operation;
}

Operation broadcast_operation(ScalarType scalar) {
  Operation operation;
  operation.kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return broadcast<typename decltype(tag)::type>; });
  operation.result = scalar;
  operation.result_depth = 1;
  return operation;
}

std::span<const Function> list_functions() {
  static constexpr Function kFunctions[] = {
      {"Sum", "Sum(list)", choose_sum}, {"Any", "Any(list)", choose_any}, {"All", "All(list)", choose_all},
      {"Min", "Min(list)", choose_min}, {"Max", "Max(list)", choose_max}, {"size", "size(list)", choose_size},
  };
  return kFunctions;
}

}  // namespace skimline
