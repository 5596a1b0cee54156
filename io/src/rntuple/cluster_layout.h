// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of a merged cluster come from, and where they go.
#pragma once

#include "compression/sealed_bytes.h"
#include "rntuple/cluster_columns.h"
#include "rntuple/page_sealer.h"

#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace skimline::io {

/// Bytes of the source. Places in the cluster are counted from its first byte.
struct SourceExtent {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t place = 0;
};

/// A page of the source, in one of the extents.
struct CarriedPage {
  PageInfo page;
  std::uint32_t column = 0;  ///< of the merged RNTuple
};

/// A page that the source does not have.
struct MadePage {
  SealedBytes bytes;
  std::uint64_t place = 0;
};

struct ClusterLayout {
  std::uint64_t num_entries = 0;
  std::vector<ColumnRange> columns;         ///< with places for offsets
  std::vector<std::uint64_t> num_elements;  ///< by column
  std::vector<std::uint64_t> blob_sizes;    ///< of records that follow each other and hold the cluster
  std::uint64_t into_block = 0;             ///< of the first: where it begins, behind a multiple of a block
  std::vector<SourceExtent> extents;        ///< by begin; the pages of each are worth one read
  std::vector<CarriedPage> pages;           ///< by where they are in the source
  std::vector<MadePage> made;
  /// If all bytes from the first page of the source to the last one are taken, with what is between them.
  std::optional<SourceExtent> region;
};

/// Makes pages of zeros. Thread-safe.
class ZeroPages {
 public:
  /// The pool must outlive the pages.
  ZeroPages(const MergeSchema& schema, CompressionSetting compression, BufferPool& pool)
      : schema_(schema), compression_(compression), pool_(pool) {}
  std::vector<SealedPage> make(std::size_t column, std::uint64_t num_elements) const;
  std::uint32_t compression() const { return static_cast<std::uint32_t>(compression_.root_number()); }

 private:
  SealedPage page(std::size_t column, std::uint64_t num_elements) const;

  const MergeSchema& schema_;
  CompressionSetting compression_;
  BufferPool& pool_;
};

/// How pages lie in the output.
enum class Packing {
  kDense,   ///< one directly behind the other
  kShared,  ///< as in the source, if little is between them, so that storage can share them; else dense
};

/// Lays out a cluster that is taken over as it is stored. Throws FormatError.
ClusterLayout layout_of(const SourceCluster& source, const std::vector<ClusterColumn>& columns,
                        const ZeroPages& zeros, Packing packing);

/// Lays out a cluster of pages that are all made; those with equal bytes are stored once. Inactive columns
/// are suppressed.
ClusterLayout layout_of(std::uint64_t num_entries, const std::vector<ClusterColumn>& columns,
                        std::vector<std::vector<SealedPage>> pages,
                        const std::vector<std::uint32_t>& compressions);

}  // namespace skimline::io
