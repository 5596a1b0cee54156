// SPDX-License-Identifier: BSD-3-Clause
#include "engine/list_sizes.h"

#include "expression/kernel.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace skimline {
namespace {

std::size_t list_holding(const std::uint32_t* offsets, std::size_t length, std::size_t element) {
  return static_cast<std::size_t>(std::upper_bound(offsets, offsets + length + 1, element) - offsets) - 1;
}

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

}  // namespace

void check_equal_outer_sizes(std::span<const ColumnView> columns) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].type.is_jagged()) continue;
    if (!first) first = i;
    const Pair pair{*first, i, columns[*first].offsets, columns[i].offsets};
    const std::ptrdiff_t entry = first_difference(pair.first_offsets, pair.other_offsets, columns[i].length);
    if (entry >= 0) refuse(static_cast<std::size_t>(entry), pair, static_cast<std::size_t>(entry));
  }
}

void check_equal_sizes(std::span<const ColumnView> columns) {
  check_equal_outer_sizes(columns);
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnView& column = columns[i];
    if (column.type.depth != 2) continue;
    if (!first) first = i;
    const Pair pair{*first, i, columns[*first].inner_offsets, column.inner_offsets};
    const std::ptrdiff_t list =
        first_difference(pair.first_offsets, pair.other_offsets, column.offsets[column.length]);
    if (list < 0) continue;
    const auto index = static_cast<std::size_t>(list);
    refuse(entry_of_element(column, index), pair, index);
  }
}

ColumnView inner_lists_of(const ColumnView& column, std::size_t num_lists) {
  if (!column.type.is_jagged()) return {column.type, num_lists, column.values, nullptr, true};
  return {{column.type.scalar, column.type.depth - 1}, num_lists, column.values, column.inner_offsets, false};
}

std::size_t entry_of_element(const ColumnView& column, std::size_t element) {
  return list_holding(column.offsets, column.length, element);
}

std::size_t entry_of_value(const ColumnView& column, std::size_t value) {
  if (column.type.depth == 1) return entry_of_element(column, value);
  return entry_of_element(column, list_holding(column.inner_offsets, column.offsets[column.length], value));
}

}  // namespace skimline
