// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/sparse_layout.h"

#include "histograms/many_axes.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace skimline::io {
namespace {

constexpr std::size_t kUsualChunk = std::size_t{1} << 20;

NumberArray read_array(ObjectCursor& cursor, std::size_t key_size, NumberType type) {
  const ObjectCursor::Pointed pointed = cursor.pointer(key_size);
  if (pointed.class_name.empty()) return {};
  const NumberArray array = cursor.array(type);
  if (cursor.position() != pointed.end)
    throw FormatError("an array whose byte count does not fit its length");
  return array;
}

class SparseReader {
 public:
  SparseReader(const HistogramClass& kind, std::span<const std::byte> payload, std::size_t key_size)
      : kind_(kind), cursor_(payload), key_size_(key_size) {}

  SparseLayout read() && {
    const ObjectFrame frame = cursor_.begin("THnSparseT", 1);
    const ObjectFrame sparse = cursor_.begin("THnSparse", 3);
    read_base();
    const auto chunk_size = cursor_.number<std::int32_t>();
    layout_.chunk_size = static_cast<std::size_t>(std::max(0, chunk_size));
    layout_.filled_bins = cursor_.position();
    layout_.references = cursor_.references();
    const auto filled = cursor_.number<std::uint64_t>();
    read_chunks();
    cursor_.end(sparse);
    cursor_.end(frame);
    if (cursor_.remaining() != 0) throw FormatError("an object with bytes left over");
    check(filled);
    return std::move(layout_);
  }

 private:
  void read_base() {
    ManyAxes base = read_many_axes(cursor_, key_size_);
    layout_.title = std::move(base.title);
    layout_.axes = std::move(base.axes);
    layout_.sums = std::move(base.sums);
    layout_.has_opaque = base.has_opaque;
    const std::vector<int> bits = coordinate_bits(layout_.axes);
    layout_.coordinate_size = static_cast<std::size_t>(std::accumulate(bits.begin(), bits.end(), 0) + 7) / 8;
  }

  void read_chunks() {
    const ObjectFrame frame = cursor_.begin("TObjArray", 3);
    cursor_.object_base();
    cursor_.skip_text();
    const auto count = cursor_.number<std::int32_t>();
    cursor_.skip(4);  // lower bound
    for (std::int32_t i = 0; i < count; ++i) read_chunk();
    cursor_.end(frame);
  }

  void read_chunk() {
    const ObjectCursor::Pointed pointed = cursor_.pointer(key_size_);
    if (pointed.class_name != "THnSparseArrayChunk") throw FormatError("a chunk of bins that is none");
    const ObjectFrame frame = cursor_.begin("THnSparseArrayChunk", 1);
    cursor_.object_base();
    const auto coordinate_size = cursor_.number<std::int32_t>();
    const auto num_bytes = cursor_.number<std::int32_t>();
    const bool has_coordinates = cursor_.number<std::uint8_t>() != 0;
    if (coordinate_size < 1 || static_cast<std::size_t>(coordinate_size) != layout_.coordinate_size)
      throw FormatError("coordinates of " + std::to_string(coordinate_size) + " bytes where the axes need " +
                        std::to_string(layout_.coordinate_size));
    if (num_bytes < 0 || num_bytes % coordinate_size != 0 || (num_bytes > 0 && !has_coordinates))
      throw FormatError("coordinates with an impossible size");
    SparseChunk chunk;
    chunk.coordinates.begin = cursor_.position();
    if (has_coordinates) cursor_.skip(static_cast<std::uint64_t>(num_bytes));
    chunk.coordinates.end = cursor_.position();
    chunk.num_bins = static_cast<std::size_t>(num_bytes / coordinate_size);
    chunk.contents = read_array(cursor_, key_size_, kind_.cells);
    chunk.sumw2 = read_array(cursor_, key_size_, NumberType::kDouble);
    cursor_.end(frame);
    if (chunk.contents.count < chunk.num_bins ||
        (chunk.sumw2.count != 0 && chunk.sumw2.count < chunk.num_bins))
      throw FormatError("a chunk with fewer numbers than bins");
    layout_.chunks.push_back(chunk);
  }

  void check(std::uint64_t filled) const {
    std::uint64_t found = 0;
    std::size_t largest = kUsualChunk;
    for (const SparseChunk& chunk : layout_.chunks) {
      found += chunk.num_bins;
      largest = std::max(largest, chunk.contents.count);
    }
    if (found != filled)
      throw FormatError("a histogram of " + std::to_string(filled) + " filled bins that has " +
                        std::to_string(found));
    if (layout_.chunk_size == 0 || layout_.chunk_size > largest)
      throw FormatError("chunks with an impossible size");
  }

  HistogramClass kind_;
  ObjectCursor cursor_;
  std::size_t key_size_;
  SparseLayout layout_;
};

}  // namespace

std::vector<int> coordinate_bits(const std::vector<StoredAxis>& axes) {
  std::vector<int> bits;
  for (const StoredAxis& axis : axes) bits.push_back(static_cast<int>(std::bit_width(axis.num_cells())));
  return bits;
}

SparseLayout read_sparse_layout(const HistogramClass& kind, std::span<const std::byte> payload,
                                std::size_t key_size) {
  return SparseReader(kind, payload, key_size).read();
}

}  // namespace skimline::io
