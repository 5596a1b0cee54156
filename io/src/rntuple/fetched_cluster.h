// SPDX-License-Identifier: BSD-3-Clause
// What is stored of a cluster of an input, or of some of its entries, in memory.
#pragma once

#include "rntuple/cluster_columns.h"
#include "rntuple/element_range.h"

#include "skimline/io/input_file.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
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

/// Entries of a cluster that follow each other.
struct EntriesOfCluster {
  std::uint64_t num_entries = 0;
  std::vector<ElementRange> elements;  ///< by column
  std::vector<std::uint64_t> ends;     ///< by column: of an index column, the end in front of its elements
};

/// A cluster that becomes part of another one.
struct ClusterToJoin {
  const InputFile& file;
  ClusterPlace place;
  const SourceCluster source;
  const std::vector<ClusterColumn>& columns;
  const EntriesOfCluster* chosen = nullptr;  ///< all entries if null

  std::uint64_t num_entries() const { return chosen ? chosen->num_entries : source.cluster.num_entries; }
  ElementRange elements(std::size_t column) const {
    return chosen ? chosen->elements[column] : ElementRange{0, columns[column].num_elements};
  }
};

/// The pages that hold what a part has of some columns.
class FetchedCluster {
 public:
  FetchedCluster() = default;
  /// Reads them in as few calls as possible and releases the file. Schema and part must outlive this. Throws
  /// FileError.
  FetchedCluster(const MergeSchema& schema, const ClusterToJoin& part, const std::vector<bool>& is_wanted,
                 PageCounts& counts);

  const ClusterToJoin& part() const { return *part_; }

  /// Appends the raw elements of a wanted column, with zeros for those that are not stored. Pages are
  /// verified; each is counted where its first element is wanted. Thread-safe. Throws FormatError.
  void append(std::size_t column, std::vector<std::byte>& elements, PageCounts& counts) const;

 private:
  struct Page {
    PageInfo info;            // its place is that in the bytes
    std::uint64_t first = 0;  // number of its first element among those that are stored
  };

  std::vector<std::uint64_t> choose_pages(std::size_t column, ColumnRange& chosen) const;
  void append_page(const PageEncoding& encoding, const Page& page, ElementRange wanted,
                   std::vector<std::byte>& elements) const;

  const MergeSchema* schema_ = nullptr;
  const ClusterToJoin* part_ = nullptr;
  std::vector<std::vector<Page>> pages_;  // by column
  std::vector<std::byte> bytes_;
};

}  // namespace skimline::io
