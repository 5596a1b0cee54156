// SPDX-License-Identifier: BSD-3-Clause
// The baskets of a tree that are whole, branch by branch.
#pragma once

#include "recovery/namesakes.h"
#include "recovery/record_scan.h"
#include "storage/buffer_pool.h"

#include "skimline/io/input_file.h"
#include "skimline/io/tree_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace skimline::io {

/// What is whole of a branch, from entry 0 on.
struct BasketChain {
  std::vector<TreeBasket> baskets;
  std::vector<bool> can_be_cut;    ///< by basket: whether it is known where each of its entries ends
  std::uint64_t num_listed = 0;    ///< entries of baskets that the tree lists
  std::int64_t largest_count = 0;  ///< of a counter, in baskets that the tree does not list
  std::int64_t text_room = 0;      ///< the same of texts
  std::string end;                 ///< why it goes no further, if that is known: "basket 7 at byte 100: ..."

  std::uint64_t num_entries() const { return baskets.empty() ? 0 : baskets.back().end_entry(); }
};

/// Follows the baskets of branches from the first to the last one that is whole: those that the tree lists,
/// then those of which the key has the names of branch and tree and the next number. Thread-safe.
class TreeChains {
 public:
  /// All must outlive the object.
  TreeChains(const InputFile& file, const FoundRecords& records, const TreeDescriptor& tree,
             const Namesakes& namesakes);

  /// Throws FileError if the storage fails.
  BasketChain follow(std::uint32_t branch);

 private:
  BasketChain follow_listed(const BranchData& branch);
  void follow_found(std::uint32_t branch, BasketChain& chain);
  bool has_own_name(std::uint32_t branch) const;
  bool is_numbered(const BasketChain& chain);
  void check_listed(const TreeBasket& basket, BasketChain& chain);
  void check_begins(const BasketEntries& found, const TreeBasket& embedded);
  void check_found(std::uint32_t branch, const FoundBasket& found, BasketChain& chain);

  const InputFile& file_;
  const FoundRecords& records_;
  const TreeDescriptor& tree_;
  const Namesakes& namesakes_;
  std::unordered_set<std::uint32_t> counters_;
  std::unordered_map<std::string, std::size_t> num_called_;  // branches, by name
  BufferPool pool_;
};

}  // namespace skimline::io
