// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/axis_replacement.h"

#include "histograms/axis_streaming.h"
#include "histograms/cell_sums.h"
#include "histograms/payload_copy.h"

#include <algorithm>

namespace skimline::io {
namespace {

constexpr std::uint32_t kHasRange = 1u << 11;  // TAxis::kAxisRange

void write_bins(ByteWriter& out, const StoredAxis& axis) {
  out.big<std::int32_t>(axis.num_bins);
  out.big<double>(axis.low);
  out.big<double>(axis.high);
  write_array(out, axis.edges);
  out.zeros(4 + 4);  // first and last bin drawn
  out.big<std::uint16_t>(axis.more_bits);
}

bool has_all(const StoredAxis& axis) { return axis.places.has_all; }

std::uint32_t word_at(std::span<const std::byte> payload, std::size_t place) {
  return ByteReader(payload.subspan(place, sizeof(std::uint32_t))).big<std::uint32_t>();
}

void replace_axis(PayloadCopy& copy, std::span<const std::byte> payload, const AxisPlaces& places,
                  const StoredAxis& axis) {
  const std::uint32_t bits = word_at(payload, places.bits) & ~kHasRange;
  copy.replace({places.bits, places.bits + sizeof bits},
               [bits](ByteWriter& out, PointerWriter&) { out.big<std::uint32_t>(bits); });
  copy.replace(places.bins, [&axis](ByteWriter& out, PointerWriter&) { write_bins(out, axis); });
  copy.replace(places.labels, [&axis](ByteWriter& out, PointerWriter& pointers) {
    write_labels(out, pointers, axis.labels);
  });
}

}  // namespace

std::vector<std::byte> with_axes(std::span<const std::byte> payload, std::size_t key_size,
                                 const HistogramLayout& layout, const std::vector<StoredAxis>& axes) {
  if (layout.has_opaque || layout.has_other_labels)
    throw Mismatch(difference_of(layout.axes, axes) + ", and it holds functions or other objects");
  if (!std::all_of(layout.axes.begin(), layout.axes.end(), has_all))
    throw Mismatch(difference_of(layout.axes, axes) + ", and its axes are of an early version of ROOT");
  PayloadCopy copy(payload, key_size);
  HistogramLayout whole;
  whole.axes = axes;
  const std::size_t num_cells = whole.num_cells();
  const auto write_count = [num_cells](ByteWriter& out, PointerWriter&) {
    out.big<std::int32_t>(static_cast<std::int32_t>(num_cells));
  };
  copy.replace({layout.num_cells_place, layout.num_cells_place + 4}, write_count);
  for (std::size_t i = 0; i < axes.size(); ++i) replace_axis(copy, payload, layout.axes[i].places, axes[i]);
  for (const NumberArray& array : layout.arrays) {
    if (array.count == 0) continue;
    copy.replace({array.offset - 4, array.end()},
                 [&, type = array.type](ByteWriter& out, PointerWriter& pointers) {
                   write_count(out, pointers);
                   out.zeros(num_cells * size_of(type));
                 });
  }
  return copy.finish(layout.frames, layout.references);
}

}  // namespace skimline::io
