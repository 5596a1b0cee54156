// SPDX-License-Identifier: BSD-3-Clause
// The shapes of jagged columns: comparing them, and finding an entry in them.
#pragma once

#include "expression/kernel.h"

#include "skimline/framework/column.h"

#include <cstddef>
#include <span>

namespace skimline {

/// Two lists of one entry that should have one size: the numbers of their columns, and their sizes.
struct SizeFault : EntryFault {
  std::size_t first, other;
  std::size_t first_size, other_size;
};

/// Throws SizeFault for the first entry in which lists of the columns differ in size. Flat columns count
/// nothing; lists beside lists of lists need equal outer sizes.
void check_equal_sizes(std::span<const ColumnView> columns);

/// The same for the outer sizes only.
void check_equal_outer_sizes(std::span<const ColumnView> columns);

/// Returns the column with each list of an entry, or element of one, as an entry of its own. Constants stay
/// as they are.
ColumnView inner_lists_of(const ColumnView& column, std::size_t num_lists);

/// Returns the entry whose list holds element number `element`.
std::size_t entry_of_element(const ColumnView& column, std::size_t element);

/// Returns the entry whose lists hold value number `value`.
std::size_t entry_of_value(const ColumnView& column, std::size_t value);

}  // namespace skimline
