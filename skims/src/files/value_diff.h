// SPDX-License-Identifier: BSD-3-Clause
// In what two columns differ, over the same entries.
#pragma once

#include "files/matched_entries.h"
#include "files/tolerance.h"

#include "skimline/framework/column.h"
#include "skimline/framework/owned_column.h"
#include "skimline/skims/value_difference.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace skimline::skims {

/// The differences of each column that are kept.
inline constexpr std::size_t kShownDifferences = 3;

/// Whether values of the types can be compared: numbers with numbers, texts with texts, of one depth.
bool are_comparable(Type left, Type right);

/// Adds to `found` in which entries the views differ, the first of which is entry number `first_entry`. Both
/// have the same length and types that can be compared.
void compare_values(const ColumnView& left, const ColumnView& right, const Tolerance& tolerance,
                    std::uint64_t first_entry, ColumnDifference& found);

/// The same of pairs of entries of whole columns; differences have the number of the left entry.
void compare_values(const OwnedColumn& left, const OwnedColumn& right, const Tolerance& tolerance,
                    std::span<const MatchedEntries::Pair> pairs, ColumnDifference& found);

}  // namespace skimline::skims
