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

/// An axis as it is stored.
struct StoredAxis {
  std::string title;
  std::int32_t num_bins = 0;
  double low = 0, high = 0;
  std::vector<double> edges;                                  ///< empty if all bins are equally wide
  std::vector<std::pair<std::uint32_t, std::string>> labels;  ///< by number of the bin

  std::size_t num_cells() const { return static_cast<std::size_t>(num_bins) + 2; }
};

/// Reads a TAxis. Throws FormatError. `has_opaque` becomes true if it holds objects that are not understood.
StoredAxis read_axis(ObjectCursor& cursor, std::size_t key_size, bool& has_opaque);

/// Returns in what the bins of two axes differ, "10 bins and 20 bins"; empty if in nothing. Limits may differ
/// by 1e-10 of a bin, as histograms that ROOT adds.
std::string difference_of(const StoredAxis& left, const StoredAxis& right);

/// The same for all axes, each by its name: "x axis: 10 bins and 20 bins".
std::string difference_of(const std::vector<StoredAxis>& left, const std::vector<StoredAxis>& right);

}  // namespace skimline::io
