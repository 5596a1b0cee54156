// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_baskets.h"

#include <algorithm>

namespace skimline::io {

BasketRange baskets_of(const BranchData& branch, EntryRange entries) {
  if (entries.count == 0) return {};
  const auto first =
      std::partition_point(branch.baskets.begin(), branch.baskets.end(),
                           [&](const TreeBasket& basket) { return basket.end_entry() <= entries.first; });
  const auto end = std::partition_point(first, branch.baskets.end(), [&](const TreeBasket& basket) {
    return basket.first_entry < entries.end();
  });
  return {static_cast<std::size_t>(first - branch.baskets.begin()),
          static_cast<std::size_t>(end - branch.baskets.begin())};
}

void TreeBaskets::set_slices(const std::vector<EntryRange>& slices) {
  const std::lock_guard lock(mutex_);
  slices_ = slices;
  is_closed_.assign(slices.size(), false);
}

std::vector<std::shared_ptr<SharedBasket>> TreeBaskets::acquire(std::uint32_t branch, EntryRange entries,
                                                                std::vector<BasketClaim>& claims) {
  if (before_acquiring_) before_acquiring_(branch);
  std::vector<std::shared_ptr<SharedBasket>> acquired;
  const BasketRange wanted = baskets_of(tree_.branch_data[branch], entries);
  const std::lock_guard lock(mutex_);
  for (std::size_t number = wanted.begin; number < wanted.end; ++number) {
    std::shared_ptr<SharedBasket>& basket = branches_[branch].baskets[number];
    if (!basket) {
      basket = std::make_shared<SharedBasket>(columns_of_[branch]);
      by_end_.emplace(tree_.branch_data[branch].baskets[number].end_entry(), BasketNumber{branch, number});
      claims.push_back({{branch, number}, basket});
    }
    acquired.push_back(basket);
  }
  return acquired;
}

// Whether all slices with entries of a range are closed.
bool TreeBaskets::are_closed(EntryRange entries) const {
  auto slice = std::partition_point(slices_.begin(), slices_.end(),
                                    [&](const EntryRange& each) { return each.end() <= entries.first; });
  for (; slice != slices_.end() && slice->first < entries.end(); ++slice)
    if (!is_closed_[static_cast<std::size_t>(slice - slices_.begin())]) return false;
  return true;
}

void TreeBaskets::close(std::size_t slice) {
  std::vector<std::shared_ptr<SharedBasket>> forgotten;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  is_closed_[slice] = true;
  const EntryRange closed = slices_[slice];
  for (auto place = by_end_.upper_bound(closed.first); place != by_end_.end();) {
    const BasketNumber which = place->second;
    const TreeBasket& basket = tree_.branch_data[which.branch].baskets[which.number];
    const bool is_of_slice = basket.first_entry < closed.end();
    if (!is_of_slice || !are_closed({basket.first_entry, basket.num_entries})) {
      ++place;
      continue;
    }
    auto& of_branch = branches_[which.branch].baskets;
    const auto found = of_branch.find(which.number);
    forgotten.push_back(std::move(found->second));
    of_branch.erase(found);
    place = by_end_.erase(place);
  }
}

void TreeBaskets::use(BasketNumber which, bool is_verified) {
  const std::lock_guard lock(mutex_);
  std::vector<bool>& is_used = branches_[which.branch].is_used;
  is_used.resize(tree_.branch_data[which.branch].baskets.size());
  if (is_used[which.number]) return;
  is_used[which.number] = true;
  (is_verified ? used_.bytes_verified : used_.bytes_unverified) +=
      tree_.branch_data[which.branch].baskets[which.number].size;
  used_.num_unverified += is_verified ? 0 : 1;
}

TreeBaskets::Used TreeBaskets::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

TreeBaskets::Unused TreeBaskets::unused(std::uint32_t branch, EntryRange entries) const {
  Unused unused;
  const BasketRange all = baskets_of(tree_.branch_data[branch], entries);
  const std::lock_guard lock(mutex_);
  const auto read = branches_.find(branch);
  for (std::size_t number = all.begin; number < all.end; ++number) {
    if (read != branches_.end() && number < read->second.is_used.size() && read->second.is_used[number])
      continue;
    ++unused.count;
    unused.bytes += tree_.branch_data[branch].baskets[number].size;
  }
  return unused;
}

}  // namespace skimline::io
