// SPDX-License-Identifier: BSD-3-Clause
// Which entries of two inputs are the same ones, by a key.
#pragma once

#include "skimline/framework/owned_column.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/event_key.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

struct MatchedEntries {
  struct Pair {
    std::uint64_t left = 0, right = 0;
  };
  std::vector<Pair> pairs;  ///< by the left entry
  KeyDifference keys;
  std::vector<OwnedColumn> left_key;  ///< its parts, of all left entries

  /// "run 1, event 7", of a left entry.
  std::string key_of(std::uint64_t entry) const;
};

/// Matches the entries with equal keys: of those that have the same one, the first with the first. Both
/// inputs must have the key. Needs 8 bytes for each part of the key and 24 more for each entry. Throws
/// ConfigError if parts of the keys are of types that are never equal, FileError.
MatchedEntries match_entries(io::InputSource& left, io::InputSource& right,
                             const std::vector<std::string>& key, int threads);

/// Reads columns as a whole. The result does not depend on the number of threads. Throws FileError.
std::vector<OwnedColumn> read_whole(io::InputSource& source, const std::vector<std::string>& expressions,
                                    int threads);

}  // namespace skimline::skims
