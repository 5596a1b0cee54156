// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gather.h"

#include "expression/list_copier.h"
#include "expression/list_layout.h"
#include "expression/moved_value.h"

#include <algorithm>
#include <functional>

namespace skimline {
namespace {

template <typename T>
ColumnView gather_flat(const ColumnView& column, std::span<const std::uint32_t> entries,
                       ColumnBuffer& results) {
  // What is read through references, for all that a compiler knows, might change with each value written.
  const std::size_t count = entries.size();
  const std::uint32_t* const entry = entries.data();
  const void* const values = column.values;
  void* const result = results.values.reserve_bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) store_value<T>(result, i, load_value<T>(values, entry[i]));
  return {column.type, count, result, nullptr, false};
}

// Most selections keep short lists of scattered entries: what each costs is all there is.
template <typename T>
ColumnView gather_lists_of_values(const ColumnView& column, std::span<const std::uint32_t> entries,
                                  ColumnBuffer& results) {
  const std::size_t num_values = column.num_values();
  const std::size_t count = entries.size();
  const std::uint32_t* const entry = entries.data();
  const std::uint32_t* const from = column.offsets;
  const void* const from_values = column.values;
  std::uint32_t* const offsets = results.offsets.reserve<std::uint32_t>(count + 1);
  T* const values = results.values.reserve<T>(num_values);
  std::uint32_t end = 0;
  offsets[0] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t first = from[entry[i]], size = from[entry[i] + 1] - first;
    if (size <= kChunkOf<T> && first + kChunkOf<T> <= num_values)
      copy_values<T>(from_values, first, kChunkOf<T>, values, end);
    else
      copy_values<T>(from_values, first, size, values, end);
    offsets[i + 1] = end += size;
  }
  return {column.type, count, values, offsets, false};
}

template <typename T>
ColumnView gather_lists(const ColumnView& column, std::span<const std::uint32_t> entries,
                        ColumnBuffer& results) {
  if (column.type.depth == 1) return gather_lists_of_values<T>(column, entries, results);
  // At most all values are wanted: counting them first would cost more than the memory.
  ListCopier<T> copier(column.type, counts_of(column), results);
  for (const std::uint32_t entry : entries) copier.copy(column, entry);
  return copier.result();
}

template <typename T>
ColumnView interleave_flat(std::span<const bool> flags, const ColumnView& first, const ColumnView& second,
                           Type type, ColumnBuffer& results) {
  void* result = results.values.reserve_bytes(flags.size() * sizeof(T));
  std::size_t next_first = 0, next_second = 0;
  for (std::size_t entry = 0; entry < flags.size(); ++entry) {
    const bool is_first = flags[entry];
    const ColumnView& from = is_first ? first : second;
    const std::size_t position = is_first ? next_first++ : next_second++;
    store_value<T>(result, entry, load_value<T>(from.values, from.is_constant ? 0 : position));
  }
  return {type, flags.size(), result, nullptr, false};
}

// The sides are different columns, and together may hold more than offsets can count.
ElementCounts counts_of(std::span<const bool> flags, const ColumnView& first, const ColumnView& second) {
  ElementCounts together{};
  for (const ColumnView* side : {&first, &second}) {
    if (side->length == 0) continue;
    const ElementCounts counts = counts_of(*side);
    std::transform(counts.begin(), counts.end(), together.begin(), together.begin(), std::plus());
  }
  if (*std::max_element(together.begin(), together.end()) <= ListLayout::kMaxElements) return together;
  ListCounter counter;
  std::size_t next[2] = {0, 0};
  for (std::size_t entry = 0; entry < flags.size(); ++entry)
    counter.add(entry, flags[entry] ? first : second, next[flags[entry]]++);
  return counter.counts();
}

template <typename T>
ColumnView interleave_lists(std::span<const bool> flags, const ColumnView& first, const ColumnView& second,
                            Type type, ColumnBuffer& results) {
  ListCopier<T> copier(type, counts_of(flags, first, second), results);
  std::uint32_t next[2] = {0, 0};
  for (const bool flag : flags) copier.copy(flag ? first : second, next[flag]++);
  return copier.result();
}

}  // namespace

std::size_t find_positions(std::span<const bool> flags, bool keep_when, std::uint32_t* positions) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    positions[count] = static_cast<std::uint32_t>(i);
    count += flags[i] == keep_when;
  }
  return count;
}

ColumnView gather(const ColumnView& column, std::span<const std::uint32_t> entries, ColumnBuffer& results) {
  if (column.is_constant) return {column.type, entries.size(), column.values, nullptr, true};
  return visit_moved(column.type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return column.type.is_jagged() ? gather_lists<T>(column, entries, results)
                                   : gather_flat<T>(column, entries, results);
  });
}

ColumnView interleave(std::span<const bool> flags, const ColumnView& first, const ColumnView& second,
                      Type type, ColumnBuffer& results) {
  return visit_moved(type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return type.is_jagged() ? interleave_lists<T>(flags, first, second, type, results)
                            : interleave_flat<T>(flags, first, second, type, results);
  });
}

ColumnView expand(const ColumnView& constant, ColumnBuffer& results) {
  return visit_moved(constant.type.scalar, [&](auto tag) -> ColumnView {
    using T = typename decltype(tag)::type;
    void* result = results.values.reserve_bytes(constant.length * sizeof(T));
    for (std::size_t i = 0; i < constant.length; ++i)
      store_value<T>(result, i, load_value<T>(constant.values, 0));
    return {constant.type, constant.length, result, nullptr, false};
  });
}

}  // namespace skimline
