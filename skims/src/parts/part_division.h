// SPDX-License-Identifier: BSD-3-Clause
// The entries of a sample, cut into parts whose results are kept.
#pragma once

#include "skimline/framework/entry_range.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skimline::skims {

/// Whole clusters of one file, as far as limits leave them whole.
struct Part {
  std::size_t file = 0;             ///< number among those of the source
  std::uint64_t first_of_file = 0;  ///< number of the file's first entry
  EntryRange entries;               ///< in the numbers of the source
  double bytes = 0;                 ///< stored, of all columns, estimated

  /// Counted from the first entry of the file.
  EntryRange entries_of_file() const { return {entries.first - first_of_file, entries.count}; }
};

/// Stored bytes of a part, as far as clusters allow.
inline constexpr double kPartBytes = 256e6;

/// Cuts a source, of which no slice was opened yet, into parts of kPartBytes or a little more: by its files
/// and their clusters alone, so that they are the same whoever asks, and whatever is computed.
std::vector<Part> parts_of(const io::InputSource& source);

}  // namespace skimline::skims
