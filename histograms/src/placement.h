// SPDX-License-Identifier: BSD-3-Clause
// Which histograms have a copy for each thread, and which share one.
#pragma once

#include "skimline/histograms/histogram_set.h"

#include <vector>

namespace skimline::histograms {

/// Places histograms, the smallest first. Throws ConfigError if a copy of each is more than the limit.
std::vector<Placement> place(const std::vector<HistogramSpec>& specs, const HistogramSetOptions& options);

}  // namespace skimline::histograms
