// SPDX-License-Identifier: BSD-3-Clause
// Makes a sound file of what is whole in one that was never closed, or is cut or damaged.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skimline::io {

/// A TTree or RNTuple of the output.
struct RecoveredEntries {
  std::string path;
  bool is_tree = false;
  std::uint64_t num_entries = 0;
  std::uint64_t num_listed = 0;     ///< of a tree: entries that its newest object says it has
  std::uint64_t num_columns = 0;    ///< branches or top-level fields
  std::vector<std::string> losses;  ///< a sentence for each
};

/// What was found, and what of it is in the output.
struct RecoverySummary {
  std::vector<RecoveredEntries> entries;
  std::uint64_t num_objects = 0;    ///< others: histograms and the like
  std::vector<std::string> losses;  ///< of which nothing is in the output, a sentence for each
  std::uint64_t bytes_read = 0;     ///< of the input
  std::uint64_t bytes_skipped = 0;  ///< of it, those that belong to no record
  std::uint64_t bytes_written = 0;
  bool has_class_descriptions = false;

  /// Whether all that was found is in the output.
  bool is_complete() const;
};

/// Reads the records of `input`, whatever its header and directories say, and writes a new file with the
/// newest object of each path. Of TTrees and RNTuples it takes the entries that are whole, from the first one
/// on: baskets and pages are decompressed, and nothing is guessed. Works on the threads of the current arena;
/// the bytes do not depend on their number. The output is complete or absent. Throws FileError if the input
/// cannot be read or has nothing that is whole, or the output cannot be written; Interrupted. `before_naming`
/// is called when the output is complete, before it has its name; what it throws leaves no output.
RecoverySummary recover_file(const std::string& input, const std::string& output,
                             const std::function<void()>& before_naming, const StopFlag& stop);

}  // namespace skimline::io
