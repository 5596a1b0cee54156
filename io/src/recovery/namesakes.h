// SPDX-License-Identifier: BSD-3-Clause
// Trees of one name in several directories: keys of baskets name the tree, and not where it lies.
#pragma once

#include "recovery/found_file.h"

#include <cstdint>
#include <string>
#include <unordered_set>

namespace skimline::io {

/// What the others have.
struct Namesakes {
  std::unordered_set<std::uint64_t> baskets;        ///< places of those that they list
  std::unordered_set<std::string> branches;         ///< by name
  std::unordered_set<std::uint64_t> older_baskets;  ///< that older objects list which have its path
  bool are_unknown = false;                         ///< some tree cannot be read, which may have any branches

  bool have(const std::string& branch) const { return are_unknown || branches.contains(branch); }
};

/// Of the tree of a key, in other directories than its own, and in older cycles.
Namesakes namesakes_of(const FoundFile& found, const RootKey& key);

}  // namespace skimline::io
