// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/gather.h"

#include <algorithm>
#include <cstring>

namespace skimline {
namespace {

// Unsigned integers of the size of a value: gathering moves bits, whatever they mean.
template <typename Visitor>
auto visit_size(std::size_t size, Visitor visitor) {
  switch (size) {
    case 1:
      return visitor(TypeTag<std::uint8_t>{});
    case 2:
      return visitor(TypeTag<std::uint16_t>{});
    case 4:
      return visitor(TypeTag<std::uint32_t>{});
    default:
      return visitor(TypeTag<std::uint64_t>{});
  }
}

template <typename T>
T load(const void* values, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(values) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(void* values, std::size_t index, T value) {
  std::memcpy(static_cast<std::byte*>(values) + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
ColumnView gather_flat(const ColumnView& column, std::span<const std::uint32_t> entries,
                       ColumnBuffer& results) {
  void* result = results.values.reserve_bytes(entries.size() * sizeof(T));
  for (std::size_t i = 0; i < entries.size(); ++i) store<T>(result, i, load<T>(column.values, entries[i]));
  return {column.type, entries.size(), result, nullptr, false};
}

template <typename T>
ColumnView gather_jagged(const ColumnView& column, std::span<const std::uint32_t> entries,
                         ColumnBuffer& results) {
  std::uint32_t* offsets = results.offsets.reserve<std::uint32_t>(entries.size() + 1);
  offsets[0] = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    offsets[i + 1] = offsets[i] + column.offsets[entries[i] + 1] - column.offsets[entries[i]];
  void* result = results.values.reserve_bytes(offsets[entries.size()] * sizeof(T));
  std::size_t next = 0;
  for (const std::uint32_t entry : entries)
    for (std::uint32_t value = column.offsets[entry]; value < column.offsets[entry + 1]; ++value)
      store<T>(result, next++, load<T>(column.values, value));
  return {column.type, entries.size(), result, offsets, false};
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
    store<T>(result, entry, load<T>(from.values, from.is_constant ? 0 : position));
  }
  return {type, flags.size(), result, nullptr, false};
}

template <typename T>
ColumnView interleave_jagged(std::span<const bool> flags, const ColumnView& first, const ColumnView& second,
                             Type type, ColumnBuffer& results) {
  const std::size_t num_values =
      (first.length ? first.num_values() : 0) + (second.length ? second.num_values() : 0);
  std::uint32_t* offsets = results.offsets.reserve<std::uint32_t>(flags.size() + 1);
  void* result = results.values.reserve_bytes(num_values * sizeof(T));
  std::size_t next[2] = {0, 0};
  std::uint32_t written = 0;
  offsets[0] = 0;
  for (std::size_t entry = 0; entry < flags.size(); ++entry) {
    const ColumnView& from = flags[entry] ? first : second;
    const std::size_t position = next[flags[entry]]++;
    for (std::uint32_t value = from.offsets[position]; value < from.offsets[position + 1]; ++value)
      store<T>(result, written++, load<T>(from.values, value));
    offsets[entry + 1] = written;
  }
  return {type, flags.size(), result, offsets, false};
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
  return visit_size(size_of(column.type.scalar), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return column.type.is_jagged() ? gather_jagged<T>(column, entries, results)
                                   : gather_flat<T>(column, entries, results);
  });
}

ColumnView interleave(std::span<const bool> flags, const ColumnView& first, const ColumnView& second,
                      Type type, ColumnBuffer& results) {
  return visit_size(size_of(type.scalar), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return type.is_jagged() ? interleave_jagged<T>(flags, first, second, type, results)
                            : interleave_flat<T>(flags, first, second, type, results);
  });
}

ColumnView expand(const ColumnView& constant, ColumnBuffer& results) {
  return visit_size(size_of(constant.type.scalar), [&](auto tag) -> ColumnView {
    using T = typename decltype(tag)::type;
    void* result = results.values.reserve_bytes(constant.length * sizeof(T));
    for (std::size_t i = 0; i < constant.length; ++i) store<T>(result, i, load<T>(constant.values, 0));
    return {constant.type, constant.length, result, nullptr, false};
  });
}

std::size_t entry_of_value(const ColumnView& column, std::size_t value) {
  const std::uint32_t* end = column.offsets + column.length + 1;
  return static_cast<std::size_t>(std::upper_bound(column.offsets, end, value) - column.offsets) - 1;
}

}  // namespace skimline
