// SPDX-License-Identifier: BSD-3-Clause
// Moving values between the dense columns of nested scopes.
#pragma once

#include "skimline/framework/column.h"

#include <cstdint>
#include <span>

namespace skimline {

/// Writes the positions of the entries whose flag equals `keep_when` to `positions`, which has room for all;
/// returns their number.
std::size_t find_positions(std::span<const bool> flags, bool keep_when, std::uint32_t* positions);

/// Returns the values of `column` at the given entries.
ColumnView gather(const ColumnView& column, std::span<const std::uint32_t> entries, ColumnBuffer& results);

/// Returns, entry by entry, the next value of `first` where the flag is true and of `second` where it is
/// false: the inverse of splitting a scope by a condition.
ColumnView interleave(std::span<const bool> flags, const ColumnView& first, const ColumnView& second,
                      Type type, ColumnBuffer& results);

/// Returns a constant column with its value written out for every entry.
ColumnView expand(const ColumnView& constant, ColumnBuffer& results);

}  // namespace skimline
