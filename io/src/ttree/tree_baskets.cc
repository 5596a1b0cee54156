// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_baskets.h"

#include <algorithm>

namespace skimline::io {

BasketRange baskets_of(const TreeBranch& branch, EntryRange entries) {
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
  num_closed_ = 0;
}

std::vector<std::shared_ptr<SharedBasket>> TreeBaskets::acquire(std::uint32_t branch, EntryRange entries,
                                                                std::vector<BasketClaim>& claims) {
  std::vector<std::shared_ptr<SharedBasket>> acquired;
  const BasketRange wanted = baskets_of(tree_.branches[branch], entries);
  const std::lock_guard lock(mutex_);
  for (std::size_t number = wanted.begin; number < wanted.end; ++number) {
    std::shared_ptr<SharedBasket>& basket = branches_[branch].baskets[number];
    if (!basket) {
      basket = std::make_shared<SharedBasket>(columns_of_[branch]);
      by_end_.emplace(tree_.branches[branch].baskets[number].end_entry(), BasketNumber{branch, number});
      claims.push_back({{branch, number}, basket});
    }
    acquired.push_back(basket);
  }
  return acquired;
}

void TreeBaskets::close(std::size_t slice) {
  std::vector<std::shared_ptr<SharedBasket>> forgotten;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  is_closed_[slice] = true;
  while (num_closed_ < slices_.size() && is_closed_[num_closed_]) ++num_closed_;
  const std::uint64_t end = num_closed_ < slices_.size() ? slices_[num_closed_].first : slices_.back().end();
  const bool is_done = num_closed_ == slices_.size();
  while (!by_end_.empty() && (is_done || by_end_.begin()->first <= end)) {
    const BasketNumber which = by_end_.begin()->second;
    const auto found = branches_[which.branch].baskets.find(which.number);
    forgotten.push_back(std::move(found->second));
    branches_[which.branch].baskets.erase(found);
    by_end_.erase(by_end_.begin());
  }
}

void TreeBaskets::use(BasketNumber which, bool is_verified) {
  const std::lock_guard lock(mutex_);
  std::vector<bool>& is_used = branches_[which.branch].is_used;
  is_used.resize(tree_.branches[which.branch].baskets.size());
  if (is_used[which.number]) return;
  is_used[which.number] = true;
  (is_verified ? used_.bytes_verified : used_.bytes_unverified) +=
      tree_.branches[which.branch].baskets[which.number].size;
  used_.num_unverified += is_verified ? 0 : 1;
}

TreeBaskets::Used TreeBaskets::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

TreeBaskets::Unused TreeBaskets::unused(std::uint32_t branch, EntryRange entries) const {
  Unused unused;
  const BasketRange all = baskets_of(tree_.branches[branch], entries);
  const std::lock_guard lock(mutex_);
  const std::vector<bool>& is_used = branches_[branch].is_used;
  for (std::size_t number = all.begin; number < all.end; ++number) {
    if (number < is_used.size() && is_used[number]) continue;
    ++unused.count;
    unused.bytes += tree_.branches[branch].baskets[number].size;
  }
  return unused;
}

}  // namespace skimline::io
