// SPDX-License-Identifier: BSD-3-Clause
// What was computed of one part of a sample.
#pragma once

#include "skimline/histograms/histogram.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Results by their keys.
struct PartResults {
  std::map<std::string, histograms::Histogram> histograms;
  std::map<std::string, std::uint64_t> counts;
  std::vector<histograms::Histogram> weights;  ///< sums, with a category for each key

  /// Of all of them.
  std::set<std::string> keys() const;
  /// Adds others, under other keys.
  void add(const PartResults& others);
};

/// Numbers of events as a histogram with a category for each key, and back; the histogram must be one.
histograms::Histogram counts_histogram(const std::map<std::string, std::uint64_t>& counts);
std::map<std::string, std::uint64_t> counts_of(const histograms::Histogram& histogram);

}  // namespace skimline::skims
