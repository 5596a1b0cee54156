// SPDX-License-Identifier: BSD-3-Clause
// Axes of stored histograms that differ in their labels or limits, as one.
#pragma once

#include "histograms/cell_sums.h"
#include "histograms/stored_axis.h"

#include <cstdint>
#include <vector>

namespace skimline::io {

/// The axes of the sum of two histograms.
struct UnitedAxes {
  std::vector<StoredAxis> axes;            ///< the left ones, with other bins and labels where need be
  std::vector<std::uint32_t> left, right;  ///< by cell of each, that of the whole, or kNowhere
  bool changes_left = false;
};

/// Unites axes. Those of both that have labels are united by label: the left ones keep their bins, others
/// follow. Those without get a common range, if bins are equally wide, or if both can be extended, the larger
/// width is a multiple of the smaller one and edges coincide; nothing may be in the flow of one that lies
/// inside the whole. Throws Mismatch for all else.
UnitedAxes unite(const std::vector<StoredAxis>& left, const std::vector<StoredAxis>& right);

}  // namespace skimline::io
