// SPDX-License-Identifier: BSD-3-Clause
// A plan as people look at it: nested sets of entries, and what is read, computed and filled for each.
#pragma once

#include "skimline/framework/plan.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline {

/// One value that is computed for a set of entries.
struct OutlinedNode {
  std::string text;        ///< the expression, as it was written where it stood first
  std::string definition;  ///< the name it was defined under, if it was
  Type type;
  /// Whether it is the condition of an inner set.
  bool is_condition = false;
  /// Whether it only changes the type or the shape of a value with the same text.
  bool is_conversion = false;
};

/// A set of entries: all of them, or those of an outer set for which a condition holds.
struct OutlinedEntries {
  std::size_t outer = 0;   ///< position of the outer set; it comes earlier
  std::string condition;   ///< empty for all entries
  bool keep_when = true;   ///< the value of the condition for entries of this set
  bool is_filter = false;  ///< whether it leads to a selection; else it is one side of `&&`, `||` or `?:`
  /// Numbers of the columns that are read for these entries and were not read for an outer set.
  std::vector<std::size_t> columns;
  std::vector<OutlinedNode>
      nodes;  ///< in the order in which they are computed, without columns and constants
  std::vector<std::size_t> fills, writes;  ///< numbers of PlanBuilder's calls of fill() and write()
};

struct PlanOutline {
  std::vector<OutlinedEntries> entries;  ///< [0] is all entries
  std::vector<std::size_t> selections;   ///< positions in `entries`, by SelectionId::index
  std::size_t num_steps = 0;
  /// Bytes that the values of a batch take in memory, at most: estimated from the mean sizes of lists.
  double batch_bytes = 0;
  std::vector<double> written_bytes;  ///< by sink: of the values of an entry, in the mean
};

/// How many values an entry of a column has, in the mean.
using ValuesPerEntry = std::function<double(std::size_t column)>;

/// Returns what `plan` does. Without `values_per_entry` all lists count as one value.
PlanOutline outline(const Plan& plan, const ValuesPerEntry& values_per_entry = nullptr);

/// Returns PlanOutline::written_bytes alone.
std::vector<double> written_bytes_of(const Plan& plan, const ValuesPerEntry& values_per_entry);

}  // namespace skimline
