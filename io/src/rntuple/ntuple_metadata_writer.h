// SPDX-License-Identifier: BSD-3-Clause
// What an RNTuple has beside its pages, written: header, page lists, footer and anchor.
#pragma once

#include "rntuple/rntuple_serialization.h"

#include "skimline/io/compression.h"
#include "skimline/io/rntuple_descriptor.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::io {

/// The last part of a path in a file.
std::string last_part(const std::string& path);

/// Calls must not overlap. Holds one cluster group at a time.
class NTupleMetadataWriter {
 public:
  /// Writes the header for the schema and the description of `schema`, which is called as `path` ends. The
  /// file must outlive the writer.
  NTupleMetadataWriter(RootFileWriter& file, RNTupleDescriptor schema, std::string path,
                       CompressionSetting compression);

  /// Appends a cluster, with its place among the entries and its elements among those of their columns.
  void add(ClusterDescriptor cluster);

  /// Writes page lists, footer and anchor.
  void finish();

  std::uint64_t num_clusters() const { return num_clusters_; }

  /// A hash of the schema and of where the pages of each column of a cluster are in it. Files that another
  /// version wrote have the same.
  std::uint64_t content_hash() const { return content_hash_; }

 private:
  EnvelopeLink write_envelope(const StoredEnvelope& envelope);
  void write_group();

  RootFileWriter& file_;
  std::string path_;
  CompressionSetting compression_;
  std::uint64_t content_hash_ = 0;
  std::uint64_t header_checksum_ = 0;
  EnvelopeLink header_;
  std::vector<ClusterDescriptor> clusters_;  // of the group that is not full yet
  std::uint64_t num_pages_ = 0;              // of these
  std::uint64_t num_clusters_ = 0;
  std::vector<ClusterGroup> groups_;
};

}  // namespace skimline::io
