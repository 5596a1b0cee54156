// SPDX-License-Identifier: BSD-3-Clause
#include "engine/list_sizes.h"

#include "expression/kernel.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace skimline {
namespace {

// The first list in which the offsets differ, or -1.
std::ptrdiff_t first_difference(const std::uint32_t* a, const std::uint32_t* b, std::size_t length) {
  if (a == b || std::memcmp(a, b, (length + 1) * sizeof *a) == 0) return -1;
  return std::mismatch(a, a + length + 1, b).first - a - 1;
}

// The numbers of two columns, and their offsets.
struct Pair {
  std::size_t first, other;
  const std::uint32_t *first_offsets, *other_offsets;
};

[[noreturn]] void refuse(std::size_t entry, const Pair& pair, std::size_t list) {
  const std::size_t a = pair.first_offsets[list + 1] - pair.first_offsets[list];
  const std::size_t b = pair.other_offsets[list + 1] - pair.other_offsets[list];
  throw SizeFault{
      {entry, "lists of different sizes, " + std::to_string(a) + " and " + std::to_string(b) + ","},
      pair.first,
      pair.other,
      a,
      b};
}

void check_equal_sizes_at(std::span<const ColumnView> columns, int level) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].type.depth <= level) continue;
    if (!first) first = i;
    const Pair pair{*first, i, columns[*first].offsets_at(level), columns[i].offsets_at(level)};
    const std::ptrdiff_t list =
        first_difference(pair.first_offsets, pair.other_offsets, columns[i].num_elements(level));
    if (list < 0) continue;
    const auto index = static_cast<std::size_t>(list);
    refuse(columns[i].entry_holding(index, level), pair, index);
  }
}

}  // namespace

void check_equal_sizes(std::span<const ColumnView> columns, int levels) {
  for (int level = 0; level < levels; ++level) check_equal_sizes_at(columns, level);
}

const ColumnView& deepest_of(std::span<const ColumnView> columns) {
  return *std::max_element(columns.begin(), columns.end(), [](const ColumnView& a, const ColumnView& b) {
    return a.type.depth < b.type.depth;
  });
}

ColumnView elements_at(const ColumnView& column, int levels, std::size_t count) {
  if (!column.type.is_jagged()) return {column.type, count, column.values, nullptr, true};
  ColumnView elements = column;
  for (int level = 0; level < levels; ++level) elements = elements.elements();
  return elements;
}

ColumnView in_lists_of(const ColumnView& outer, int levels, const ColumnView& elements) {
  ColumnView result = elements;
  result.type.depth += levels;
  result.length = outer.length;
  for (int level = 0; level < result.type.depth; ++level)
    result.offsets_at(level) = level < levels ? outer.offsets_at(level) : elements.offsets_at(level - levels);
  return result;
}

}  // namespace skimline
