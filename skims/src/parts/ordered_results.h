// SPDX-License-Identifier: BSD-3-Clause
// Results as those of all parts add up: one after the other, without their keys.
#pragma once

#include "parts/sample_contents.h"

#include <vector>

namespace skimline::skims {

/// Returns all results of a part: its histograms, then one of the counts and one of the sums of weights, if
/// there are any, whose categories are the numbers of the selections. Throws InternalError if one is missing.
std::vector<histograms::Histogram> results_in_order(const SampleContents& contents, const PartKeys& part,
                                                    PartResults results);

/// The same without fills, of histograms that have none yet.
std::vector<histograms::Histogram> empty_in_order(const SampleContents& contents,
                                                  const histograms::HistogramSet& histograms);

/// The cell of the first category.
inline constexpr std::size_t kFirstResult = 1;  // behind the underflow

}  // namespace skimline::skims
