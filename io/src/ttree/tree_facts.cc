// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_facts.h"

#include "storage/byte_ranges.h"

#include <algorithm>
#include <unordered_set>

namespace skimline::io {

void add_facts(const TreeDescriptor& tree, InputFacts& facts) {
  facts.weight = tree.weight;
  ByteRange all = kNoBytes;
  double stored = 0;
  for (const BranchData& branch : tree.branch_data) {
    std::uint64_t of_branch = 0;
    for (const TreeBasket& basket : branch.baskets) {
      of_branch += basket.size;
      if (!basket.is_embedded) widen(all, basket.offset, basket.offset + basket.size);
    }
    stored += static_cast<double>(of_branch);
    facts.bytes_in_memory += static_cast<double>(std::max(branch.bytes_unpacked, of_branch));
  }
  if (all.begin < all.end) {
    facts.data_begin = all.begin;
    facts.data_end = all.end;
  }
  // Baskets are never shared: only where there are more bytes than the file has some must be.
  if (stored <= static_cast<double>(facts.file_bytes + tree.object.size())) return;
  std::unordered_set<std::uint64_t> offsets;
  for (const BranchData& branch : tree.branch_data)
    for (const TreeBasket& basket : branch.baskets)
      if (!basket.is_embedded && !offsets.insert(basket.offset).second) ++facts.num_repeated_pages;
}

}  // namespace skimline::io
