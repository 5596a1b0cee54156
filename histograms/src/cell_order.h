// SPDX-License-Identifier: BSD-3-Clause
// Walking over the cells of several axes, in the order of Histogram.
#pragma once

#include "skimline/histograms/axis.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace skimline::histograms {

/// Calls `visit(cells, number)` with the cells of all axes for every cell from first to last, by number.
template <typename Visitor>
void for_each_cell(std::span<const Axis> axes, Visitor visit) {
  std::vector<std::size_t> cells(axes.size());
  for (std::size_t number = 0;; ++number) {
    visit(std::span<const std::size_t>(cells), number);
    std::size_t axis = 0;
    while (axis < axes.size() && ++cells[axis] == axes[axis].num_cells()) cells[axis++] = 0;
    if (axis == axes.size()) return;
  }
}

/// Calls `visit(first, last)` for each run of cells along the first axis that are in the range of all axes.
template <typename Visitor>
void for_each_row_in_range(std::span<const Axis> axes, Visitor visit) {
  const auto bins = static_cast<std::size_t>(axes[0].num_bins());
  const std::size_t row = axes[0].num_cells();
  const std::span<const Axis> others = axes.subspan(1);
  for_each_cell(others, [&](std::span<const std::size_t> cells, std::size_t number) {
    for (std::size_t i = 0; i < others.size(); ++i)
      if (cells[i] == 0 || cells[i] + 1 == others[i].num_cells()) return;
    visit(number * row + 1, number * row + 1 + bins);
  });
}

}  // namespace skimline::histograms
