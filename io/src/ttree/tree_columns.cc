// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_columns.h"

#include "ttree/column_list.h"

#include <string_view>
#include <vector>

namespace skimline::io {
namespace {

std::string_view before_slash(std::string_view text) { return text.substr(0, text.find('/')); }

// Whether a title is "n/I", "x[n]/F" or "a/F:b/I".
bool is_leaf_list(const TreeDescriptor& tree, const TreeBranch& branch) {
  std::string_view title = branch.title;
  for (std::size_t i = 0; i < branch.leaves.size(); ++i) {
    const TreeLeaf& leaf = tree.leaves[branch.leaves[i]];
    const std::size_t colon = title.find(':');
    const std::string_view part = before_slash(title.substr(0, colon));
    if (part != before_slash(leaf.title) && part != leaf.name) return false;
    const bool is_last = i + 1 == branch.leaves.size();
    if (is_last != (colon == std::string_view::npos)) return false;
    title.remove_prefix(is_last ? 0 : colon + 1);
  }
  return !branch.leaves.empty();
}

// Whether a branch has its data in others.
std::vector<bool> find_parents(const TreeDescriptor& tree) {
  std::vector<bool> is_parent(tree.branches.size(), false);
  for (const TreeBranch& branch : tree.branches)
    if (branch.parent) is_parent[*branch.parent] = true;
  return is_parent;
}

bool is_master(const TreeBranch& branch) { return branch.type == 3 || branch.type == 4; }

void find_columns_of(const TreeDescriptor& tree, std::uint32_t number, bool is_parent, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  if (!branch.problem.empty()) return list.reject(number, branch.path, branch.object_class, branch.problem);
  if (branch.class_name == "TBranch") return find_leaf_columns(tree, number, list);
  if (is_parent && !is_master(branch)) return;
  if (branch.class_name == "TBranchElement") return find_element_columns(tree, number, list);
  list.reject(number, branch.path, branch.object_class,
              "branches of class " + branch.class_name + " cannot be read");
}

// What none of the above found anything in must not go unsaid. Branches without leaves or baskets, such as
// those that only have others below them, hold nothing themselves.
void account_for(const TreeDescriptor& tree, std::uint32_t number, bool is_parent, ColumnList& list) {
  const TreeBranch& branch = tree.branches[number];
  const bool is_empty = branch.baskets.empty() && (is_parent || branch.leaves.empty());
  if (list.accounts_for(number) || is_empty) return;
  list.reject(number, branch.path, branch.object_class,
              is_parent       ? "it has data beside those of the branches below it"
              : branch.id < 0 ? "class " + branch.object_class + " has no members to be read"
                              : "it has no members to be read");
}

}  // namespace

std::string description_of(const TreeDescriptor& tree, const TreeBranch& branch) {
  const bool is_name = branch.title == branch.name || branch.title == branch.path;
  return is_name || is_leaf_list(tree, branch) ? "" : branch.title;
}

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
