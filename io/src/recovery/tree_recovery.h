// SPDX-License-Identifier: BSD-3-Clause
// What is whole of a TTree of a file that was never closed, or is cut or damaged.
#pragma once

#include "merging/tree_inputs.h"
#include "recovery/found_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

/// A tree with as many entries as are whole in all of its branches.
struct RecoveredTree {
  TreeDescriptor pattern;  ///< as the newest object of the tree has it that is whole
  TreeOutline outline;
  std::shared_ptr<TreeInput> input;
  std::uint64_t num_listed = 0;     ///< entries that the object says the tree has
  std::vector<std::string> losses;  ///< a sentence for each
};

/// Recovers the tree of a key. Throws FormatError, FileError if nothing of it can be used.
RecoveredTree recover_tree(const FoundFile& found, const RootKey& key);

}  // namespace skimline::io
