// SPDX-License-Identifier: BSD-3-Clause
// Copying lists of any depth from one column to another.
#pragma once

#include "expression/list_layout.h"
#include "expression/moved_value.h"

#include "skimline/framework/column.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace skimline {

/// How much there is at each level: lists, their elements, and so on; the values are last.
using ElementCounts = std::array<std::size_t, kMaxDepth + 1>;

inline ElementCounts counts_of(const ColumnView& column) {
  ElementCounts counts{};
  for (int level = 0; level <= column.type.depth; ++level) counts[level] = column.num_elements(level);
  return counts;
}

/// Counts lists that are about to be copied. Throws EntryFault where they would not fit into memory.
class ListCounter {
 public:
  /// Counts list number `list` of a jagged column for an entry.
  void add(std::size_t entry, const ColumnView& from, std::size_t list) {
    ++counts_[0];
    std::size_t first = list, last = list + 1;
    for (int level = 0; level < from.type.depth; ++level) {
      const std::uint32_t* offsets = from.offsets_at(level);
      first = offsets[first];
      last = offsets[last];
      ListLayout::check(entry, last - first, counts_[level + 1]);
      counts_[level + 1] += last - first;
    }
  }
  const ElementCounts& counts() const { return counts_; }

 private:
  ElementCounts counts_{};
};

/// Appends lists to results that have room for so many.
template <typename T>
class ListCopier {
 public:
  /// Of lists of that type. Their offsets go into the buffers from `outer` on: those before belong to lists
  /// that hold these.
  ListCopier(Type type, const ElementCounts& room, ColumnBuffer& results, int outer = 0)
      : type_(type), outer_(outer), values_(results.values.reserve<T>(room[type.depth])) {
    for (int level = 0; level < type.depth; ++level) {
      offsets_[level] = results.offsets_at(outer + level).reserve<std::uint32_t>(room[level] + 1);
      offsets_[level][0] = 0;
    }
  }

  /// Appends list number `list` of a column of the same type.
  void copy(const ColumnView& from, std::uint32_t list) {
    std::uint32_t first = list, last = list + 1;
    for (int level = 0; level < type_.depth; ++level) {
      const std::uint32_t* const source = from.offsets_at(level);
      std::uint32_t* const ends = offsets_[level] + counts_[level];
      const std::uint32_t base = ends[0] - source[first];
      for (std::uint32_t i = first; i < last; ++i) ends[i - first + 1] = base + source[i + 1];
      counts_[level] += last - first;
      first = source[first];
      last = source[last];
    }
    copy_short_list<T>(from, first, last - first, values_, num_values_);
    num_values_ += last - first;
  }

  /// What was copied, each list an entry.
  ColumnView result() const { return nested(type_, counts_[0], {}); }

  /// What was copied, in lists of `length` entries.
  ColumnView in_lists(std::size_t length, const std::uint32_t* offsets) const {
    return nested({type_.scalar, type_.depth + 1}, length, offsets);
  }

 private:
  ColumnView nested(Type type, std::size_t length, const std::uint32_t* offsets) const {
    ColumnView result{type, length, values_, offsets, false};
    for (int level = 0; level < type_.depth; ++level) result.offsets_at(outer_ + level) = offsets_[level];
    return result;
  }

  Type type_;
  int outer_;
  std::array<std::uint32_t*, kMaxDepth> offsets_{};
  std::array<std::size_t, kMaxDepth> counts_{};
  T* values_;
  std::size_t num_values_ = 0;
};

}  // namespace skimline
