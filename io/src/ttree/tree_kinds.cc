// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_kinds.h"

#include "ttree/column_search.h"
#include "ttree/unread_branches.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// A new tree is compared with so many; more kinds share nothing.
constexpr std::size_t kMaxKinds = 64;
// Names, titles and types of a branch, its leaf and its column.
constexpr double kBytesOfBranch = 2000;

std::vector<bool> branches_with_baskets(const TreeDescriptor& tree) {
  std::vector<bool> has_baskets;
  for (const BranchData& branch : tree.branch_data) has_baskets.push_back(!branch.baskets.empty());
  return has_baskets;
}

// Only of columns that are left.
void keep_collections(const Schema& schema, std::vector<Collection>& collections) {
  for (Collection& collection : collections) {
    std::erase_if(collection.columns, [&](const std::string& name) { return !schema.find(name); });
    if (!collection.count.empty() && !schema.find(collection.count)) collection.count.clear();
  }
  std::erase_if(collections, [](const Collection& collection) { return collection.columns.empty(); });
}

void leave_out(const std::map<std::size_t, std::string>& problems, TreeColumns& columns) {
  std::vector<TreeColumn> kept;
  for (std::size_t number = 0; number < columns.columns.size(); ++number) {
    TreeColumn& column = columns.columns[number];
    if (const auto problem = problems.find(number); problem != problems.end())
      columns.unsupported.push_back({column.name, column.type_name, problem->second, column.branch});
    else
      kept.push_back(std::move(column));
  }
  columns.columns = std::move(kept);
}

ReadColumns columns_read(const TreeDescriptor& tree, TreeColumns found, const ColumnVerdict& verdict) {
  ReadColumns read;
  read.found = std::move(found);
  read.found.doubtful.clear();
  for (TreeColumn& column : read.found.columns) column.is_proven = verdict.proven.contains(column.branch);
  leave_out(verdict.problems, read.found);
  read.found.unsupported = unread_branches(tree, read.found);
  read.num_columns.resize(tree.branches.size());
  for (const TreeColumn& column : read.found.columns) {
    read.schema.add({column.name, column.type, column.description});
    read.type_names.push_back(column.type_name);
    read.places.push_back(read.num_columns[column.branch]++);
  }
  for (const UnsupportedField& field : read.found.unsupported) read.schema.withhold(field.name);
  keep_collections(read.schema, read.found.collections);
  keep_collections(read.schema, read.found.equal_sizes);
  return read;
}

}  // namespace

TreeKind::TreeKind(const TreeDescriptor& tree)
    : has_baskets_(branches_with_baskets(tree)), found_(find_tree_columns(tree)) {
  tree_.branches = tree.branches;
  tree_.leaves = tree.leaves;
  tree_.classes = tree.classes;
}

bool TreeKind::has(const TreeDescriptor& tree) const {
  return tree_.branches == tree.branches && tree_.leaves == tree.leaves &&
         (tree_.classes == tree.classes || *tree_.classes == *tree.classes) &&
         has_baskets_ == branches_with_baskets(tree);
}

void TreeKind::share_with(TreeDescriptor& tree) const {
  tree.branches = tree_.branches;
  tree.leaves = tree_.leaves;
  tree.classes = tree_.classes;
}

std::shared_ptr<const ReadColumns> TreeKind::read_columns(const ColumnVerdict& verdict) {
  const std::lock_guard lock(mutex_);
  if (!read_ || !(verdict == verdict_)) {
    read_ = std::make_shared<const ReadColumns>(columns_read(tree_, found_, verdict));
    verdict_ = verdict;
  }
  return read_;
}

double TreeKind::bytes_in_memory() const {
  return kBytesOfBranch * static_cast<double>(tree_.branches.size());
}

std::shared_ptr<TreeKind> TreeKinds::find(TreeDescriptor& tree) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&](const std::shared_ptr<TreeKind>& kind) { return kind->has(tree); });
  if (found != kinds_.end()) {
    (*found)->share_with(tree);
    return *found;
  }
  auto kind = std::make_shared<TreeKind>(tree);
  if (kinds_.size() < kMaxKinds) kinds_.push_back(kind);
  return kind;
}

}  // namespace skimline::io
