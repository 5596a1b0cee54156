// SPDX-License-Identifier: BSD-3-Clause
// The numbers of histograms that are not sparse, added up.
#pragma once

#include "histograms/cell_sums.h"
#include "histograms/histogram_layout.h"
#include "histograms/payload_copy.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline::io {

/// Throws Mismatch for a histogram that cannot be added to any.
void check_addable(const HistogramLayout& layout);

/// Throws Mismatch for profiles that were told something else about their values.
void check_same_profiles(const ProfileSettings& first, const ProfileSettings& other);

/// Whether an object has errors. Of a THnT the sum of squared weights says so: -1 if not.
bool keeps_errors(const HistogramLayout& layout, std::span<const std::byte> payload);

/// Sums of everything that counts, for histograms of one class with the same axes; see ObjectSum.
class DenseSums {
 public:
  DenseSums(const HistogramLayout& layout, std::span<const std::byte> payload);

  /// Throws Mismatch if a sum is too large.
  void add(const HistogramLayout& layout, std::span<const std::byte> payload);

  /// Moves all cells to others; see CellSums::spread.
  bool spread(std::span<const std::uint32_t> cells, std::size_t num_cells);

  /// Whether the sum has arrays that an object does not have.
  bool needs_room(const HistogramLayout& layout) const;
  /// Gives the copy of such an object these arrays.
  void make_room(const HistogramLayout& layout, PayloadCopy& copy) const;

  /// Writes the numbers for which the payload has room. Throws Mismatch if one does not fit.
  void write(const HistogramLayout& layout, std::span<std::byte> payload) const;

 private:
  using Payload = std::span<const std::byte>;

  // Numbers of an array of the sum; none if no histogram has it.
  std::size_t size_of(CellArray which) const { return cells_[which].is_empty() ? 0 : cells_[which].size(); }
  void begin_array(CellArray which, const NumberArray& array);
  const CellSums& magnitudes() const { return magnitudes_.is_empty() ? cells_[kContents] : magnitudes_; }
  void add_sums(const HistogramLayout& layout, Payload payload);
  void add_missing_errors(const HistogramLayout& layout, Payload payload);
  void keep_magnitudes(const NumberArray& contents, Payload payload);
  void begin_magnitudes();
  static void add_magnitudes(const NumberArray& contents, Payload payload, CellSums& sums);

  HistogramClass kind_;
  std::vector<double> sums_;
  double squared_weights_ = -1;  // of a THnT
  std::array<CellSums, kNumCellArrays> cells_;
  CellSums magnitudes_;  // sums of |content|, kept apart only once there is a negative one
};

}  // namespace skimline::io
