// SPDX-License-Identifier: BSD-3-Clause
// Ascending choices of a few elements of a list, in lexical order.
#pragma once

#include "expression/kernel.h"
#include "expression/list_elements.h"
#include "expression/list_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace skimline {

/// How many ascending choices of `count` out of `size` elements there are: the binomial coefficient, or a
/// number beyond `limit`.
constexpr std::uint64_t num_subsets(std::uint64_t size, std::uint64_t count, std::uint64_t limit) {
  if (size < count) return 0;
  count = count < size - count ? count : size - count;
  std::uint64_t number = 1;
  for (std::uint64_t i = 1; i <= count; ++i) {
    // Exact: number * (size - count + i) is divisible by i. Larger numbers would overflow, and are refused.
    if (number > limit) return number;
    number = number * (size - count + i) / i;
  }
  return number;
}

/// The same of pairs or triples of a list that has as many elements; beyond 2^20, some number beyond any
/// limit.
template <int kCount>
std::uint64_t num_subsets(std::uint32_t size) {
  static_assert(kCount == 2 || kCount == 3);
  const std::uint64_t n = std::min(size, std::uint32_t{1} << 20);
  return kCount == 2 ? n * (n - 1) / 2 : n * (n - 1) * (n - 2) / 6;
}

/// Whether lists with fewer elements than are combined have no combinations: those of objects. In expressions
/// that is a fault. The type of their number says which is meant, so that both are operations of their own.
inline bool allows_none(const ColumnView& count) { return count.type.scalar == ScalarType::kInt64; }

/// Throws EntryFault if a list has fewer elements than are combined.
inline void check_can_combine(std::size_t entry, std::uint64_t size, std::uint64_t count) {
  if (size < count)
    throw EntryFault{entry, "combinations of " + std::to_string(count) + " elements of a list of size " +
                                std::to_string(size)};
}

/// Calls `row(prefix, begin)` for all choices of the first kCount - 1 members, in order: the last member is
/// then each of `begin` .. `size`.
template <int kCount, typename Row>
[[gnu::always_inline]] inline void for_each_row(std::uint32_t size, const Row& row) {
  static_assert(kCount == 2 || kCount == 3);
  for (std::uint32_t i = 0; i + 1 < size; ++i) {
    if constexpr (kCount == 2) {
      row(std::array{i}, i + 1);
    } else {
      for (std::uint32_t j = i + 1; j + 1 < size; ++j) row(std::array{i, j}, j + 1);
    }
  }
}

/// The members of choice number `rank`, which must exist.
template <int kCount>
std::array<std::uint32_t, kCount> subset_at(std::uint32_t size, std::uint64_t rank) {
  static_assert(kCount == 2 || kCount == 3);
  std::array<std::uint32_t, kCount> members{};
  std::uint32_t first = 0;
  if constexpr (kCount == 3) {
    for (;; ++first) {
      const std::uint64_t rest = size - 1 - first;
      if (rank < rest * (rest - 1) / 2) break;
      rank -= rest * (rest - 1) / 2;
    }
    members[0] = first++;
  }
  for (; rank >= size - 1 - first; ++first) rank -= size - 1 - first;
  members[kCount - 2] = first;
  members[kCount - 1] = first + 1 + static_cast<std::uint32_t>(rank);
  return members;
}

/// The lists of values and the lists that are combined, which need not have equal sizes.
template <int kCount>
class SubsetArguments {
 public:
  SubsetArguments(const ColumnView& values, const ColumnView& combined, bool allows_none)
      : values_(values), combined_(combined), allows_none_(allows_none) {}

  std::uint32_t size(std::size_t entry) const { return size_at(combined_, entry); }
  std::uint32_t first(std::size_t entry) const { return values_.offsets[entry]; }

  /// How many subsets there are. Throws if there are too few elements, unless that is allowed, or no values
  /// for the members up to number `last_member`.
  std::uint64_t number(std::size_t entry, std::uint32_t last_member) const {
    const std::uint32_t combined = size(entry), available = size_at(values_, entry);
    if (allows_none_ && combined < kCount) return 0;
    check_can_combine(entry, combined, kCount);
    for (std::uint32_t member = 0; member <= last_member; ++member)
      if (combined - kCount + member >= available)
        refuse_index(entry, std::max(available, member), available);
    return num_subsets<kCount>(combined);
  }

  /// The offsets of a list with an element for each subset.
  const std::uint32_t* lay_out(const KernelCall& call, std::uint32_t last_member) const {
    ListLayout layout(call.results.offsets, call.length);
    for (std::size_t entry = 0; entry < call.length; ++entry) layout.add(entry, number(entry, last_member));
    return layout.offsets();
  }

  /// The members of subset number `rank`.
  std::array<std::uint32_t, kCount> at(std::size_t entry, std::int64_t rank,
                                       std::uint32_t last_member) const {
    const std::uint64_t available = number(entry, last_member);
    if (static_cast<std::uint64_t>(rank) >= available) refuse_index(entry, rank, available);
    return subset_at<kCount>(size(entry), static_cast<std::uint64_t>(rank));
  }

 private:
  const ColumnView& values_;
  const ColumnView& combined_;
  bool allows_none_;
};

}  // namespace skimline
