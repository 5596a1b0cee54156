// SPDX-License-Identifier: BSD-3-Clause
// Moving values without knowing what they mean: gathering, masking and choosing depend on their size only.
#pragma once

#include "skimline/framework/column.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skimline {

/// Calls `visitor(TypeTag<T>{})` with a type of the size of the scalar's values.
template <typename Visitor>
auto visit_moved(ScalarType scalar, Visitor visitor) {
  switch (size_of(scalar)) {
    case 1:
      return visitor(TypeTag<std::uint8_t>{});
    case 2:
      return visitor(TypeTag<std::uint16_t>{});
    case 4:
      return visitor(TypeTag<std::uint32_t>{});
    case 8:
      return visitor(TypeTag<std::uint64_t>{});
    case 16:
      return visitor(TypeTag<std::array<std::uint64_t, 2>>{});
    default:
      return visitor(TypeTag<std::array<std::uint64_t, 4>>{});
  }
}
static_assert(sizeof(std::string_view) == 16 && sizeof(LorentzVector) == 32);

template <typename T>
T load_value(const void* values, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(values) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store_value(void* values, std::size_t index, T value) {
  std::memcpy(static_cast<std::byte*>(values) + index * sizeof(T), &value, sizeof(T));
}

/// Values that are moved together where lists are short: 32 bytes, which a buffer's padding has room for.
template <typename T>
inline constexpr std::uint32_t kChunkOf = 32 / sizeof(T);

/// Copies `count` values from index `from` of `values` to index `to` of `results`.
template <typename T>
void copy_values(const void* values, std::size_t from, std::size_t count, void* results, std::size_t to) {
  std::memcpy(static_cast<std::byte*>(results) + to * sizeof(T),
              static_cast<const std::byte*>(values) + from * sizeof(T), count * sizeof(T));
}

/// Copies `count` values from index `first` of a column to index `to` of a buffer. Short lists are copied as
/// a whole chunk where that can be, so that their sizes cost no branch; what lies beyond is to be
/// overwritten.
template <typename T>
[[gnu::always_inline]] inline void copy_short_list(const ColumnView& from, std::uint32_t first,
                                                   std::size_t count, void* results, std::size_t to) {
  if (count <= kChunkOf<T> && first + kChunkOf<T> <= from.num_values())
    copy_values<T>(from.values, first, kChunkOf<T>, results, to);
  else
    copy_values<T>(from.values, first, count, results, to);
}

}  // namespace skimline
