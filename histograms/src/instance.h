// SPDX-License-Identifier: BSD-3-Clause
// A histogram as one slot fills it.
#pragma once

#include "cell_copy.h"
#include "growing_axis.h"
#include "zeroed_memory.h"

#include "skimline/histograms/exact_sum.h"
#include "skimline/histograms/histogram_spec.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace skimline::histograms {

/// One histogram in one slot.
struct Instance {
  CellCopy* cells = nullptr;
  std::vector<std::size_t> extents;  ///< cells of each axis
  std::uint64_t entries = 0, num_nan = 0, num_bad_weights = 0;
  std::vector<ExactSum> positions;  ///< as Histogram::exact_positions

  /// Of those that have copies of their own.
  std::unique_ptr<ZeroedMemory> own_memory;
  std::unique_ptr<CellCopy> own_cells;
  /// For each axis, of histograms with a growing one.
  std::vector<GrowingAxis> growing;
};

/// Gives an instance of a histogram whose axes grow its first cells.
void make_growing(Instance& instance, const HistogramSpec& spec);

/// Moves the cells of such an instance to where there are enough for the categories met.
void make_room(Instance& instance, const HistogramSpec& spec);

}  // namespace skimline::histograms
