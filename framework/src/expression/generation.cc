// SPDX-License-Identifier: BSD-3-Clause
// Functions that number, count and flatten elements.
#include "expression/function_registry.h"
#include "expression/kernel.h"
#include "expression/list_layout.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace skimline {
namespace {

std::uint64_t first_of_range(std::int64_t first, std::size_t entry) {
  if (first < 0)
    throw EntryFault{entry, "Range of negative numbers (" + std::to_string(first) +
                                "), which needs a step: Range(first, end, 1)"};
  return static_cast<std::uint64_t>(first);
}

// Range(end), and Range(first, end) of at least 0.
ColumnView range(const KernelCall& call) {
  const bool has_first = call.inputs.size() == 2;
  const FlatValues<std::int64_t> firsts(call.inputs[0]), ends(call.inputs[has_first ? 1 : 0]);
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    const std::uint64_t first = has_first ? first_of_range(firsts[entry], entry) : 0;
    const std::uint64_t end = first_of_range(ends[entry], entry);
    layout.add(entry, first < end ? end - first : 0);
  }
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(layout.num_elements());
  for (std::size_t entry = 0; entry < call.length; ++entry)
    std::iota(result + layout.offsets()[entry], result + layout.offsets()[entry + 1],
              has_first ? static_cast<std::uint64_t>(firsts[entry]) : 0);
  return list_result(call, result, layout.offsets());
}

// How many steps lead from `first` to before `end`; differences as unsigned numbers, which hold them all.
std::uint64_t num_steps(std::int64_t first, std::int64_t end, std::int64_t step) {
  if (step > 0 ? first >= end : first <= end) return 0;
  const auto low = static_cast<std::uint64_t>(step > 0 ? first : end);
  const auto high = static_cast<std::uint64_t>(step > 0 ? end : first);
  const std::uint64_t width =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return (high - low - 1) / width + 1;
}

ColumnView range_in_steps(const KernelCall& call) {
  const FlatValues<std::int64_t> firsts(call.inputs[0]), ends(call.inputs[1]), steps(call.inputs[2]);
  ListLayout layout(call.results.offsets, call.length);
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    if (steps[entry] == 0) throw EntryFault{entry, "Range in steps of 0"};
    layout.add(entry, num_steps(firsts[entry], ends[entry], steps[entry]));
  }
  std::int64_t* result = call.results.values.reserve<std::int64_t>(layout.num_elements());
  for (std::size_t entry = 0; entry < call.length; ++entry) {
    auto value = static_cast<std::uint64_t>(firsts[entry]);
    for (std::uint32_t i = layout.offsets()[entry]; i < layout.offsets()[entry + 1]; ++i) {
      result[i] = static_cast<std::int64_t>(value);
      value += static_cast<std::uint64_t>(steps[entry]);
    }
  }
  return list_result(call, result, layout.offsets());
}

ColumnView enumerated(const KernelCall& call) {
  const std::uint32_t* offsets = call.inputs[0].offsets;
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(offsets[call.length]);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    std::iota(result + offsets[entry], result + offsets[entry + 1], std::uint64_t{0});
  return list_result(call, result, offsets);
}

ColumnView sizes(const KernelCall& call) {
  const ColumnView& lists = call.inputs[0];
  const int depth = call.type.depth;
  const std::uint32_t* const offsets = lists.offsets_at(depth);
  const std::size_t num_lists = lists.num_elements(depth);
  std::uint64_t* result = call.results.values.reserve<std::uint64_t>(num_lists);
  for (std::size_t i = 0; i < num_lists; ++i) result[i] = offsets[i + 1] - offsets[i];
  return {call.type, call.length, result, lists.offsets, false, lists.inner_offsets};
}

// The elements of the inner lists are in sequence already.
ColumnView flattened(const KernelCall& call) {
  const ColumnView& lists = call.inputs[0];
  std::uint32_t* offsets = call.results.offsets.reserve<std::uint32_t>(call.length + 1);
  for (std::size_t entry = 0; entry <= call.length; ++entry)
    offsets[entry] = lists.inner_offsets[lists.offsets[entry]];
  return {call.type, call.length, lists.values, offsets, false, lists.innermost_offsets};
}

std::optional<Operation> choose_range(Arguments arguments) {
  const bool are_flat_integers = std::all_of(arguments.begin(), arguments.end(), [](const Argument& each) {
    return is_integer(each.type.scalar) && !each.type.is_jagged();
  });
  if (arguments.empty() || arguments.size() > 3 || !are_flat_integers) return std::nullopt;
  const bool has_step = arguments.size() == 3;
  Operation operation =
      kernel_operation(has_step ? range_in_steps : range, std::vector(arguments.size(), ScalarType::kInt64),
                       jagged(has_step ? ScalarType::kInt64 : ScalarType::kUInt64));
  operation.can_fail = true;
  operation.expands = true;
  return operation;
}

std::optional<Operation> choose_enumerate(Arguments arguments) {
  if (arguments.size() != 1 || !arguments[0].type.is_jagged()) return std::nullopt;
  return kernel_operation(enumerated, {arguments[0].type.scalar}, jagged(ScalarType::kUInt64));
}

bool are_lists_of_lists(Arguments arguments) { return arguments.size() == 1 && arguments[0].type.depth > 1; }

std::optional<Operation> choose_sizes(Arguments arguments) {
  if (!are_lists_of_lists(arguments)) return std::nullopt;
  const Type lists = arguments[0].type;
  return kernel_operation(sizes, {lists.scalar}, {ScalarType::kUInt64, lists.depth - 1});
}

std::optional<Operation> choose_flatten(Arguments arguments) {
  if (!are_lists_of_lists(arguments)) return std::nullopt;
  const Type lists = arguments[0].type;
  return kernel_operation(flattened, {lists.scalar}, {lists.scalar, lists.depth - 1});
}

}  // namespace

std::span<const Function> generation_functions() {
  static constexpr Function kFunctions[] = {
      {"Range", "Range(first, end, step)", choose_range, InnerLists::kWhole},
      {"Enumerate", "Enumerate(list)", choose_enumerate},
      {"Sizes", "Sizes(list of lists)", choose_sizes, InnerLists::kWhole},
      {"Flatten", "Flatten(list of lists)", choose_flatten, InnerLists::kWhole},
  };
  return kFunctions;
}

}  // namespace skimline
