// SPDX-License-Identifier: BSD-3-Clause
// The clusters of RNTuples that are being read, and what reading them has cost and spared.
#pragma once

#include "rntuple/cluster_pages.h"
#include "rntuple/ntuple_slices.h"
#include "rntuple/open_ntuple.h"

#include "skimline/framework/source.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace skimline::io {

/// Thread-safe.
class OpenClusters {
 public:
  /// Files are closed once no slice of them is read if `releases_files`.
  OpenClusters(const std::vector<std::unique_ptr<OpenNTuple>>& files, const NTupleSlices& slices,
               bool releases_files);

  /// Returns the pages of the cluster of a slice, for all slices that are open. close() must follow.
  std::shared_ptr<ClusterPages> open(const SlicePlace& place);
  void close(const SlicePlace& place);
  /// The same pages, for what is done before a slice is opened.
  std::shared_ptr<ClusterPages> peek(const SlicePlace& place);

  /// Adds what was verified, and the pages that a run could have needed and did not: those of columns for
  /// which `is_loaded`.
  void add_to(ReadStatistics& statistics, const std::function<bool(std::size_t)>& is_loaded) const;

 private:
  struct Clusters {
    std::vector<bool> is_read;  // by cluster: all slices were opened and closed
    std::size_t num_read = 0;   // of these
    std::size_t num_readers = 0;
    std::map<std::size_t, std::shared_ptr<ClusterPages>> open;
  };
  const std::shared_ptr<ClusterPages>& pages_of(const SlicePlace& place);
  void note_read(Clusters& clusters, std::size_t cluster, ClusterPages& pages);
  void count_verified(const OpenNTuple& file, ClusterPages& pages);

  const std::vector<std::unique_ptr<OpenNTuple>>& files_;
  const NTupleSlices& slices_;
  bool releases_files_;
  mutable std::mutex mutex_;
  std::uint64_t pages_used_ = 0, bytes_used_ = 0;  // decoded or passed
  std::atomic<std::uint64_t> bytes_verified_{0}, bytes_unverified_{0};
  std::vector<Clusters> clusters_;  // by file
};

}  // namespace skimline::io
