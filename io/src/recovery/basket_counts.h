// SPDX-License-Identifier: BSD-3-Clause
// What leaves say about all their values, of baskets that nobody has counted.
#pragma once

#include "ttree/basket_entries.h"

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <unordered_set>

namespace skimline::io {

/// What a tree keeps of the values of a branch, since readers make room by it.
enum class KeptOfValues { kNothing, kLargestCount, kLongestText };

/// The leaves whose values are the sizes of others.
std::unordered_set<std::uint32_t> counters_in(const TreeDescriptor& tree);

/// What is kept of those of a branch. Throws FormatError if that is the largest value of a leaf among others.
KeptOfValues kept_of(const TreeDescriptor& tree, std::uint32_t branch,
                     const std::unordered_set<std::uint32_t>& counters);

/// Returns the largest value of a counter in a basket, or the room for its longest text. Throws FormatError
/// if entries are too short for one, or a count is negative.
std::int64_t largest_in(const TreeDescriptor& tree, std::uint32_t branch, KeptOfValues kept,
                        const BasketEntries& entries);

}  // namespace skimline::io
