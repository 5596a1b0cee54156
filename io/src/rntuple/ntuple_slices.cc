// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/ntuple_slices.h"

#include "columns/equal_slices.h"

#include <algorithm>

namespace skimline::io {

NTupleSlices::NTupleSlices(const InputOptions& options) : options_(options) {
  if (options.slice_entries == 0 || options.slice_bytes == 0)
    throw ConfigError("slices must have at least one entry");
}

// The entries of a cluster that are to be read, counted from its start.
EntryRange NTupleSlices::wanted_of(const OpenNTuple& file, const ClusterDescriptor& cluster) const {
  if (!restriction_) return {0, cluster.num_entries};
  const std::uint64_t begin = file.first_entry() + cluster.first_entry;
  const std::uint64_t end = begin + cluster.num_entries;
  const std::uint64_t first = std::clamp(restriction_->first, begin, end);
  const std::uint64_t last = std::clamp(restriction_->end(), begin, end);
  return {first - begin, last - first};
}

std::vector<EntryRange> NTupleSlices::of_cluster(const OpenNTuple& file, std::size_t number) const {
  const ClusterDescriptor& cluster = file.descriptor().clusters[number];
  const auto num_entries = static_cast<double>(cluster.num_entries);
  const double kept = kept_bytes_per_entry_ * num_entries + file.carried_bytes(cluster);
  const double read = file.expected_bytes(cluster);
  const double full_slices = std::min(std::max(kept / static_cast<double>(options_.slice_bytes),
                                               read / static_cast<double>(options_.slice_read_bytes)),
                                      num_entries);
  const std::uint64_t count = static_cast<std::uint64_t>(full_slices) + 1;
  const std::uint64_t entries = (cluster.num_entries + count - 1) / count;
  return io::cut(wanted_of(file, cluster), std::clamp<std::uint64_t>(entries, 1, options_.slice_entries));
}

void NTupleSlices::cut(const std::vector<std::unique_ptr<OpenNTuple>>& files) {
  slices_.clear();
  places_.clear();
  clusters_.clear();
  std::size_t num_clusters = 0;
  for (const std::unique_ptr<OpenNTuple>& file : files)
    for (std::size_t cluster = 0; cluster < file->descriptor().clusters.size(); ++cluster, ++num_clusters) {
      const std::uint64_t first = file->first_entry() + file->descriptor().clusters[cluster].first_entry;
      const std::vector<EntryRange> ranges = of_cluster(*file, cluster);
      for (std::size_t number = 0; number < ranges.size(); ++number) {
        slices_.push_back({first + ranges[number].first, ranges[number].count});
        places_.push_back({file->number(), cluster, number});
        clusters_.push_back(num_clusters);
      }
    }
}

}  // namespace skimline::io
