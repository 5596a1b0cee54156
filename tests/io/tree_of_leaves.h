// SPDX-License-Identifier: BSD-3-Clause
// Metadata of trees, made by hand.
#pragma once

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

struct TreeOfLeaves {
  TreeDescriptor descriptor;

  void add_branch(const std::string& name, std::vector<TreeLeaf> leaves, const std::string& title = "") {
    TreeBranch branch;
    branch.name = branch.path = name;
    branch.title = title.empty() ? name : title;
    branch.class_name = "TBranch";
    for (TreeLeaf& leaf : leaves) {
      leaf.branch = static_cast<std::uint32_t>(descriptor.branches.size());
      branch.leaves.push_back(static_cast<std::uint32_t>(descriptor.leaves.size()));
      descriptor.leaves.push_back(std::move(leaf));
      descriptor.leaf_data.emplace_back();
    }
    descriptor.branches.push_back(std::move(branch));
    descriptor.branch_data.emplace_back();
  }
};

}  // namespace skimline::io
