// SPDX-License-Identifier: BSD-3-Clause
// One RNTuple out of those of several files, cluster by cluster.
#pragma once

#include "merging/cluster_jobs.h"
#include "merging/cluster_transfer.h"
#include "rntuple/cluster_columns.h"
#include "rntuple/ntuple_metadata_writer.h"
#include "storage/buffer_pool.h"

#include "skimline/io/input_file.h"
#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// Clusters lie in the output in the order of the inputs; where, depends on their pages only. Holds a few
/// clusters at a time.
class NTupleMerge {
 public:
  /// Writes the header. The file and the options must outlive the merge.
  NTupleMerge(RootFileWriter& file, std::string path, MergeSchema schema, const MergeOptions& options);

  /// Appends all entries of the inputs, on the threads of the current arena. `done` is told how many clusters
  /// got in at a time. Throws FileError if an input is damaged, ConfigError if the method that is asked for
  /// is not possible, Interrupted.
  void append(const NextNTupleInput& next, const std::function<void(std::uint64_t)>& done);

  /// Writes what is left, and page lists, footer and anchor.
  MergedNTuple finish();

  /// A hash of the schema, of the layout of all pages and of the content of many. Valid after finish().
  std::uint64_t content_hash() const { return hash_; }

 private:
  void run(const std::function<std::unique_ptr<ClusterJob>()>& take,
           const std::function<void(std::uint64_t)>& done);
  bool must_be_rewritten(const ClusterJob& job) const;
  void make_layout(ClusterJob& job);
  void make_joined(ClusterJob& job);
  void place(ClusterJob& job);
  void note(const ClusterJob& job);
  MergeMethod method_for(const InputFile& source);

  const std::string path_;
  const MergeSchema schema_;
  const MergeOptions& options_;
  BufferPool pool_;
  ZeroPages zeros_;
  ClusterTransfer transfer_;
  NTupleMetadataWriter metadata_;
  ClusterJobs jobs_;
  std::vector<std::uint32_t> first_columns_;    // of the first representation, by column
  std::vector<std::uint64_t> elements_before_;  // by column of a first representation
  MergedNTuple merged_;
  std::uint64_t hash_ = 0;
};

}  // namespace skimline::io
