// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/list_sizes.h"

#include "expression/kernel.h"

#include <algorithm>
#include <cstring>

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

[[noreturn]] void refuse(std::size_t entry, const std::uint32_t* a, const std::uint32_t* b,
                         std::size_t list) {
  throw EntryFault{entry, "lists of different sizes, " + std::to_string(a[list + 1] - a[list]) + " and " +
                              std::to_string(b[list + 1] - b[list]) + ","};
}

void check_inner_sizes(const ColumnView& first, const ColumnView& other) {
  const std::size_t num_lists = first.offsets[first.length];
  const std::ptrdiff_t list = first_difference(first.inner_offsets, other.inner_offsets, num_lists);
  if (list < 0) return;
  const auto index = static_cast<std::size_t>(list);
  refuse(entry_of_element(first, index), first.inner_offsets, other.inner_offsets, index);
}

}  // namespace

void check_equal_outer_sizes(std::span<const ColumnView> columns) {
  const ColumnView* first = nullptr;
  for (const ColumnView& column : columns) {
    if (!column.type.is_jagged()) continue;
    if (!first) first = &column;
    const std::ptrdiff_t entry = first_difference(first->offsets, column.offsets, first->length);
    if (entry >= 0)
      refuse(static_cast<std::size_t>(entry), first->offsets, column.offsets,
             static_cast<std::size_t>(entry));
  }
}

void check_equal_sizes(std::span<const ColumnView> columns) {
  check_equal_outer_sizes(columns);
  const ColumnView* first = nullptr;
  for (const ColumnView& column : columns) {
    if (column.type.depth != 2) continue;
    if (!first) first = &column;
    check_inner_sizes(*first, column);
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
