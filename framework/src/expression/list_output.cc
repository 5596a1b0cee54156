// SPDX-License-Identifier: BSD-3-Clause
#include "expression/list_output.h"

#include "expression/list_copier.h"
#include "expression/moved_value.h"

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
  const ColumnView lists = call.inputs[0].elements();
  ListCounter counter;
  for (std::size_t entry = 0; entry < call.length; ++entry)
    for (std::uint32_t i = offsets[entry]; i < offsets[entry + 1]; ++i)
      counter.add(entry, lists, positions[i]);
  return visit_moved(call.type.scalar, [&](auto tag) {
    ListCopier<typename decltype(tag)::type> copier(lists.type, counter.counts(), call.results, 1);
    for (std::uint32_t i = 0; i < offsets[call.length]; ++i) copier.copy(lists, positions[i]);
    return copier.in_lists(call.length, offsets);
  });
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

}  // namespace skimline
