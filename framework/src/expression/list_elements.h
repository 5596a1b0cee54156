// SPDX-License-Identifier: BSD-3-Clause
// Choosing from lists, and repeating values for their elements.
#pragma once

#include "expression/kernel.h"

#include <string_view>
#include <vector>

namespace skimline {

/// How many elements the list of an entry has.
inline std::uint32_t size_at(const ColumnView& list, std::size_t entry) {
  return list.offsets[entry + 1] - list.offsets[entry];
}

/// Throws EntryFault: a list of that size has no such element.
[[noreturn]] void refuse_index(std::size_t entry, std::int64_t index, std::uint64_t size);

/// `list[index]`: operands a list or list of lists, and a flat std::int64_t.
Operation element_operation(Type list);

/// The first and the last element: operand a list or list of lists.
Operation front_operation(Type list);
Operation back_operation(Type list);

/// `list[mask]`: operands a list or list of lists, and a list of bool of the same size.
Operation mask_operation(Type list);

/// Repeats each value of a column for every element that `like` has below it: operands of type `from`, and a
/// column at least of depth `depth`, whose lists give the result its shape.
Operation broadcast_operation(Type from, int depth);

/// The name of a list that was compared with others.
inline constexpr std::string_view kSized = "sized";

/// Operands a list, which is the result, and others of these types, which must have its sizes.
Operation sized_operation(Type list, const std::vector<ScalarType>& others);

}  // namespace skimline
