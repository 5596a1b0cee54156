// SPDX-License-Identifier: BSD-3-Clause
// What can be trusted of the metadata of a tree, whatever file they come from.
#pragma once

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <string>

namespace skimline::testing {

/// Says which promise of read_tree() a tree breaks; empty if none.
class TreePromises {
 public:
  TreePromises(const io::TreeDescriptor& tree, std::uint64_t file_size)
      : tree_(tree), file_size_(file_size) {}

  std::string broken() const {
    for (std::size_t i = 0; i < tree_.branches.size(); ++i)
      if (std::string what = broken_by_branch(i); !what.empty()) return what;
    for (std::size_t i = 0; i < tree_.leaves.size(); ++i)
      if (std::string what = broken_by_leaf(i); !what.empty()) return what;
    return broken_by_lists();
  }

 private:
  std::string broken_by_branch(std::size_t number) const {
    const io::TreeBranch& branch = tree_.branches[number];
    const io::BranchData& data = tree_.branch_data[number];
    if (branch.parent && *branch.parent >= number) return "a branch comes before its parent";
    if (branch.count_branch && *branch.count_branch >= tree_.branches.size())
      return "no branch has the number of a count";
    for (const std::uint32_t leaf : branch.leaves)
      if (leaf >= tree_.leaves.size() || tree_.leaves[leaf].branch != number)
        return "a leaf of a branch is not its own";
    if (!branch.problem.empty() && !data.baskets.empty()) return "a branch with a problem has baskets";
    std::uint64_t next = 0;
    for (const io::TreeBasket& basket : data.baskets) {
      if (basket.first_entry != next || basket.num_entries == 0) return "baskets do not follow each other";
      next = basket.end_entry();
      const std::uint64_t end = basket.is_embedded ? tree_.object.size() : file_size_;
      if (basket.offset > end || basket.size > end - basket.offset) return "a basket lies outside";
    }
    return data.baskets.empty() || next == data.num_entries ? "" : "baskets lack entries";
  }

  std::string broken_by_leaf(std::size_t number) const {
    const io::TreeLeaf& leaf = tree_.leaves[number];
    if (leaf.branch >= tree_.branches.size()) return "a leaf is in no branch";
    if (leaf.counter && *leaf.counter >= tree_.leaves.size()) return "a counter is no leaf";
    std::uint64_t length = 1;
    for (const std::uint64_t size : leaf.dimensions) length *= size;
    return length == leaf.length && length > 0 ? "" : "dimensions do not make up the length of a leaf";
  }

  std::string broken_by_lists() const {
    const auto& begins = tree_.cluster_begins;
    if (begins.empty() != (tree_.num_entries == 0)) return "clusters without entries or the other way round";
    if (!begins.empty() && begins.front() != 0) return "the first cluster does not begin at 0";
    for (std::size_t i = 1; i < begins.size(); ++i)
      if (begins[i] <= begins[i - 1] || begins[i] >= tree_.num_entries) return "clusters do not ascend";
    if (!tree_.index) return {};
    const std::size_t size = tree_.index->entries.size();
    const bool is_complete =
        tree_.index->major_values.size() == size && tree_.index->minor_values.size() == size;
    return is_complete ? "" : "an index with missing values";
  }

  const io::TreeDescriptor& tree_;
  std::uint64_t file_size_;
};

}  // namespace skimline::testing
