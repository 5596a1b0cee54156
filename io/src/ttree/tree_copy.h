// SPDX-License-Identifier: BSD-3-Clause
// A streamed TTree with other baskets, entries and clusters; everything else stays as it was.
#pragma once

#include "ttree/tree_outline.h"
#include "ttree/tree_serialization.h"

#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace skimline::io {

/// The largest and smallest values that a leaf is said to have.
struct LeafRange {
  std::int64_t minimum = 0, maximum = 0;
  std::int64_t text_room = 0;
};

/// What a copy has instead; branches and leaves by their numbers in the descriptor.
struct CopiedTree {
  std::uint64_t num_entries = 0;
  std::vector<std::uint64_t> cluster_entries;  ///< by cluster
  std::vector<WrittenBranch> branches;
  std::vector<bool> have_entries;            ///< by branch: some were never filled
  std::vector<std::int64_t> largest_counts;  ///< by branch: elements of an entry of a collection
  std::vector<LeafRange> leaves;
  std::optional<TreeIndex> index;
  std::optional<int> compression;  ///< of all branches, if it is another
};

/// Returns the streamed object, in which places count from a key of `key_size` bytes in front. `tree` holds
/// the original, which must have no baskets elsewhere. Throws FormatError if objects in it refer to what is
/// not there.
std::vector<std::byte> streamed_copy(const TreeDescriptor& tree, const TreeOutline& outline,
                                     const CopiedTree& copy, std::size_t key_size);

}  // namespace skimline::io
