// SPDX-License-Identifier: BSD-3-Clause
// An RNTuple being written: its header, the clusters committed so far, and in the end page lists and footer.
#pragma once

#include "rntuple/ntuple_metadata_writer.h"
#include "rntuple/output_schema.h"
#include "rntuple/page_sealer.h"

#include "skimline/io/compression.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/writer_settings.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::io {

/// The pages of a cluster and their place in the file.
struct WriteJob {
  ReservedCluster room;
  std::vector<SealedBytes> pages;
};

/// Throws SchemaError if no RNTuple may be called so.
void check_ntuple_name(const std::string& name);
/// Throws ConfigError for a size that no page may have.
void check_page_bytes(std::uint64_t bytes);

/// A complete cluster.
class SealedCluster {
 public:
  /// Takes pages by physical column, in element order, and how each column is compressed. Finds pages with
  /// equal bytes, which are stored once.
  SealedCluster(ClusterEnd end, std::vector<std::vector<SealedPage>> pages,
                std::vector<CompressionSetting> compressions);

  const ClusterEnd& end() const { return end_; }
  /// As they are stored, equal pages once.
  std::uint64_t num_bytes() const;

 private:
  friend class RNTupleOutput;
  using Numbers = std::unordered_multimap<std::uint64_t, std::size_t>;  // of stored pages, by checksum
  std::size_t number_of(const SealedPage& page, Numbers& numbers);

  ClusterEnd end_;
  std::vector<std::vector<SealedPage>> pages_;
  std::vector<CompressionSetting> compressions_;
  std::vector<SealedBytes> stored_;
  std::vector<std::size_t> stored_number_;  // by page, in the order of the page list
};

struct RNTupleOutputOptions {
  std::string ntuple_name;  ///< with the directories it lies in
  std::string description;
  CompressionSetting metadata_compression;
  std::vector<std::string> extra_type_info;
};

/// Returns the options of a writer if they can be honoured. Throws SchemaError if no RNTuple may be called
/// so, ConfigError for an impossible size of pages.
template <typename Options>
Options checked(Options options) {
  check_ntuple_name(options.ntuple_name);
  check_page_bytes(options.settings.sizes(kRNTupleSizes).page_bytes);
  return options;
}

/// Calls must not overlap, but for write().
class RNTupleOutput {
 public:
  /// Writes the header. The file must outlive the output.
  RNTupleOutput(RootFileWriter& file, OutputSchema schema, RNTupleOutputOptions options);

  const OutputSchema& schema() const { return schema_; }

  /// Assigns entry numbers and offsets to a cluster and appends what write() has to write.
  void commit(SealedCluster&& sealed, std::vector<WriteJob>& jobs);

  /// Writes the bytes of a committed cluster. Thread-safe.
  void write(const WriteJob& job);

  /// Writes page lists, footer and anchor. Returns a hash of schema and pages.
  std::uint64_t finish();

  std::uint64_t num_entries() const { return num_entries_; }
  std::uint64_t num_clusters() const { return metadata_.num_clusters(); }
  std::uint64_t num_pages() const { return num_pages_; }

 private:
  std::vector<std::uint64_t> place_pages(std::vector<SealedBytes> pages, std::vector<WriteJob>& jobs);
  RNTupleDescriptor descriptor() const;

  RootFileWriter& file_;
  OutputSchema schema_;
  RNTupleOutputOptions options_;
  std::vector<std::uint64_t> elements_before_;  // in committed clusters, by physical column
  NTupleMetadataWriter metadata_;
  std::uint64_t page_hash_ = 0;
  std::uint64_t num_entries_ = 0;
  std::uint64_t num_pages_ = 0;
};

}  // namespace skimline::io
