// SPDX-License-Identifier: BSD-3-Clause
// Which columns of a tree can be read, of how many entries.
#pragma once

#include "ttree/basket_fetcher.h"
#include "ttree/tree_chain.h"
#include "ttree/tree_kinds.h"

#include "skimline/io/root_file.h"
#include "skimline/io/tree_metadata.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

struct ExaminedTree {
  std::uint64_t num_entries = 0;
  std::shared_ptr<const ReadColumns> columns;
  double bytes_of_kind = 0;              ///< in memory, if the tree is the first of its kind in the chain
  std::vector<std::string> differences;  ///< sentences for the report
};

/// Leaves out what has fewer entries than the tree, and what is not laid out as the file says: some entries
/// are read for that. Throws FileError for a tree of very many entries of which nothing can be read.
ExaminedTree examine(TreeDescriptor& tree, const RootFile& root, const BasketFetcher& fetcher,
                     TreeChain& chain);

}  // namespace skimline::io
