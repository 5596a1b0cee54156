// SPDX-License-Identifier: BSD-3-Clause
// What is told of sums while they grow.
#pragma once

#include "skimline/histograms/histogram.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// What sums of some parts of a sample come to.
struct SumContents {
  std::vector<std::pair<std::string, std::uint64_t>> cutflow;  ///< events behind each step
  std::vector<histograms::Histogram> histograms;               ///< with the names that outputs have
};

}  // namespace skimline::skims
