// SPDX-License-Identifier: BSD-3-Clause
// In what the events of two inputs differ, RNTuples and TTrees alike.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/skims/event_key.h"
#include "skimline/skims/value_difference.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What is compared, and when values count as equal.
struct EventDiffOptions {
  std::vector<std::string> include;  ///< patterns of columns; all if empty
  double relative = 0;               ///< part of the larger of two numbers
  std::uint64_t ulps = 0;            ///< steps between numbers of the type of the column
  /// Expressions by which entries are matched, in whatever order they are; none compares them as they follow
  /// each other.
  std::vector<std::string> key;
  int threads = 0;  ///< as for a job
};

/// Two RNTuples or TTrees, entry by entry.
struct EventDifference {
  std::string name;  ///< of the first
  std::uint64_t left_entries = 0, right_entries = 0;
  std::size_t num_columns = 0;  ///< whose values were compared
  std::vector<std::string> only_left, only_right;
  std::vector<std::string> types;         ///< what differs in them, a sentence each
  std::vector<std::string> not_compared;  ///< columns that both have and that cannot be read
  std::vector<ColumnDifference> columns;  ///< that differ, in the order of the first
  std::optional<KeyDifference> by_key;    ///< if entries were matched

  /// Entries of both that were compared.
  std::uint64_t num_compared() const;

  bool are_equal() const;
};

/// Whether a pattern chooses any column of a source.
bool has_column(const io::InputSource& source, const std::vector<std::string>& include);

/// Compares columns by name, a dot and an underscore being the same, and their values entry by entry, as far
/// as both go, or those of entries with equal keys. The order of columns, encodings, compression and clusters
/// do not count; nor does, of a tree and an RNTuple, a count that only the tree has. Columns of different
/// types are a difference, and are compared as numbers if they are some. Reads slice by slice, in the threads
/// of the caller's arena; the result does not depend on them. By key, whole columns are in memory, one of
/// each input at a time. Throws FileError, and ConfigError for keys that are never equal.
EventDifference compare_events(io::InputSource& left, io::InputSource& right,
                               const EventDiffOptions& options);

}  // namespace skimline::skims
