// SPDX-License-Identifier: BSD-3-Clause
// The bins of axes that get labels as they are filled.
#pragma once

#include "histograms/stored_axis.h"

#include "skimline/histograms/histogram.h"

#include <vector>

namespace skimline::io {

/// Makes categories of axes that can be extended and have labels on some of their bins: the others are room
/// for labels to come. Where something is in one of those, the axis stays as it is.
void drop_bins_without_labels(const std::vector<StoredAxis>& stored, histograms::Histogram& histogram);

}  // namespace skimline::io
