// SPDX-License-Identifier: BSD-3-Clause
// Where the writer of a tree began clusters.
#pragma once

#include "ttree/tree_object.h"

#include <cstdint>
#include <span>
#include <vector>

namespace skimline::io {

/// Returns the first entries of the clusters: of the ranges, then behind them of the last size, if that is
/// positive. A range without a size is one cluster. Only {0} if there are more than a million or the ranges
/// contradict each other; none without entries.
std::vector<std::uint64_t> cluster_begins(std::span<const EqualClusters> ranges, std::int64_t last_size,
                                          std::uint64_t num_entries);

}  // namespace skimline::io
