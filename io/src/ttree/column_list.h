// SPDX-License-Identifier: BSD-3-Clause
// Collects the columns of a TTree while its branches are gone through.
#pragma once

#include "ttree/tree_columns.h"

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace skimline::io {

class ColumnList {
 public:
  /// A column is unsupported if another one has its name.
  void add(TreeColumn column) {
    if (!names_.insert(column.name).second)
      return reject(column.branch, column.name, column.type_name, "another branch has this name");
    accounted_for_.insert(column.branch);
    columns_.columns.push_back(std::move(column));
  }
  /// Something in a branch cannot be read.
  void reject(std::uint32_t branch, std::string name, std::string type_name, std::string reason) {
    accounted_for_.insert(branch);
    columns_.unsupported.push_back({std::move(name), std::move(type_name), std::move(reason), branch});
  }
  /// Entries of a branch that only its bytes can show to be as the file describes them.
  void add_doubtful(std::uint32_t branch, std::shared_ptr<const StreamedValue> entry) {
    columns_.doubtful.push_back({branch, std::move(entry)});
  }
  /// Whether a branch has become a column, or is said not to be read.
  bool accounts_for(std::uint32_t branch) const { return accounted_for_.contains(branch); }

  const std::vector<TreeColumn>& columns() const { return columns_.columns; }
  bool has(const std::string& name) const { return names_.contains(name); }
  void add(Collection collection) { columns_.collections.push_back(std::move(collection)); }
  void add_equal_sizes(Collection lists) { columns_.equal_sizes.push_back(std::move(lists)); }
  TreeColumns finish() && { return std::move(columns_); }

 private:
  TreeColumns columns_;
  std::set<std::string> names_;
  std::set<std::uint32_t> accounted_for_;  // branches
};

/// What is wrong with lists of `depth` levels.
inline std::string depth_problem(std::size_t depth) {
  return "has " + std::to_string(depth) + " levels of lists, at most " + std::to_string(kMaxDepth) +
         " can be used";
}

/// Adds the columns of a plain branch.
void find_leaf_columns(const TreeDescriptor& tree, std::uint32_t branch, ColumnList& list);

/// Adds the columns of a branch of objects or members that has data of its own.
void find_element_columns(const TreeDescriptor& tree, std::uint32_t branch, ColumnList& list);

/// Adds the columns of a TBranchObject.
void find_object_columns(const TreeDescriptor& tree, std::uint32_t branch, ColumnList& list);

/// Adds the collections that the columns make. To be called when all columns are known.
void find_collections(const TreeDescriptor& tree, ColumnList& list);

}  // namespace skimline::io
