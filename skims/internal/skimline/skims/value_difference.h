// SPDX-License-Identifier: BSD-3-Clause
// Values of a column that differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// One of them.
struct ValueDifference {
  std::uint64_t entry = 0;  ///< of the first input
  std::string key;          ///< of the entry, "run 1, event 7", if entries are matched by one
  std::string element;  ///< "[2]" or "[0][2]" of lists; empty if the value, or the length of a list, differs
  std::string left, right;  ///< as JSON, or "3 elements"
};

struct ColumnDifference {
  std::string column;
  std::uint64_t num_entries = 0;       ///< in which it differs
  std::vector<ValueDifference> first;  ///< of these
};

}  // namespace skimline::skims
