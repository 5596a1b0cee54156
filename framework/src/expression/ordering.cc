// SPDX-License-Identifier: BSD-3-Clause
// Functions that order lists. Equal elements keep their order and NaN comes last, so that the result is the
// same on every machine; ROOT's Sort and Argsort promise neither.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/list_output.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace skimline {
namespace {

template <typename T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

// Most lists are short, where inserting one after the other is fastest.
constexpr std::ptrdiff_t kShort = 32;

template <typename T, typename Before>
void stable_sort(T* first, T* last, Before before) {
  if (last - first > kShort) {
    std::stable_sort(first, last, before);
    return;
  }
  for (T* next = first; next < last; ++next) {
    const T value = *next;
    T* place = next;
    for (; place > first && before(value, place[-1]); --place) *place = place[-1];
    *place = value;
  }
}

template <typename T>
ColumnView sorted(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  T* result = call.results.values.reserve<T>(list.num_values());
  std::copy_n(list.data<T>(), list.num_values(), result);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    stable_sort(result + list.offsets[entry], result + list.offsets[entry + 1], precedes<T>);
  return list_result(call, result, list.offsets);
}

template <typename T>
ColumnView sorting_indexes(const KernelCall& call) {
  const ColumnView& list = call.inputs[0];
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(list.num_values());
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint32_t first = list.offsets[entry], last = list.offsets[entry + 1];
    const T* values = list.data<T>() + first;
    for (std::uint32_t i = first; i < last; ++i) result[i] = i - first;
    stable_sort(result + first, result + last,
                [values](std::uint64_t a, std::uint64_t b) { return precedes(values[a], values[b]); });
  }
  return list_result(call, result, list.offsets);
}

ColumnView reversed(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  std::vector<std::uint32_t> positions(offsets[call.length]);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    for (std::uint32_t i = offsets[entry], last = offsets[entry + 1]; i < last; ++i)
      positions[i] = offsets[entry] + (last - 1 - i);
  return picked_elements(call, offsets, positions.data());
}

bool is_one_list(Arguments arguments) { return arguments.size() == 1 && arguments[0].type.is_jagged(); }

std::optional<Operation> choose_sort(Arguments arguments) {
  if (!is_one_list(arguments) || !are_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const auto kernel =
      visit_scalar(scalar, [](auto tag) -> ColumnKernel { return sorted<typename decltype(tag)::type>; });
  return kernel_operation(kernel, {scalar}, jagged(scalar));
}

std::optional<Operation> choose_argsort(Arguments arguments) {
  if (!is_one_list(arguments) || !are_numbers(arguments)) return std::nullopt;
  const ScalarType scalar = arguments[0].type.scalar;
  const auto kernel = visit_scalar(
      scalar, [](auto tag) -> ColumnKernel { return sorting_indexes<typename decltype(tag)::type>; });
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
