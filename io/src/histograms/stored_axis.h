// SPDX-License-Identifier: BSD-3-Clause
// Axes as they are found in stored histograms, and how two differ.
#pragma once

#include "root/object_cursor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// Where in the payload of its histogram an axis has what changes with its bins.
struct AxisPlaces {
  std::size_t bits = 0;  ///< of its TObject
  PayloadRange bins;     ///< number, limits, edges, the part that is drawn, and more bits
  PayloadRange labels;   ///< the pointer, with what it points to
  bool has_all = true;   ///< false for the first versions, which have no more bits, or no labels either
};

/// An axis as it is stored.
struct StoredAxis {
  std::string title;
  std::int32_t num_bins = 0;
  double low = 0, high = 0;
  std::vector<double> edges;                                  ///< empty if all bins are equally wide
  std::vector<std::pair<std::uint32_t, std::string>> labels;  ///< by number of the bin
  std::uint16_t more_bits = 0;                                ///< TAxis::EStatusBits
  AxisPlaces places;

  std::size_t num_cells() const { return static_cast<std::size_t>(num_bins) + 2; }
  double width() const { return (high - low) / num_bins; }
  /// Whether filling may move its limits or give it labels.
  bool can_extend() const { return (more_bits & kCanExtend) != 0; }
  bool has_labels() const { return !labels.empty(); }

  static constexpr std::uint16_t kCanExtend = 1u << 1;
};

/// Reads a TAxis. Throws FormatError. `has_opaque` becomes true if it holds objects that are not understood.
StoredAxis read_axis(ObjectCursor& cursor, std::size_t key_size, bool& has_opaque);

/// Returns in what the bins of two axes differ, "10 bins and 20 bins"; empty if in nothing. Limits may differ
/// by 1e-10 of a bin, as histograms that ROOT adds.
std::string difference_of(const StoredAxis& left, const StoredAxis& right);

/// What messages call one of so many axes: "x axis".
std::string axis_name(std::size_t axis, std::size_t num_axes);

/// The same for all axes, each by its name: "x axis: 10 bins and 20 bins".
std::string difference_of(const std::vector<StoredAxis>& left, const std::vector<StoredAxis>& right);

}  // namespace skimline::io
