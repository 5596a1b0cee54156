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

/// Throws SizeFault for the first entry in which lists of the columns differ in size, at one of the outer
/// `levels`. Flat columns count nothing; lists beside lists of lists need equal outer sizes.
void check_equal_sizes(std::span<const ColumnView> columns, int levels = kMaxDepth);

/// Returns the column whose lists are nested most deeply.
const ColumnView& deepest_of(std::span<const ColumnView> columns);

/// Returns the column with what is `levels` lists deep as entries of their own, `count` of them. Constants
/// stay as they are.
ColumnView elements_at(const ColumnView& column, int levels, std::size_t count);

/// Returns a column of such elements in the lists of `outer` again.
ColumnView in_lists_of(const ColumnView& outer, int levels, const ColumnView& elements);

}  // namespace skimline
