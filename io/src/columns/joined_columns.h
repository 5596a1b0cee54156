// SPDX-License-Identifier: BSD-3-Clause
// Values that lie in several places, as one column.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/source.h"

#include <span>

namespace skimline::io {

/// Entries of a column: `range` counts from the first of `whole`, which is not constant.
struct ColumnPiece {
  ColumnView whole;
  EntryRange range;
};

/// Returns the entries of the pieces, all of `type`, one after the other: a view of a single piece where it
/// can be, else a copy in `scratch`. Throws FormatError if lists have 2^31 values or more together.
ColumnView joined(Type type, std::span<const ColumnPiece> pieces, ColumnBuffer& scratch);

}  // namespace skimline::io
