// SPDX-License-Identifier: BSD-3-Clause
#include "plan/result_sizes.h"

#include <algorithm>
#include <span>

namespace skimline::skims {
namespace {

// The doubles of a result, and the two integers in each of three places of its exact sums.
std::uint64_t bytes_of(std::span<const histograms::Axis> axes, histograms::Storage storage) {
  const std::uint64_t exact = has_weights(storage) ? 6 * sizeof(std::int64_t) : 0;
  return histograms::num_cells(axes) * histograms::num_sums(storage) * (sizeof(double) + exact);
}

// Of few cells all three places have something.
std::uint64_t packed_bytes_of_sum(histograms::Storage storage) { return has_weights(storage) ? 12 : 4; }

}  // namespace

std::uint64_t result_bytes(const histograms::HistogramSpec& spec) {
  return bytes_of(spec.axes, spec.storage);
}
std::uint64_t result_bytes(const histograms::Histogram& histogram) {
  return bytes_of(histogram.axes, histogram.storage);
}

std::uint64_t packed_bytes(const histograms::Histogram& histogram) {
  return histogram.num_cells() * histograms::num_sums(histogram.storage) *
         packed_bytes_of_sum(histogram.storage);
}

std::uint64_t kept_bytes(const histograms::HistogramSpec& spec) {
  return histograms::num_cells(spec.axes) * histograms::num_sums(spec.storage) *
         (sizeof(double) + packed_bytes_of_sum(spec.storage));
}

std::uint64_t most_result_bytes(const Config& config) {
  constexpr std::uint64_t kUsually = 256 << 20;
  return config.memory_limit ? std::min(kUsually, config.memory_limit->bytes / 8) : kUsually;
}

}  // namespace skimline::skims
