// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/open_clusters.h"

#include "skimline/io/input_file.h"

#include <algorithm>
#include <utility>

namespace skimline::io {

OpenClusters::OpenClusters(const std::vector<std::unique_ptr<OpenNTuple>>& files, const NTupleSlices& slices,
                           bool releases_files)
    : files_(files), slices_(slices), releases_files_(releases_files), clusters_(files.size()) {}

const std::shared_ptr<ClusterPages>& OpenClusters::pages_of(const SlicePlace& place) {
  const OpenNTuple& file = *files_[place.file];
  Clusters& clusters = clusters_[place.file];
  std::shared_ptr<ClusterPages>& pages = clusters.open[place.cluster];
  if (!pages) {
    const bool is_read = place.cluster < clusters.is_read.size() && clusters.is_read[place.cluster];
    pages = {new ClusterPages(file.descriptor(), file.fields().streams, place.cluster,
                              slices_.of_cluster(file, place.cluster)),
             [this, is_read, &file](ClusterPages* done) {
               if (!is_read) count_verified(file, *done);
               delete done;
             }};
  }
  return pages;
}

std::shared_ptr<ClusterPages> OpenClusters::open(const SlicePlace& place) {
  const std::lock_guard lock(mutex_);
  ++clusters_[place.file].num_readers;
  return pages_of(place);
}

std::shared_ptr<ClusterPages> OpenClusters::peek(const SlicePlace& place) {
  const std::lock_guard lock(mutex_);
  return pages_of(place);
}

void OpenClusters::close(const SlicePlace& place) {
  const std::lock_guard lock(mutex_);
  Clusters& clusters = clusters_[place.file];
  const auto found = clusters.open.find(place.cluster);
  if (found != clusters.open.end() && found->second->close(place.number)) {
    note_read(clusters, place.cluster, *found->second);
    clusters.open.erase(found);
    if (clusters.num_read == files_[place.file]->descriptor().clusters.size())
      files_[place.file]->root().input().drop_ends();
  }
  if (--clusters.num_readers == 0 && releases_files_) files_[place.file]->root().input().release();
}

// Slices may be read again: what a cluster had of use the first time is what counts.
void OpenClusters::note_read(Clusters& clusters, std::size_t cluster, ClusterPages& pages) {
  if (clusters.is_read.size() <= cluster) clusters.is_read.resize(cluster + 1);
  if (clusters.is_read[cluster]) return;
  clusters.is_read[cluster] = true;
  ++clusters.num_read;
  StoredPages used, verified;
  pages.add_used(used, verified);
  const PageTotal total = std::move(used).total();
  pages_used_ += total.count;
  bytes_used_ += total.bytes;
}

// Once nobody needs the pages: sinks verify those that they copy after the slices are closed.
void OpenClusters::count_verified(const OpenNTuple& file, ClusterPages& pages) {
  StoredPages used, verified;
  pages.add_used(used, verified);
  const std::uint64_t all = std::move(used).total().bytes;
  const std::uint64_t bytes = file.checksums() ? all : std::move(verified).total().bytes;
  bytes_verified_ += bytes;
  bytes_unverified_ += all - bytes;
}

void OpenClusters::add_to(ReadStatistics& statistics,
                          const std::function<bool(std::size_t)>& is_loaded) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const std::vector<bool> is_used = files_[file]->used_streams(is_loaded);
    for (std::size_t cluster = 0; cluster < clusters_[file].is_read.size(); ++cluster) {
      if (!clusters_[file].is_read[cluster]) continue;
      const PageTotal pages = files_[file]->used_pages(is_used, cluster).total();
      statistics.pages_skipped += pages.count;
      statistics.bytes_skipped += pages.bytes;
    }
  }
  statistics.pages_skipped -= std::min(statistics.pages_skipped, pages_used_);
  statistics.bytes_skipped -= std::min(statistics.bytes_skipped, bytes_used_);
  statistics.bytes_verified = bytes_verified_;
  statistics.bytes_unverified = bytes_unverified_;
}

}  // namespace skimline::io
