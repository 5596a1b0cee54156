// SPDX-License-Identifier: BSD-3-Clause
// Where in the payload of a THnSparseT its filled bins are.
#pragma once

#include "histograms/histogram_layout.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Some filled bins: for each its coordinates, packed, and its numbers. Arrays may have numbers left over.
struct SparseChunk {
  PayloadRange coordinates;
  NumberArray contents;
  NumberArray sumw2;  ///< no elements if errors are not kept
  std::size_t num_bins = 0;
};

struct SparseLayout {
  std::string title;
  std::vector<StoredAxis> axes;
  /// Offsets of the doubles that are added: entries, w, w^2, all w x, all w x^2.
  std::vector<std::size_t> sums;
  std::size_t coordinate_size = 0;  ///< bytes for the packed coordinates of one bin
  std::size_t chunk_size = 0;       ///< bins for which a chunk has room
  std::vector<SparseChunk> chunks;
  std::size_t filled_bins = 0;  ///< offset of their number, behind which the chunks come

  std::vector<std::size_t> references;  ///< in front of the chunks
  bool has_opaque = false;
};

/// Throws FormatError as read_layout.
SparseLayout read_sparse_layout(const HistogramClass& kind, std::span<const std::byte> payload,
                                std::size_t key_size);

/// Bits for the bin of each axis in packed coordinates: those of the first axis are the lowest.
std::vector<int> coordinate_bits(const std::vector<StoredAxis>& axes);

}  // namespace skimline::io
