// SPDX-License-Identifier: BSD-3-Clause
// How large the results of histograms are, and how many of them are in memory at once.
#pragma once

#include "skimline/histograms/histogram_set.h"
#include "skimline/skims/config.h"

#include <cstdint>

namespace skimline::skims {

/// Bytes of the results of a histogram, at most.
std::uint64_t result_bytes(const histograms::HistogramSpec& spec);
std::uint64_t result_bytes(const histograms::Histogram& histogram);
/// Bytes of its exact sums as they are packed, about; those of a few fills take less.
std::uint64_t packed_bytes(const histograms::Histogram& histogram);
/// Bytes of the results of a histogram that is kept, about.
std::uint64_t kept_bytes(const histograms::HistogramSpec& spec);
/// Bytes of the results that are in memory at once, unless one histogram has more.
std::uint64_t most_result_bytes(const Config& config);

}  // namespace skimline::skims
