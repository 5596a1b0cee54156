// SPDX-License-Identifier: BSD-3-Clause
// Clusters of several inputs as one: their pages decoded, put one behind the other, and encoded anew.
#pragma once

#include "rntuple/cluster_columns.h"
#include "rntuple/cluster_layout.h"
#include "rntuple/page_sealer.h"
#include "storage/buffer_pool.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/io/compression.h"
#include "skimline/io/input_file.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// Where a cluster is, for messages.
struct ClusterPlace {
  std::string ntuple;
  std::uint64_t cluster = 0;  ///< of the file
  std::uint64_t first_entry = 0;
};

/// How well the pages that were read are known to be sound.
struct PageCounts {
  std::atomic<std::uint64_t> verified{0}, without_checksum{0}, bytes_read{0};
};

/// An error about the content of a cluster.
FileError cluster_error(const InputFile& file, const ClusterPlace& place, std::uint64_t num_entries,
                        const std::string& problem);

/// A cluster that becomes part of another one.
struct ClusterToJoin {
  const InputFile& file;
  ClusterPlace place;
  const SourceCluster source;
  const std::vector<ClusterColumn>& columns;
};

struct JoinOptions {
  BufferPool& pool;                               ///< must outlive what is joined
  std::optional<CompressionSetting> compression;  ///< if not given, what the first part says of each column
  std::uint64_t page_bytes = 1024 * 1024;         ///< in memory
  StopFlag stop;
};

struct JoinedCluster {
  std::uint64_t num_entries = 0;
  std::vector<ClusterColumn> columns;          ///< by column: what is active, and how many elements
  std::vector<std::vector<SealedPage>> pages;  ///< by column
  std::vector<std::uint32_t> compressions;     ///< by column
};

/// Whether parts can be joined as they are: of each field they have the same representation.
bool have_equal_encodings(const std::vector<ClusterColumn>& first, const std::vector<ClusterColumn>& second);

/// Joins the parts, which have equal encodings, on the threads of the current arena. Reads each file once and
/// releases it. The pages depend on the values only. Throws FileError if a part is damaged, Interrupted.
JoinedCluster join(const MergeSchema& schema, const std::vector<ClusterToJoin>& parts,
                   const JoinOptions& options, PageCounts& counts);

}  // namespace skimline::io
