// SPDX-License-Identifier: BSD-3-Clause
// The layout of THnSparse: filled cells in chunks, with their coordinates packed into few bits.
#include "histograms/axis_streaming.h"
#include "histograms/histogram_streaming.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <bit>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;

constexpr std::uint32_t kOwnerBits = 0x4000;  // TCollection::kIsOwner
// ROOT makes chunks of so many cells unless told otherwise.
constexpr std::size_t kLargestChunk = 16384;

class SparseStreamer {
 public:
  SparseStreamer(const Histogram& histogram, std::size_t key_size)
      : histogram_(histogram), pointers_(out_, key_size) {
    const std::vector<double>& contents = histogram.contents();
    const std::vector<double>& variances = histogram.variances();
    for (std::size_t cell = 0; cell < contents.size(); ++cell)
      if (contents[cell] != 0 || variances[cell] != 0) filled_.push_back(cell);
    chunk_size_ = std::clamp<std::size_t>(filled_.size(), 1, kLargestChunk);
    std::size_t bits = 0;
    for (const Axis& axis : histogram.axes) {
      shifts_.push_back(bits);
      bits += std::bit_width(static_cast<unsigned>(written_bins(axis)) + 2);
    }
    if (bits > 64) throw InternalError("coordinates of a cell do not fit 64 bits");
    coordinate_size_ = (bits + 7) / 8;
  }

  std::vector<std::byte> stream() {
    write_object(out_, 1, [&] {
      write_object(out_, 3, [&] {
        write_base();
        out_.big<std::int32_t>(static_cast<std::int32_t>(chunk_size_));
        out_.big<std::int64_t>(static_cast<std::int64_t>(filled_.size()));
        write_chunks();
      });
    });
    return std::move(out_).take();
  }

 private:
  void write_base() {
    const histograms::Statistics& statistics = histogram_.statistics;
    write_object(out_, 1, [&] {
      write_named(out_, histogram_.name.substr(histogram_.name.rfind('/') + 1), histogram_.title, 0);
      out_.big<std::int32_t>(static_cast<std::int32_t>(histogram_.axes.size()));
      write_axes();
      out_.big<double>(static_cast<double>(histogram_.entries));
      out_.big<double>(statistics.weight);
      out_.big<double>(statistics.weight_squared);
      write_array(out_, statistics.position);
      write_array(out_, statistics.position_squared);
    });
  }

  void write_axes() {
    write_list(histogram_.axes.size(), [&](std::size_t i) {
      const Axis& axis = histogram_.axes[i];
      pointers_.write("TAxis", [&] {
        write_axis(out_, pointers_, "axis" + std::to_string(i), axis.title(), axis, {.is_set = false});
      });
    });
  }

  void write_chunks() {
    const std::size_t num_chunks = (filled_.size() + chunk_size_ - 1) / chunk_size_;
    write_list(num_chunks, [&](std::size_t i) {
      const std::size_t first = i * chunk_size_;
      const std::size_t last = std::min(first + chunk_size_, filled_.size());
      pointers_.write("THnSparseArrayChunk", 1,
                      [&] { write_chunk(std::span(filled_).subspan(first, last - first)); });
    });
  }

  // A TObjArray that owns what it holds.
  template <typename WriteElement>
  void write_list(std::size_t size, WriteElement&& write_element) {
    write_object(out_, 3, [&] {
      write_tobject(out_, kOwnerBits);
      out_.root_string("");
      out_.big<std::int32_t>(static_cast<std::int32_t>(size));
      out_.big<std::int32_t>(0);  // lower bound
      for (std::size_t i = 0; i < size; ++i) write_element(i);
    });
  }

  void write_chunk(std::span<const std::size_t> cells) {
    write_tobject(out_, 0);
    out_.big<std::int32_t>(static_cast<std::int32_t>(coordinate_size_));
    out_.big<std::int32_t>(static_cast<std::int32_t>(coordinate_size_ * cells.size()));
    out_.big<std::uint8_t>(1);  // there are coordinates
    for (const std::size_t cell : cells) {
      const std::uint64_t coordinates = packed_coordinates(cell);
      out_.raw(std::as_bytes(std::span(&coordinates, 1)).first(coordinate_size_));
    }
    write_values(histogram_.contents(), cells);
    write_values(histogram_.variances(), cells);
  }

  std::uint64_t packed_coordinates(std::size_t cell) const {
    std::uint64_t packed = 0;
    for (std::size_t i = 0; i < shifts_.size(); ++i) {
      const Axis& axis = histogram_.axes[i];
      std::uint64_t index = cell % axis.num_cells();
      cell /= axis.num_cells();
      if (index > 0 && axis.num_bins() == 0) index = 2;  // overflow behind the bin that a TAxis must have
      packed |= index << shifts_[i];
    }
    return packed;
  }

  // As long as a chunk, whatever is filled.
  void write_values(const std::vector<double>& values, std::span<const std::size_t> cells) {
    pointers_.write("TArrayD", [&] {
      out_.big<std::int32_t>(static_cast<std::int32_t>(chunk_size_));
      out_.big_array<double>(cells, [&](std::size_t cell) { return values[cell]; });
      out_.zeros(sizeof(double) * (chunk_size_ - cells.size()));
    });
  }

  const Histogram& histogram_;
  std::vector<std::size_t> filled_;  // cells
  std::vector<std::size_t> shifts_;  // of the coordinates, in bits
  std::size_t coordinate_size_ = 0;  // of a cell, in bytes
  std::size_t chunk_size_ = 0;       // in cells
  ByteWriter out_;
  PointerWriter pointers_;
};

}  // namespace

std::vector<std::byte> streamed_sparse_histogram(const Histogram& histogram, std::size_t key_size) {
  return SparseStreamer(histogram, key_size).stream();
}

}  // namespace skimline::io
