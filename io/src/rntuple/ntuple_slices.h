// SPDX-License-Identifier: BSD-3-Clause
// The slices of the RNTuples of a source: parts of clusters small enough to be in memory.
#pragma once

#include "rntuple/open_ntuple.h"

#include "skimline/framework/source.h"
#include "skimline/io/input_options.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace skimline::io {

struct SlicePlace {
  std::size_t file = 0;
  std::size_t cluster = 0;
  std::size_t number = 0;  ///< in the cluster
};

class NTupleSlices {
 public:
  /// Throws ConfigError for sizes that slices cannot have. The options must outlive it.
  explicit NTupleSlices(const InputOptions& options);

  /// Leaves only these entries.
  void restrict_to(EntryRange entries) { restriction_ = entries; }
  const std::optional<EntryRange>& restriction() const { return restriction_; }
  /// Bytes for an entry of what is computed and kept until it is written, in the mean.
  void keep(double bytes_per_entry) { kept_bytes_per_entry_ = bytes_per_entry; }

  void cut(const std::vector<std::unique_ptr<OpenNTuple>>& files);

  const std::vector<EntryRange>& all() const { return slices_; }
  /// The number of the cluster of a slice, of all files.
  std::size_t cluster_of(std::size_t slice) const { return clusters_[slice]; }
  const SlicePlace& place(std::size_t slice) const { return places_.at(slice); }

  /// The slices of a cluster, counted from its start.
  std::vector<EntryRange> of_cluster(const OpenNTuple& file, std::size_t cluster) const;

 private:
  EntryRange wanted_of(const OpenNTuple& file, const ClusterDescriptor& cluster) const;

  const InputOptions& options_;
  std::optional<EntryRange> restriction_;
  double kept_bytes_per_entry_ = 0;
  std::vector<EntryRange> slices_;
  std::vector<SlicePlace> places_;
  std::vector<std::size_t> clusters_;  // by slice
};

}  // namespace skimline::io
