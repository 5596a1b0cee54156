// SPDX-License-Identifier: BSD-3-Clause
// Axes as ROOT streams them.
#pragma once

#include "root/pointer_writer.h"

#include "skimline/histograms/axis.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

/// How an axis is drawn, the part that differs.
struct AxisStyle {
  bool is_set = true;  ///< axes of THnBase have none
  float title_offset = 1;
};

/// Writes a TAxis without its pointer or class. Categories become labels.
void write_axis(ByteWriter& out, PointerWriter& pointers, const std::string& name, const std::string& title,
                const histograms::Axis& axis, const AxisStyle& style);

/// The pointer to the labels of an axis by the numbers of their bins; null if there are none.
using AxisLabels = std::vector<std::pair<std::uint32_t, std::string>>;
void write_labels(ByteWriter& out, PointerWriter& pointers, const AxisLabels& labels);

/// Bins of the TAxis: at least one, which an axis that grows may lack.
int written_bins(const histograms::Axis& axis);

/// Cells, flow cells included, of a histogram with these axes in the file.
std::size_t written_cells(std::span<const histograms::Axis> axes);

/// Returns numbers of the cells of a histogram with these axes as those of the cells in the file.
std::vector<double> written_order(std::span<const histograms::Axis> axes, const std::vector<double>& values);

}  // namespace skimline::io
