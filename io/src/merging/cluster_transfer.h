// SPDX-License-Identifier: BSD-3-Clause
// Gets the bytes of clusters from the inputs of a merge into its output.
#pragma once

#include "rntuple/cluster_joining.h"
#include "rntuple/cluster_layout.h"

#include "skimline/io/input_file.h"
#include "skimline/io/merge_options.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace skimline::io {

/// A cluster with its place in the output.
struct PlacedCluster {
  const InputFile* source = nullptr;  ///< of what is carried
  ClusterPlace place;                 ///< in the source
  MergeMethod method = MergeMethod::kCopy;
  ClusterLayout layout;
  std::vector<ReservedCluster> rooms;  ///< by blob

  /// Where a byte of the cluster is in the file.
  std::uint64_t offset_of(std::uint64_t byte) const;
};

class ClusterTransfer {
 public:
  /// The file must outlive the transfer. `verifies` says whether the checksums of all pages are compared; if
  /// not given, those of pages that are copied are.
  ClusterTransfer(RootFileWriter& file, std::optional<bool> verifies, bool requires_checksums)
      : file_(file), verifies_(verifies), requires_checksums_(requires_checksums) {}

  /// Whether the storage can share blocks of the input with the output. Not thread-safe.
  bool can_share(const InputFile& source);

  /// Reserves room for the blobs of a cluster. Calls must not overlap.
  void reserve(PlacedCluster& cluster);

  /// Writes what reserve() made room for, and says in `method` how, if the storage could not do as it should.
  /// Thread-safe. Throws FileError.
  void write(PlacedCluster& cluster);

  const PageCounts& counts() const { return counts_; }
  PageCounts& counts() { return counts_; }

 private:
  void share(PlacedCluster& cluster);
  void copy_by_system(PlacedCluster& cluster);
  void copy(const PlacedCluster& cluster);
  void verify(const PlacedCluster& cluster);
  std::size_t verify_extent(const PlacedCluster& cluster, const SourceExtent& extent, std::size_t first_page,
                            std::span<const std::byte> bytes);

  RootFileWriter& file_;
  std::optional<bool> verifies_;
  bool requires_checksums_;
  PageCounts counts_;
  std::map<std::uint64_t, bool> shares_with_;  // by device
};

}  // namespace skimline::io
