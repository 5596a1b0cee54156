// SPDX-License-Identifier: BSD-3-Clause
// What a store has, as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::skims {

/// The files of a store.
struct StoreContents {
  std::uint64_t num_parts = 0;
  std::uint64_t num_files = 0;
  std::uint64_t num_bytes = 0;
  std::vector<std::string> damaged;  ///< what is wrong with which, if they were read
};

/// Looks at a store, a folder or one at a URL; `verifies` reads everything in it. Throws FileError if it is
/// no folder.
StoreContents contents_of_store(const std::string& folder, bool verifies);

/// Removes what was not used for longest, until no more than so many bytes are left, and what killed
/// processes have left unfinished for a day; nothing that no run has put there. Returns what it removed. Runs
/// that look for it compute it anew. Throws FileError.
StoreContents prune_store(const std::string& folder, std::uint64_t most_bytes);

}  // namespace skimline::skims
