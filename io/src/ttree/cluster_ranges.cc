// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/cluster_ranges.h"

#include <algorithm>

namespace skimline::io {

ClusterRanges ranges_of(std::span<const std::uint64_t> clusters) {
  ClusterRanges ranges;
  std::uint64_t end = 0, size = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const bool is_rest = i + 1 == clusters.size() && i > 0 && clusters[i] <= size;
    if (i > 0 && clusters[i] != size && !is_rest) {
      ranges.last_entries.push_back(static_cast<std::int64_t>(end) - 1);
      ranges.sizes.push_back(static_cast<std::int64_t>(size));
    }
    if (!is_rest) size = clusters[i];
    end += clusters[i];
  }
  if (!clusters.empty()) ranges.size_behind = static_cast<std::int64_t>(size);
  return ranges;
}

std::size_t slots_for(std::size_t num_baskets) {
  constexpr std::size_t kLeast = 10;
  return std::max(num_baskets + 1, kLeast);
}

}  // namespace skimline::io
