// SPDX-License-Identifier: BSD-3-Clause
// Clusters of several inputs as one: their pages decoded, put one behind the other, and encoded anew.
#pragma once

#include "rntuple/cluster_columns.h"
#include "rntuple/cluster_layout.h"
#include "rntuple/fetched_cluster.h"
#include "rntuple/page_sealer.h"
#include "storage/buffer_pool.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/io/compression.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace skimline::io {

struct JoinOptions {
  BufferPool& pool;                               ///< must outlive what is joined
  std::optional<CompressionSetting> compression;  ///< if not given, it follows from the parts
  std::uint64_t page_bytes = 1024 * 1024;         ///< in memory
  StopFlag stop;
};

struct JoinedCluster {
  std::uint64_t num_entries = 0;
  std::vector<ClusterColumn> columns;          ///< by column: what is active, and how many elements
  std::vector<std::vector<SealedPage>> pages;  ///< by column
  std::vector<std::uint32_t> compressions;     ///< by column
};

/// By column how what is stored of a cluster is compressed; where nothing is, as its first column with pages.
std::vector<CompressionSetting> compressions_of(const std::vector<ClusterColumn>& columns);

/// Whether columns that are compressed so can be joined: each in one way, or both in ways that are chosen by
/// what is in them, as is done anew.
bool have_alike_compressions(const std::vector<CompressionSetting>& first,
                             const std::vector<CompressionSetting>& second);

/// Whether parts can be joined as they are: of each field they have the same representation.
bool have_equal_encodings(const std::vector<ClusterColumn>& first, const std::vector<ClusterColumn>& second);

/// Joins the parts, which have equal encodings, or the chosen entries of them, on the threads of the current
/// arena. Reads each file once and releases it. The pages depend on the values only. Throws FileError if a
/// part is damaged, Interrupted.
JoinedCluster join(const MergeSchema& schema, const std::vector<ClusterToJoin>& parts,
                   const JoinOptions& options, PageCounts& counts);

}  // namespace skimline::io
