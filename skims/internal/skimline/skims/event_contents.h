// SPDX-License-Identifier: BSD-3-Clause
// What values the columns of a source have.
#pragma once

#include "skimline/io/input_source.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// What the values of a column are, of all entries and elements of lists.
struct ColumnRange {
  std::string column, type;
  std::uint64_t num_values = 0;
  std::uint64_t num_nan = 0;     ///< that are not numbers
  std::string minimum, maximum;  ///< of all others; empty of strings, and if there are none
  std::uint64_t shortest_list = 0, longest_list = 0;  ///< of a list of each entry
  bool has_lists = false;
};

/// Values of columns of one RNTuple or TTree.
struct EventContents {
  std::string name;
  std::vector<ColumnRange> ranges;
  std::vector<std::string> columns;               ///< that `entries` has
  std::vector<std::vector<std::string>> entries;  ///< values as JSON, by entry and column
};

/// Reads all of the columns, slice by slice, and returns for each what its values are. In the threads of the
/// caller's arena.
std::vector<ColumnRange> ranges_of(io::InputSource& source, const std::vector<std::size_t>& columns);

/// Returns the values of the first entries as JSON, by entry and column.
std::vector<std::vector<std::string>> first_entries(io::InputSource& source,
                                                    const std::vector<std::size_t>& columns,
                                                    std::uint64_t count);

}  // namespace skimline::skims
