// SPDX-License-Identifier: BSD-3-Clause
// The baskets of a tree that are in memory.
#pragma once

#include "ttree/basket_fetcher.h"
#include "ttree/shared_basket.h"

#include "skimline/framework/source.h"
#include "skimline/io/tree_descriptor.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skimline::io {

/// Baskets [begin, end) of a branch.
struct BasketRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Returns those with entries of a range.
BasketRange baskets_of(const BranchData& branch, EntryRange entries);

/// Hands out baskets so that each is read and decoded once, and forgets those that no slice will need.
/// Thread-safe.
class TreeBaskets {
 public:
  /// `columns_of` has the number of columns of each branch. `before_acquiring` is called with each branch of
  /// which baskets are asked for.
  TreeBaskets(const TreeDescriptor& tree, const std::vector<std::size_t>& columns_of,
              std::function<void(std::uint32_t)> before_acquiring = {})
      : tree_(tree), columns_of_(columns_of), before_acquiring_(std::move(before_acquiring)) {}

  /// To be called before the first slice is opened.
  void set_slices(const std::vector<EntryRange>& slices);

  /// Returns the baskets of a branch with these entries; those nobody has asked for yet are added to `claims`
  /// and must be provided or failed by the caller.
  std::vector<std::shared_ptr<SharedBasket>> acquire(std::uint32_t branch, EntryRange entries,
                                                     std::vector<BasketClaim>& claims);

  /// Notes that a slice will load nothing more.
  void close(std::size_t slice);

  /// Notes that a basket is decoded, and whether a checksum proves its bytes.
  void use(BasketNumber which, bool is_verified);

  /// Bytes of the baskets that were decoded, each counted once.
  struct Used {
    std::uint64_t bytes_verified = 0, bytes_unverified = 0;
    std::uint64_t num_unverified = 0;  ///< baskets
  };
  Used used() const;

  /// Number and bytes of the baskets with entries of a range that branches have, and that were not decoded.
  struct Unused {
    std::uint64_t count = 0, bytes = 0;
  };
  Unused unused(std::uint32_t branch, EntryRange entries) const;

 private:
  bool are_closed(EntryRange entries) const;

  struct Branch {
    std::unordered_map<std::size_t, std::shared_ptr<SharedBasket>> baskets;
    std::vector<bool> is_used;
  };

  const TreeDescriptor& tree_;
  const std::vector<std::size_t>& columns_of_;
  std::function<void(std::uint32_t)> before_acquiring_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, Branch> branches_;  // that are read
  std::multimap<std::uint64_t, BasketNumber> by_end_;   // those in memory, by where their entries end
  std::vector<EntryRange> slices_;
  std::vector<bool> is_closed_;
  Used used_;
};

}  // namespace skimline::io
