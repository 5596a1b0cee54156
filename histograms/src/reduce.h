// SPDX-License-Identifier: BSD-3-Clause
// Summing up what the slots filled into one histogram.
#pragma once

#include "instance.h"

#include "skimline/histograms/histogram.h"

#include <span>

namespace skimline::histograms {

/// Sums up the instances of one histogram, in parallel over blocks of cells.
Histogram reduced(const HistogramSpec& spec, std::span<const Instance* const> instances);

}  // namespace skimline::histograms
