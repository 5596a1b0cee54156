// SPDX-License-Identifier: BSD-3-Clause
// Ascending choices of a few elements of a list, in lexical order.
#pragma once

#include "expression/kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace skimline {

/// How many ascending choices of `count` out of `size` elements there are: the binomial coefficient, or a
/// number beyond `limit`.
inline std::uint64_t num_subsets(std::uint64_t size, std::uint64_t count, std::uint64_t limit) {
  count = count < size - count ? count : size - count;
  std::uint64_t number = 1;
  for (std::uint64_t i = 1; i <= count; ++i) {
    // Exact: number * (size - count + i) is divisible by i. Larger numbers would overflow, and are refused.
    if (number > limit) return number;
    number = number * (size - count + i) / i;
  }
  return number;
}

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

}  // namespace skimline
