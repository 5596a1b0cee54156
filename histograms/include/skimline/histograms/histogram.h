// SPDX-License-Identifier: BSD-3-Clause
// A filled histogram.
#pragma once

#include "skimline/histograms/axis.h"
#include "skimline/histograms/exact_sum.h"
#include "skimline/histograms/storage.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skimline::histograms {

/// Sums over the fills inside the range of all axes, as ROOT's statistics (TH1::GetStats). w is the weight, x
/// the position on an axis, v the value of a profile. Category axes have no positions: their sums are 0.
struct Statistics {
  double weight = 0, weight_squared = 0;
  std::vector<double> position, position_squared;  ///< sums of w x and w x^2, by axis
  /// Sums of w x y for the pairs of axes (0, 1), (0, 2), (1, 2) of histograms with 2 or 3 axes.
  std::vector<double> position_product;
  double weighted_value = 0, weighted_value_squared = 0;  ///< of profiles
};

/// A histogram with any number of axes. Cells are in ROOT's order, the first axis running fastest, flow cells
/// included: the cell (i, j, k) is number i + n (j + m k) for axes of n and m cells.
struct Histogram {
  std::string name;  ///< may begin with directories, "dir/sub/name"
  std::string title;
  std::vector<Axis> axes;
  std::string value_title;  ///< what the contents count, "Events", or the value of a profile
  Storage storage = Storage::kCount;

  /// One number per cell for each sum of the storage (CellSum).
  std::array<std::vector<double>, kMaxCellSums> sums{};
  std::uint64_t entries = 0;  ///< fills, flow and NaN included
  Statistics statistics{};
  std::uint64_t num_nan = 0;          ///< fills at a position that is not a number; they are in overflow
  std::uint64_t num_bad_weights = 0;  ///< fills left out: their weight or value cannot be added

  /// The order-independent sums from which `sums` and `statistics` follow, by sum; those of counts follow
  /// from `sums`. Empty, and `has_exact_sums` false, if only the doubles are known.
  bool has_exact_sums = false;
  std::vector<ExactCells> exact_cells{};
  /// For each axis the sums of w x, then for each w x^2, then those of the products.
  std::vector<ExactSum> exact_positions{};

  /// Cells of all axes together, flow cells included.
  std::size_t num_cells() const;
  /// The sums of weights, which for counts are the counts; one number per cell.
  const std::vector<double>& contents() const { return sums[kWeight]; }
  /// Sums of squared weights, which for counts are the counts.
  const std::vector<double>& variances() const {
    return sums[has_weights(storage) ? kWeightSquared : kWeight];
  }
};

/// Cells of a histogram with these axes.
std::size_t num_cells(std::span<const Axis> axes);

/// Sums of positions that statistics of `num_axes` axes have: by axis, squared by axis, products.
std::size_t num_position_sums(std::size_t num_axes);

/// A histogram without fills, all sums zero, exact sums included.
Histogram empty_histogram(std::string name, std::string title, std::vector<Axis> axes, Storage storage);

/// Computes `sums` and `statistics` from the exact sums, and for counts `statistics` from the counts and the
/// exact sums of positions.
void round_exact_sums(Histogram& histogram);

/// Returns why the two cannot be added: "axis 0 has 10 bins in one and 20 in the other"; empty if they can.
/// Growing axes of one kind can, and fixed texts if all values are among them.
std::string difference_of_bins(const Histogram& left, const Histogram& right);

/// Adds `other` to `sum`. If both have exact sums the result is that of filling one histogram with the fills
/// of both, bit by bit; else doubles are added, and the result has none. Throws Error if they cannot be
/// added.
void add(Histogram& sum, const Histogram& other);

}  // namespace skimline::histograms
