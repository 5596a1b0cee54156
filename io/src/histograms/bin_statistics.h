// SPDX-License-Identifier: BSD-3-Clause
// The statistics of a histogram as ROOT computes them from its bins.
#pragma once

#include "histograms/histogram_layout.h"

#include <cstddef>
#include <span>
#include <vector>

namespace skimline::io {

/// Whether a histogram has entries but no statistics, so that ROOT computes them from its bins. Never of a
/// THnT.
bool has_no_statistics(const HistogramLayout& layout, std::span<const std::byte> payload);

/// Returns the sums that a histogram would have if all fills had been at the centres of their bins, in the
/// order of HistogramLayout::sums from w on: what ROOT takes for statistics where a histogram with entries
/// has none, such as one made bin by bin (TH1::GetStats). Not for THnT.
std::vector<double> bin_statistics(const HistogramLayout& layout, std::span<const std::byte> payload);

}  // namespace skimline::io
