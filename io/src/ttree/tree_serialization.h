// SPDX-License-Identifier: BSD-3-Clause
// The TTree object: what a file says about a tree and its baskets.
#pragma once

#include "ttree/tree_layout.h"

#include "skimline/io/compression.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skimline::io {

struct PlacedBasket {
  std::uint64_t first_entry = 0;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;  ///< of the record
};

struct WrittenBranch {
  std::vector<PlacedBasket> baskets;
  std::uint64_t unpacked_bytes = 0, stored_bytes = 0;  ///< of all records
  std::uint64_t largest_basket = 0;                    ///< not compressed
};

struct WrittenTree {
  std::string name;  ///< without directories
  std::string title;
  CompressionSetting compression;
  std::uint64_t num_entries = 0;
  std::vector<std::uint64_t> cluster_entries;  ///< by cluster
  std::vector<WrittenBranch> branches;         ///< as in the layout
  std::vector<std::uint64_t> largest_counts;   ///< by group
};

/// Returns the streamed object, in which places count from a key of `key_size` bytes in front.
std::vector<std::byte> streamed_tree(const TreeLayout& layout, const WrittenTree& tree, std::size_t key_size);

/// The classes of branches and leaves.
std::vector<std::string> classes_in(const TreeLayout& layout);

}  // namespace skimline::io
