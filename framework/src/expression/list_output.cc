// SPDX-License-Identifier: BSD-3-Clause
#include "expression/list_output.h"

#include "expression/moved_value.h"

#include <string>

namespace skimline {
namespace {

template <typename T>
void copy_values_at(const void* values, const std::uint32_t* positions, std::size_t count, void* result) {
  for (std::size_t i = 0; i < count; ++i) store_value(result, i, load_value<T>(values, positions[i]));
}

ColumnView picked_values(const KernelCall& call, const std::uint32_t* offsets,
                         const std::uint32_t* positions) {
  const std::size_t count = offsets[call.length];
  const void* values = call.inputs[0].values;
  void* result = call.results.values.reserve_bytes(count * size_of(call.type.scalar));
  visit_moved(call.type.scalar, [&](auto tag) {
    copy_values_at<typename decltype(tag)::type>(values, positions, count, result);
  });
  return list_result(call, result, offsets);
}

ColumnView picked_lists(const KernelCall& call, const std::uint32_t* offsets,
                        const std::uint32_t* positions) {
  const ColumnView& lists = call.inputs[0];
  const std::size_t count = offsets[call.length];
  ListLayout layout(call.results.inner_offsets, count);
  for (std::size_t entry = 0; entry < call.length; ++entry)
    for (std::uint32_t i = offsets[entry]; i < offsets[entry + 1]; ++i)
      layout.add(entry, lists.inner_offsets[positions[i] + 1] - lists.inner_offsets[positions[i]]);
  const std::uint32_t* inner = layout.offsets();
  void* result = call.results.values.reserve_bytes(layout.num_elements() * size_of(call.type.scalar));
  visit_moved(call.type.scalar, [&](auto tag) {
    for (std::size_t i = 0; i < count; ++i)
      copy_values<typename decltype(tag)::type>(lists.values, lists.inner_offsets[positions[i]],
                                                inner[i + 1] - inner[i], result, inner[i]);
  });
  return {call.type, call.length, result, offsets, false, inner};
}

}  // namespace

ColumnView picked_elements(const KernelCall& call, const std::uint32_t* offsets,
                           const std::uint32_t* positions) {
  return call.type.depth == 1 ? picked_values(call, offsets, positions)
                              : picked_lists(call, offsets, positions);
}

ColumnView picked_elements_or(const KernelCall& call, const std::uint32_t* offsets,
                              const std::uint32_t* positions, std::size_t fallback) {
  const ColumnView& list = call.inputs[0];
  const std::size_t step = call.inputs[fallback].is_constant ? 0 : 1;
  void* result = call.results.values.reserve_bytes(offsets[call.length] * size_of(call.type.scalar));
  visit_moved(call.type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t entry = 0; entry < call.length; ++entry) {
      const T other = load_value<T>(call.inputs[fallback].values, entry * step);
      for (std::uint32_t i = offsets[entry]; i < offsets[entry + 1]; ++i)
        store_value(result, i,
                    positions[i] == kNoPosition ? other : load_value<T>(list.values, positions[i]));
    }
  });
  return list_result(call, result, offsets);
}

void ListLayout::refuse(std::size_t entry, std::uint64_t size) {
  if (size > kMaxListSize)
    throw EntryFault{entry, "a list of more than " + std::to_string(kMaxListSize) + " elements"};
  throw EntryFault{entry, "lists of more than " + std::to_string(kMaxElements) + " elements together", true};
}

}  // namespace skimline
