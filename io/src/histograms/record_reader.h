// SPDX-License-Identifier: BSD-3-Clause
// Reads the records of histograms from the inputs of a merge, with those behind them in one go.
#pragma once

#include "histograms/merge_inputs.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace skimline::io {

/// The bytes of a histogram in a file.
struct RecordBytes {
  std::span<const std::byte> record;  ///< the whole record, key included
  std::span<const std::byte> stored;  ///< the object, compressed or not
  std::span<const std::byte> sums;    ///< the record with exact sums, key included; empty if there is none
  std::uint16_t process_offset = 0;   ///< what a key in the output adds to numbers of processes in it
};

/// Keeps the memory of its reads. One for each thread.
class RecordReader {
 public:
  /// Calls `visit` with the index of each record in `records`, none of them null, and its bytes, which are
  /// valid during the call. Records are read in the order of their offsets. Throws FileError.
  void read(const MergeInput& input, const std::vector<const HistogramRecord*>& records,
            const std::function<void(std::size_t index, const RecordBytes& bytes)>& visit);

 private:
  RecordBytes bytes_of(const MergeInput& input, const HistogramRecord& record, std::uint64_t start);

  std::vector<std::size_t> order_;
  std::vector<std::byte> block_, sums_;
};

/// Returns the object of a record, decompressed into `object`. Throws FormatError.
void decompress_object(std::span<const std::byte> stored, std::uint32_t object_size,
                       std::vector<std::byte>& object);

}  // namespace skimline::io
