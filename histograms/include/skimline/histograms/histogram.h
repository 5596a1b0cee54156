// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/histograms/axis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::histograms {

/// A filled one-dimensional histogram. Cells are ordered underflow, bins, overflow: axis.num_cells() of them.
struct Histogram {
  std::string name;
  std::string title;
  Axis axis;
  bool is_weighted = false;
  std::vector<double> contents{};   ///< sum of weights
  std::vector<double> variances{};  ///< sum of squared weights
  std::uint64_t entries = 0;        ///< fills, flow and NaN included
  std::uint64_t num_nan = 0;        ///< values that were not a number; they are in the overflow cell
  /// Moments of the fills inside the range, as ROOT's statistics.
  double sum_weights = 0, sum_weights_squared = 0, sum_weights_x = 0, sum_weights_x_squared = 0;
};

}  // namespace skimline::histograms
