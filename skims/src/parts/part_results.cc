// SPDX-License-Identifier: BSD-3-Clause
#include "parts/part_results.h"

namespace skimline::skims {
namespace {

using histograms::Histogram;

constexpr std::size_t kFirstCategory = 1;  // behind the underflow

}  // namespace

std::set<std::string> PartResults::keys() const {
  std::set<std::string> keys;
  for (const auto& [key, histogram] : histograms) keys.insert(key);
  for (const auto& [key, count] : counts) keys.insert(key);
  for (const Histogram& sums : weights)
    keys.insert(sums.axes.front().names().begin(), sums.axes.front().names().end());
  return keys;
}

void PartResults::add(const PartResults& others) {
  histograms.insert(others.histograms.begin(), others.histograms.end());
  counts.insert(others.counts.begin(), others.counts.end());
  weights.insert(weights.end(), others.weights.begin(), others.weights.end());
}

Histogram counts_histogram(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> names;
  for (const auto& [key, count] : counts) names.push_back(key);
  Histogram histogram = histograms::empty_histogram("", "", {histograms::Axis::categories(std::move(names))},
                                                    histograms::Storage::kCount);
  std::size_t cell = kFirstCategory;
  for (const auto& [key, count] : counts) {
    histogram.sums[histograms::kWeight][cell++] = static_cast<double>(count);
    histogram.entries += count;
  }
  histograms::round_exact_sums(histogram);
  return histogram;
}

std::map<std::string, std::uint64_t> counts_of(const Histogram& histogram) {
  std::map<std::string, std::uint64_t> counts;
  std::size_t cell = kFirstCategory;
  for (const std::string& key : histogram.axes.front().names())
    counts.emplace(key, static_cast<std::uint64_t>(histogram.contents()[cell++]));
  return counts;
}

}  // namespace skimline::skims
