// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/cluster_begins.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr std::size_t kMaxClusters = 1'000'000;

// Appends those from `begin` to `end`. Returns false if there are too many.
bool append_clusters(std::uint64_t begin, std::uint64_t end, std::int64_t size,
                     std::vector<std::uint64_t>& begins) {
  if (begin >= end) return true;
  const std::uint64_t step = size > 0 ? static_cast<std::uint64_t>(size) : end - begin;
  if ((end - begin - 1) / step >= kMaxClusters - begins.size()) return false;
  for (; begin < end; begin += std::min(step, end - begin)) begins.push_back(begin);
  return true;
}

}  // namespace

std::vector<std::uint64_t> cluster_begins(std::span<const EqualClusters> ranges, std::int64_t last_size,
                                          std::uint64_t num_entries) {
  if (num_entries == 0) return {};
  std::vector<std::uint64_t> begins;
  std::uint64_t begin = 0;
  for (const EqualClusters& range : ranges) {
    if (range.last_entry < 0 || static_cast<std::uint64_t>(range.last_entry) + 1 < begin) return {0};
    const std::uint64_t end = std::min(static_cast<std::uint64_t>(range.last_entry) + 1, num_entries);
    if (!append_clusters(begin, end, range.size, begins)) return {0};
    begin = std::max(begin, end);
  }
  if (!append_clusters(begin, num_entries, last_size, begins)) return {0};
  return begins;
}

}  // namespace skimline::io
