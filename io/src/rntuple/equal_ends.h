// SPDX-License-Identifier: BSD-3-Clause
// Which columns of RNTuples have lists of equal sizes, because one column of ends makes them.
#pragma once

#include "rntuple/field_columns.h"

#include "skimline/framework/schema.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// The stream of ends of the outermost lists of a column; none if it has no such lists.
struct EndsColumn {
  std::optional<std::size_t> stream;
  bool is_count = false;  ///< the column has the sizes themselves
  std::string list;       ///< the field that is the list, if it has a name
};

EndsColumn ends_of(const FieldColumn& column);

/// Returns the collections that are the same in all files, given the ends by file and column of the schema.
/// They are called as their counts without the "n", as the list of records "Muon.pt" is in, or as their lists
/// begin.
std::vector<Collection> columns_with_equal_ends(const Schema& schema,
                                                const std::vector<std::vector<EndsColumn>>& by_file);

}  // namespace skimline::io
