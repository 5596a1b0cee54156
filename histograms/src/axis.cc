// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/axis.h"

#include "skimline/framework/error.h"
#include "skimline/framework/instruction_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skimline::histograms {
namespace {

constexpr int kMaxBins = 100'000'000;
constexpr std::size_t kPartsPerBin = 16;
constexpr std::size_t kMaxParts = 1 << 16;
// Up to this many steps from the first bin of a part, stepping beats bisection.
constexpr std::int32_t kMaxSteps = 4;

struct RegularEdges {
  double low, high, bins;

  double width() const { return (high - low) / bins; }
  // Whether edges differ by so much that every value has one bin, whichever way its first guess is rounded.
  bool are_well_apart() const {
    const double farthest = std::max(std::fabs(low), std::fabs(high));
    const double spacing = std::nextafter(farthest, std::numeric_limits<double>::infinity()) - farthest;
    return width() >= 4 * spacing && std::isfinite(bins / (high - low));
  }
};

// The first guess may be off by one beside an edge; comparing with the edges low + k * width settles it.
// Written with doubles throughout, so that it vectorises.
template <bool kDivides>
struct RegularSearch {
  [[gnu::always_inline]] static inline void run(const RegularEdges& edges,
                                                const std::span<const double>& values,
                                                std::int32_t* const& cells) {
    const double low = edges.low, high = edges.high, bins = edges.bins, width = edges.width();
    const double range = high - low, bins_per_unit = bins / range;
    std::int32_t* const __restrict out = cells;
    const double* const in = values.data();
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < size; ++i) {
      const double x = in[i];
      double guess = kDivides ? bins * (x - low) / range : (x - low) * bins_per_unit;
      guess = guess > 0 ? guess : 0;
      guess = guess < bins ? guess : bins;
      const double bin = static_cast<double>(static_cast<std::int32_t>(guess));
      const double up = x >= low + (bin + 1) * width ? 1.0 : 0.0;
      const double down = x < low + bin * width ? 1.0 : 0.0;
      // Where edges coincide both can hold; then ROOT steps down.
      double cell = bin + (1 - down) * up - down + 1;
      cell = x < high ? cell : bins + 1;
      cell = x < low ? 0.0 : cell;
      out[i] = static_cast<std::int32_t>(cell);
    }
  }
};

}  // namespace

Axis Axis::regular(int bins, double low, double high) {
  if (bins < 1 || bins > kMaxBins)
    throw ConfigError("the number of bins must be from 1 to " + std::to_string(kMaxBins) + ", not " +
                      std::to_string(bins));
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low))
    throw ConfigError("the range of an axis must be finite and increasing");
  Axis axis;
  axis.num_bins_ = bins;
  axis.low_ = low;
  axis.high_ = high;
  return axis;
}

Axis Axis::variable(std::vector<double> edges) {
  if (edges.size() < 2) throw ConfigError("an axis needs at least two edges");
  if (edges.size() > kMaxBins) throw ConfigError("too many edges");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!std::isfinite(edges[i])) throw ConfigError("edge " + std::to_string(i) + " is not finite");
    if (i > 0 && !(edges[i - 1] < edges[i]))
      throw ConfigError("edges must increase: edge " + std::to_string(i) + " does not");
  }
  Axis axis;
  axis.num_bins_ = static_cast<int>(edges.size()) - 1;
  axis.low_ = edges.front();
  axis.high_ = edges.back();
  axis.edges_ = std::move(edges);
  axis.make_table();
  return axis;
}

void Axis::make_table() {
  const std::size_t parts = std::min(kMaxParts, kPartsPerBin * static_cast<std::size_t>(num_bins_));
  const double width = (high_ - low_) / static_cast<double>(parts);
  parts_per_unit_ = std::isfinite(1 / width) && std::isfinite(high_ - low_) ? 1 / width : 0;
  // Part p may hold values from one part earlier: rounding can move a value by one part.
  for (std::size_t part = 0; part < parts + 2; ++part) {
    const double lowest = low_ + (static_cast<double>(part) - 1) * width;
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), lowest);
    const auto bin = parts_per_unit_ > 0 ? above - edges_.begin() - 1 : 0;
    first_bin_.push_back(static_cast<std::int32_t>(std::clamp<std::ptrdiff_t>(bin, 0, num_bins_ - 1)));
  }
  std::int32_t steps = 0;
  for (std::size_t part = 0; part < parts + 2; ++part) {
    const std::int32_t last = part + 3 < parts + 2 ? first_bin_[part + 3] : num_bins_ - 1;
    steps = std::max(steps, last - first_bin_[part]);
  }
  if (parts_per_unit_ > 0 && steps <= kMaxSteps) max_steps_ = steps;
}

void Axis::index(std::span<const double> values, std::int32_t* cells) const {
  if (is_regular())
    index_regular(values, cells);
  else
    index_variable(values, cells);
}

void Axis::index_regular(std::span<const double> values, std::int32_t* cells) const {
  const RegularEdges edges{low_, high_, static_cast<double>(num_bins_)};
  if (edges.are_well_apart())
    run_kernel<RegularSearch<false>>(edges, values, cells);
  else
    run_kernel<RegularSearch<true>>(edges, values, cells);
}

void Axis::index_variable(std::span<const double> values, std::int32_t* cells) const {
  const double* edges = edges_.data();
  const std::int32_t* first_bins = first_bin_.data();
  const double low = low_, high = high_, parts_per_unit = parts_per_unit_;
  const std::int32_t overflow = num_bins_ + 1, max_steps = max_steps_;
  if (max_steps < 0) return bisect(values, cells);
  // Without branches: for values of random order they would be mispredicted.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    double inside = x >= low ? x : low;
    inside = x < high ? inside : low;
    std::int32_t bin = first_bins[static_cast<std::int64_t>((inside - low) * parts_per_unit)];
    for (std::int32_t step = 0; step < max_steps; ++step) bin += inside >= edges[bin + 1] ? 1 : 0;
    std::int32_t cell = x < high ? bin + 1 : overflow;
    cells[i] = x < low ? 0 : cell;
  }
}

void Axis::bisect(std::span<const double> values, std::int32_t* cells) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i];
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), x) - edges_.begin();
    cells[i] = x < high_ ? static_cast<std::int32_t>(above) : num_bins_ + 1;
  }
}

std::string Axis::title() const {
  if (unit.empty()) return label;
  return label.empty() ? "[" + unit + "]" : label + " [" + unit + "]";
}

}  // namespace skimline::histograms
