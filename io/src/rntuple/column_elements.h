// SPDX-License-Identifier: BSD-3-Clause
// Of which elements each column of a schema has how many.
#pragma once

#include "skimline/io/rntuple_descriptor.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace skimline::io {

/// Returns the position of each column among those of its field and representation.
std::vector<std::uint32_t> column_positions(const RNTupleDescriptor& descriptor);

/// By column the first one that has the same elements, in this or another representation.
std::vector<std::uint32_t> first_representations(const RNTupleDescriptor& descriptor);

/// Of which elements a column has one for each, or a fixed number.
struct ElementsOf {
  /// That its items belong to, or the alternative of a variant; none for entries.
  std::uint32_t field = std::numeric_limits<std::uint32_t>::max();
  bool is_alternative = false;  ///< whether the field is one
  std::uint64_t count = 1;      ///< the largest number there is for more, which nothing can have

  bool are_entries() const { return field == std::numeric_limits<std::uint32_t>::max(); }
};

/// Returns it for each column of a schema.
std::vector<ElementsOf> elements_of_columns(const RNTupleDescriptor& schema);

}  // namespace skimline::io
