// SPDX-License-Identifier: BSD-3-Clause
// Histograms filled entry by entry in the plainest way, with exact sums: the judge of HistogramSet.
#pragma once

#include "big_sum.h"
#include "random_fills.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace skimline::histograms::testing {

/// One sum: without rounding, and as a loop over doubles has it.
struct NaiveSum {
  BigSum exact;
  double plain = 0;
  std::uint64_t terms = 0;

  void add(double term);
};

struct NaiveHistogram {
  /// Sums of the cells that were filled, by number of the cell.
  std::map<std::size_t, std::array<NaiveSum, kMaxCellSums>> cells;
  std::array<NaiveSum, kMaxCellSums> totals;  ///< over the range of all axes
  std::vector<NaiveSum> positions;            ///< as Histogram::exact_positions
  /// Largest magnitudes of the terms of each sum, over all fills and over those in the range.
  std::array<double, kMaxCellSums> largest{};
  std::vector<double> largest_position;
  std::uint64_t num_nan = 0;
};

/// Fills a histogram with the given axes. Products are rounded to doubles: w w, (w x) x, (w x) y, (w v) v.
NaiveHistogram naive_fill(const RandomFills& fills, const std::vector<Axis>& axes);

/// The cell of a fill on one axis, found by looking at one edge after the other.
std::size_t naive_cell(const Axis& axis, const RandomFills::OnAxis& positions, std::size_t fill);

}  // namespace skimline::histograms::testing
