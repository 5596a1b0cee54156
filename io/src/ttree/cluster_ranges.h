// SPDX-License-Identifier: BSD-3-Clause
// How a TTree says where its clusters begin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skimline::io {

/// What ROOT has where nobody knows: so many bytes after which it flushes if entries are added.
constexpr std::int64_t kUnknownClusterSize = -30'000'000;

/// Clusters as ranges of entries in which they have equal sizes, and the size behind the last range.
struct ClusterRanges {
  std::vector<std::int64_t> last_entries, sizes;
  std::int64_t size_behind = kUnknownClusterSize;
};

/// `clusters` are the numbers of entries.
ClusterRanges ranges_of(std::span<const std::uint64_t> clusters);

/// Slots in the lists of baskets of a branch: the entry behind the last basket is listed too.
std::size_t slots_for(std::size_t num_baskets);

}  // namespace skimline::io
