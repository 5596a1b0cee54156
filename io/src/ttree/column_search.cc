// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/column_search.h"

#include "ttree/column_list.h"

#include <vector>

namespace skimline::io {
namespace {

// Whether a branch has its data in others.
std::vector<bool> find_parents(const TreeDescriptor& tree) {
  std::vector<bool> is_parent(tree.branches.size(), false);
  for (const TreeBranch& branch : tree.branches)
    if (branch.parent) is_parent[*branch.parent] = true;
  return is_parent;
}

void find_columns_of(const TreeDescriptor& tree, std::uint32_t number, bool is_parent, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  if (!branch.problem.empty()) return list.reject(number, branch.path, branch.object_class, branch.problem);
  if (branch.class_name == "TBranch") return find_leaf_columns(tree, number, list);
  if (is_parent && !branch.is_master()) return;
  if (branch.class_name == "TBranchElement") return find_element_columns(tree, number, list);
  if (branch.class_name == "TBranchObject") return find_object_columns(tree, number, list);
  list.reject(number, branch.path, branch.object_class,
              "branches of class " + branch.class_name + " cannot be read");
}

// What none of the above found anything in must not go unsaid. Branches without leaves or baskets, such as
// those that only have others below them, hold nothing themselves.
void account_for(const TreeDescriptor& tree, std::uint32_t number, bool is_parent, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  const bool is_empty = tree.branch_data[number].baskets.empty() && (is_parent || branch.leaves.empty());
  if (list.accounts_for(number) || is_empty) return;
  list.reject(number, branch.path, branch.object_class,
              is_parent       ? "it has data beside those of the branches below it"
              : branch.id < 0 ? "class " + branch.object_class + " has no members to be read"
                              : "it has no members to be read");
}

}  // namespace

TreeColumns find_tree_columns(const TreeDescriptor& tree) {
  ColumnList list;
  const std::vector<bool> is_parent = find_parents(tree);
  for (std::uint32_t branch = 0; branch < tree.branches.size(); ++branch)
    find_columns_of(tree, branch, is_parent[branch], list);
  for (std::uint32_t branch = 0; branch < tree.branches.size(); ++branch)
    account_for(tree, branch, is_parent[branch], list);
  find_collections(tree, list);
  return std::move(list).finish();
}

}  // namespace skimline::io
