// SPDX-License-Identifier: BSD-3-Clause
// A TTree as it is streamed: branches and leaves that refer to each other by their places.
#pragma once

#include "ttree/tree_outline.h"

#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// Where a branch or a leaf lies in the payload, which is what references to it say.
using Place = std::size_t;
constexpr Place kNoPlace = std::numeric_limits<Place>::max();

struct StoredLeaf {
  TreeLeaf leaf;  ///< without numbers of others
  LeafData data;
  Place counter = kNoPlace;  ///< of a leaf
  std::string problem;
};

struct StoredBranch {
  TreeBranch branch;  ///< without numbers of others
  BranchData data;
  std::vector<Place> children;
  std::vector<Place> leaves;
  Place count_branch = kNoPlace;
};

/// Clusters of one size, up to an entry, included.
struct EqualClusters {
  std::int64_t last_entry = 0;
  std::int64_t size = 0;
};

struct StoredTree {
  std::string name;
  std::string title;
  std::uint64_t num_entries = 0;
  double weight = 1;
  std::vector<Place> branches;  ///< the top ones
  std::unordered_map<Place, StoredBranch> all_branches;
  std::unordered_map<Place, StoredLeaf> all_leaves;
  std::vector<EqualClusters> cluster_ranges;
  std::int64_t last_cluster_size = 0;  ///< behind them; unknown unless positive
  std::vector<TreeFriend> friends;
  std::vector<TreeAlias> aliases;
  std::optional<TreeIndex> index;
  std::vector<std::string> other_parts;
};

/// What a tree is parsed from.
struct TreeRecord {
  std::string_view class_name;
  std::span<const std::byte> object;
  std::size_t key_size = 0;
  std::uint64_t file_size = 0;
};

/// Fills the outline unless it is null. Throws FormatError if the tree itself is damaged; branches that are
/// have a problem.
StoredTree parse_tree(const TreeRecord& record, const ClassLayouts& classes, TreeOutline* outline = nullptr);

}  // namespace skimline::io
