// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/kept_baskets.h"

#include "ttree/tree_slices.h"

#include <algorithm>

namespace skimline::io {
namespace {

// Baskets inside the tree are not counted.
FieldSize size_of_branch(const BranchData& branch) {
  FieldSize size;
  std::uint64_t stored = 0, largest = 0;
  for (const TreeBasket& basket : branch.baskets) {
    stored += basket.size;
    largest = std::max(largest, basket.num_entries);
  }
  size.stored = static_cast<double>(stored);
  size.in_memory = bytes_in_memory(branch);
  if (branch.num_entries > 0)
    size.largest_page =
        size.in_memory * static_cast<double>(largest) / static_cast<double>(branch.num_entries);
  return size;
}

}  // namespace

FieldSize KeptBaskets::size_of(std::uint32_t branch) const {
  return sizes_.empty() ? size_of_branch(tree_.branch_data[branch]) : sizes_[branch];
}

void KeptBaskets::keep_only(const std::vector<bool>& is_needed) {
  for (std::uint32_t branch = 0; branch < is_needed.size(); ++branch)
    if (is_needed[branch]) need(branch);
  if (sizes_.empty())
    for (const BranchData& branch : tree_.branch_data) sizes_.push_back(size_of_branch(branch));
  is_let_go_.resize(is_needed.size());
  for (std::size_t branch = 0; branch < is_needed.size(); ++branch) {
    std::vector<TreeBasket>& baskets = tree_.branch_data[branch].baskets;
    if (is_needed[branch]) is_let_go_[branch] = false;
    if (is_needed[branch] || baskets.empty()) continue;
    baskets = {};
    is_let_go_[branch] = true;
    has_all_ = false;
  }
}

void KeptBaskets::need(std::uint32_t branch) {
  if (has_all_.load(std::memory_order_acquire) || !is_let_go_[branch]) return;
  const std::lock_guard lock(mutex_);
  if (has_all_.load(std::memory_order_relaxed)) return;
  TreeDescriptor again = read_again_();
  for (std::size_t number = 0; number < is_let_go_.size(); ++number)
    if (is_let_go_[number]) tree_.branch_data[number].baskets = std::move(again.branch_data[number].baskets);
  has_all_.store(true, std::memory_order_release);
}

}  // namespace skimline::io
