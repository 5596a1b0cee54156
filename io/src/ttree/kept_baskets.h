// SPDX-License-Identifier: BSD-3-Clause
// Which baskets of a tree are known: of thousands of files, where those lie that nobody reads would be too
// much to keep.
#pragma once

#include "skimline/io/field_size.h"
#include "skimline/io/tree_descriptor.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace skimline::io {

/// Lets go of the baskets of branches, and takes them back where they are read all the same.
class KeptBaskets {
 public:
  /// The tree must outlive this; `read_again` returns its metadata, throwing FileError if it is another one.
  KeptBaskets(TreeDescriptor& tree, std::function<TreeDescriptor()> read_again)
      : tree_(tree), read_again_(std::move(read_again)) {}

  /// What the values of a branch take; keys of baskets count as values, they are a few per cent.
  FieldSize size_of(std::uint32_t branch) const;

  /// Lets go of those of all other branches. Not while others use the tree.
  void keep_only(const std::vector<bool>& is_needed);

  /// Has those of a branch be there, by reading the metadata again if need be. Thread-safe.
  void need(std::uint32_t branch);

 private:
  TreeDescriptor& tree_;
  std::function<TreeDescriptor()> read_again_;
  std::vector<FieldSize> sizes_;  // by branch, once some were let go
  std::vector<bool> is_let_go_;   // by branch
  std::atomic<bool> has_all_{true};
  std::mutex mutex_;
};

}  // namespace skimline::io
