// SPDX-License-Identifier: BSD-3-Clause
// Functions that order lists. Equal elements keep their order and NaN comes last, so that the result is the
// same on every machine; ROOT's Sort and Argsort promise neither.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/list_output.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>

namespace skimline {
namespace {

template <typename T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

// Short lists are sorted by counting, for every element, those before it: without branches.
constexpr std::uint32_t kShort = 32;
using Ranks = std::array<std::uint32_t, kShort>;

template <typename T>
bool can_be_ranked(const T* values, std::uint32_t size) {
  if (size > kShort) return false;
  bool has_nan = false;
  for (std::uint32_t i = 0; i < size; ++i) has_nan |= values[i] != values[i];
  return !has_nan;
}

template <typename T>
Ranks ranks_of(const T* values, std::uint32_t size) {
  Ranks ranks;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t num_larger = 0;
    for (std::uint32_t j = 0; j < i; ++j) {
      const std::uint32_t is_larger = values[i] < values[j];
      ranks[j] += is_larger;
      num_larger += is_larger;
    }
    ranks[i] = i - num_larger;
  }
  return ranks;
}

template <typename T>
void sort_list(const T* values, std::uint32_t size, T* result) {
  if (can_be_ranked(values, size)) {
    const Ranks ranks = ranks_of(values, size);
    for (std::uint32_t i = 0; i < size; ++i) result[ranks[i]] = values[i];
    return;
  }
  std::copy_n(values, size, result);
  std::stable_sort(result, result + size, precedes<T>);
}

template <typename T>
void sort_indexes(const T* values, std::uint32_t size, std::uint64_t* result) {
  if (can_be_ranked(values, size)) {
    const Ranks ranks = ranks_of(values, size);
    for (std::uint32_t i = 0; i < size; ++i) result[ranks[i]] = i;
    return;
  }
  std::iota(result, result + size, std::uint64_t{0});
  std::stable_sort(result, result + size,
                   [values](std::uint64_t a, std::uint64_t b) { return precedes(values[a], values[b]); });
}

// Applies `sort(values, size, result)` to every list.
template <typename T, typename R>
ColumnView with_sorted(const KernelCall& call, void (*sort)(const T*, std::uint32_t, R*)) {
  const ColumnView& list = call.inputs[0];
  R* result = call.results.values.reserve<R>(list.num_values());
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = list.offsets[entry];
    sort(list.data<T>() + first, list.offsets[entry + 1] - first, result + first);
  }
  return list_result(call, result, list.offsets);
}

template <typename T>
ColumnView sorted(const KernelCall& call) {
  return with_sorted<T, T>(call, sort_list<T>);
}

template <typename T>
ColumnView sorting_indexes(const KernelCall& call) {
  return with_sorted<T, std::uint64_t>(call, sort_indexes<T>);
}

ColumnView reversed(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  Positions positions(call, offsets[call.length]);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t begin = offsets[entry], end = offsets[entry + 1];
    for (std::uint32_t chunk = begin; chunk < end; chunk += Positions::kChunk)
      for (std::uint32_t i = chunk; i < chunk + Positions::kChunk; ++i) positions[i] = begin + end - 1 - i;
  }
  return picked_elements(call, offsets, positions.data());
}

bool is_one_list_with_order(Arguments arguments) {
  return is_one_list(arguments) &&
         (are_numbers(arguments) || arguments[0].type.scalar == ScalarType::kString);
}

std::optional<Operation> choose_sort(Arguments arguments) {
  if (!is_one_list_with_order(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const ColumnKernel kernel = scalar == ScalarType::kString
                                  ? sorted<std::string_view>
                                  : visit_scalar(scalar, [](auto tag) -> ColumnKernel {
                                      return sorted<typename decltype(tag)::type>;
                                    });
  return kernel_operation(kernel, {scalar}, jagged(scalar));
}

std::optional<Operation> choose_argsort(Arguments arguments) {
  if (!is_one_list_with_order(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const ColumnKernel kernel = scalar == ScalarType::kString
                                  ? sorting_indexes<std::string_view>
                                  : visit_scalar(scalar, [](auto tag) -> ColumnKernel {
                                      return sorting_indexes<typename decltype(tag)::type>;
                                    });
  return kernel_operation(kernel, {scalar}, jagged(ScalarType::kUInt64));
}

std::optional<Operation> choose_reverse(Arguments arguments) {
  if (!is_one_list(arguments)) return std::nullopt;
  return kernel_operation(reversed, {arguments[0].type.scalar}, arguments[0].type);
}

}  // namespace

std::span<const Function> ordering_functions() {
  static constexpr Function kFunctions[] = {
      {"Sort", "Sort(list)", choose_sort},
      {"StableSort", "StableSort(list)", choose_sort},
      {"Argsort", "Argsort(list)", choose_argsort},
      {"StableArgsort", "StableArgsort(list)", choose_argsort},
      {"Reverse", "Reverse(list)", choose_reverse, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
