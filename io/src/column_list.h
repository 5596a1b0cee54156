// SPDX-License-Identifier: BSD-3-Clause
// Collects the columns of a TTree while its branches are gone through.
#pragma once

#include "tree_columns.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace skimline::io {

class ColumnList {
 public:
  /// A column is unsupported if another one has its name.
  void add(TreeColumn column) {
    if (names_.insert(column.name).second)
      columns_.columns.push_back(std::move(column));
    else
      reject(column.name, column.type_name, "another branch has this name");
  }
  void reject(std::string name, std::string type_name, std::string reason) {
    columns_.unsupported.push_back({std::move(name), std::move(type_name), std::move(reason), 0});
  }

  const std::vector<TreeColumn>& columns() const { return columns_.columns; }
  bool has(const std::string& name) const { return names_.contains(name); }
  void add(Collection collection) { columns_.collections.push_back(std::move(collection)); }
  TreeColumns finish() && { return std::move(columns_); }

 private:
  TreeColumns columns_;
  std::set<std::string> names_;
};

/// What is wrong with lists of `depth` levels.
inline std::string depth_problem(std::size_t depth) {
  return "has " + std::to_string(depth) + " levels of lists, at most " + std::to_string(kMaxDepth) +
         " can be used";
}

/// The title of a branch, unless it only repeats the names of its leaves.
std::string description_of(const TreeDescriptor& tree, const TreeBranch& branch);

/// Adds the columns of a plain branch.
void find_leaf_columns(const TreeDescriptor& tree, std::uint32_t branch, ColumnList& list);

/// Adds the columns of a branch of objects or members that has data of its own.
void find_element_columns(const TreeDescriptor& tree, std::uint32_t branch, ColumnList& list);

/// Adds the collections that the columns make. To be called when all columns are known.
void find_collections(const TreeDescriptor& tree, ColumnList& list);

}  // namespace skimline::io
