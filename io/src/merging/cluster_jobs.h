// SPDX-License-Identifier: BSD-3-Clause
// Which clusters of the inputs of a merge, whole or cut, become one cluster of its output.
#pragma once

#include "merging/cluster_transfer.h"
#include "rntuple/cluster_columns.h"
#include "rntuple/cluster_cuts.h"
#include "rntuple/cluster_joining.h"

#include "skimline/io/input_file.h"
#include "skimline/io/merge_options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// An RNTuple of one file.
struct NTupleInput {
  std::unique_ptr<InputFile> file;
  RNTupleDescriptor descriptor;
  std::size_t schema = 0;  ///< its number in the union
};

/// Returns the next input, or nullptr behind the last one.
using NextNTupleInput = std::function<std::shared_ptr<const NTupleInput>()>;

/// A cluster of an input, or entries of it.
struct ClusterPart {
  std::shared_ptr<const NTupleInput> input;
  std::size_t cluster = 0;
  std::vector<ClusterColumn> columns;
  std::vector<CompressionSetting> compressions;
  std::uint64_t bytes = 0;  ///< in memory
  std::uint64_t first_entry = 0, num_entries = 0;
  std::shared_ptr<const ClusterCuts> cuts;  ///< once entries of it have been taken
  std::optional<EntriesOfCluster> chosen;   ///< all if not set

  const ClusterDescriptor& descriptor() const { return input->descriptor.clusters[cluster]; }
  /// Of the parts of a cluster one does.
  bool begins_cluster() const { return first_entry == 0; }
};

/// A cluster of the output.
struct ClusterJob {
  std::vector<ClusterPart> parts;
  bool is_rewritten = false;  ///< else it is the only part, as it is stored
  PlacedCluster placed;
  std::uint64_t hash = 0;

  /// Clusters of the inputs that begin here.
  std::uint64_t num_begun() const;
};

/// Clusters that take no more in memory than a bound are cut anew where at least two of them follow each
/// other: each new one takes as many entries as the bound allows. It depends on nothing but these entries, so
/// that it does not matter in which clusters earlier merges have left them. Larger ones stay; where all is to
/// be rewritten, all are cut anew.
class ClusterJobs {
 public:
  /// All must outlive the jobs.
  ClusterJobs(const std::string& path, const MergeSchema& schema, const MergeOptions& options);

  void begin(const NextNTupleInput& next) { next_input_ = next; }

  /// Returns nullptr behind the last cluster of all inputs; what may be joined with what follows stays.
  /// Throws FileError, Interrupted.
  std::unique_ptr<ClusterJob> next();

  /// Returns what stayed, or nullptr.
  std::unique_ptr<ClusterJob> rest();

  ClusterToJoin to_join(const ClusterPart& part) const;

 private:
  bool may_be_cut(const ClusterPart& part) const;
  bool are_alike(const ClusterPart& first, const ClusterPart& second) const;
  std::unique_ptr<ClusterPart> take_part();
  void find_columns(ClusterPart& part) const;
  std::unique_ptr<ClusterJob> end_run(std::unique_ptr<ClusterPart> next);
  std::unique_ptr<ClusterJob> fill_group(std::unique_ptr<ClusterPart> part);
  std::uint64_t entries_that_fit(ClusterPart& part) const;
  std::unique_ptr<ClusterPart> cut(ClusterPart& part, std::uint64_t num_entries) const;
  std::unique_ptr<ClusterJob> take_group();

  const std::string& path_;
  const MergeSchema& schema_;
  const MergeOptions& options_;
  bool cuts_all_ = false;
  std::uint64_t most_bytes_ = 0;  // of clusters that may be cut; 0 if none is
  NextNTupleInput next_input_;
  std::shared_ptr<const NTupleInput> input_;
  std::size_t cluster_ = 0;            // of the input
  std::unique_ptr<ClusterPart> held_;  // comes next
  std::vector<ClusterPart> group_;     // begins a cluster
  std::uint64_t group_bytes_ = 0;
  bool has_several_ = false;  // whether the clusters that are cut anew together are more than one
};

}  // namespace skimline::io
