// SPDX-License-Identifier: BSD-3-Clause
// The entries of a tree cut into slices that fit into memory.
#pragma once

#include "skimline/framework/source.h"
#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <vector>

namespace skimline::io {

/// Returns the bytes in memory of all values of a branch, keys of baskets included: what the tree says, as
/// far as its baskets can hold that.
double bytes_in_memory(const BranchData& branch);

/// What a slice of a tree may have at most, unless it is a single entry.
struct TreeSliceLimits {
  std::uint64_t entries = 0;
  std::uint64_t read_bytes = 0;  ///< in memory, of branches in `read`
  std::uint64_t kept_bytes = 0;  ///< of branches in `kept`, and of computed values
};

/// What is read of a tree, and what of it is kept until it is written.
struct TreeReading {
  std::vector<std::uint32_t> read{}, kept{};  ///< numbers of branches, ascending
  double kept_bytes_per_entry = 0;            ///< of computed values, in the mean
};

/// Returns slices of the `wanted` entries. Small clusters go together, large ones are cut; bytes within a
/// basket count as evenly spread. Entries behind `num_entries` do not exist.
std::vector<EntryRange> tree_slices(const TreeDescriptor& tree, const TreeReading& reading,
                                    const TreeSliceLimits& limits, EntryRange wanted,
                                    std::uint64_t num_entries);

}  // namespace skimline::io
