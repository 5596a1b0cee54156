// SPDX-License-Identifier: BSD-3-Clause
// Trees that have the same branches, as the files of a chain do: what follows from their branches is kept
// once.
#pragma once

#include "ttree/tree_columns.h"

#include "skimline/framework/schema.h"
#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::io {

/// What the entries of one file say about the columns that its branches make.
struct ColumnVerdict {
  std::set<std::uint32_t> proven;               ///< branches whose doubtful classes are as described
  std::map<std::size_t, std::string> problems;  ///< why columns cannot be read of this file

  bool operator==(const ColumnVerdict&) const = default;
};

/// The columns that are read of a tree.
struct ReadColumns {
  TreeColumns found;  ///< without doubts
  Schema schema;
  std::vector<std::string> type_names;
  std::vector<std::size_t> num_columns;  ///< by branch
  std::vector<std::size_t> places;       ///< by column: its number among those of its branch
};

/// Trees whose branches, leaves and classes are equal. Thread-safe.
class TreeKind {
 public:
  explicit TreeKind(const TreeDescriptor& tree);

  /// Whether a tree is of this kind.
  bool has(const TreeDescriptor& tree) const;
  /// Gives a tree of this kind the lists that the others have.
  void share_with(TreeDescriptor& tree) const;
  /// The columns that the branches make.
  const TreeColumns& columns() const { return found_; }
  /// Those that are read of a file.
  std::shared_ptr<const ReadColumns> read_columns(const ColumnVerdict& verdict);
  /// Of the lists, estimated.
  double bytes_in_memory() const;

 private:
  TreeDescriptor tree_;            // branches, leaves and classes
  std::vector<bool> has_baskets_;  // by branch
  TreeColumns found_;
  std::mutex mutex_;
  ColumnVerdict verdict_;  // the last one
  std::shared_ptr<const ReadColumns> read_;
};

/// The kinds of trees that were met. Thread-safe.
class TreeKinds {
 public:
  /// Has a tree share what it has in common with those of its kind.
  std::shared_ptr<TreeKind> find(TreeDescriptor& tree);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<TreeKind>> kinds_;
};

}  // namespace skimline::io
