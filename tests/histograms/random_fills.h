// SPDX-License-Identifier: BSD-3-Clause
// Random histograms of every kind, and fills for them.
#pragma once

#include "skimline/histograms/histogram_set.h"

#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace skimline::histograms::testing {

/// Sizes of weights and values.
enum class Magnitudes {
  kNear,       ///< a few powers of two, both signs
  kWhole,      ///< multiples of 1/4, and few others
  kWide,       ///< 1e-30 to 1e30, both signs
  kCancelling  ///< the same, and all fills in pairs whose weights cancel
};

/// Fills of one histogram, entry by entry.
struct RandomFills {
  HistogramSpec spec;
  struct OnAxis {
    // The one that the kind of the axis takes; the other two are empty. Numbers may be filled as floats.
    std::vector<double> numbers;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;
    std::vector<std::string_view> names;
  };
  std::vector<OnAxis> axes;
  std::vector<double> values;   // of profiles
  std::vector<double> weights;  // not of counts
  std::size_t size = 0;

  /// The columns of the fills [first, first + count), as HistogramSet::fill takes them.
  std::vector<ColumnView> columns(std::size_t first, std::size_t count) const;
  /// Those of the fills with these numbers.
  RandomFills some(std::span<const std::size_t> fills) const;
};

/// An axis of any kind with about `bins` bins. Edges and shifts of a circular axis are exact in double, so
/// that moving values into its range needs no rounding.
Axis random_axis(std::mt19937_64& random, int bins);

/// A histogram with one to four axes, and `size` fills in, around and far off its range.
RandomFills random_fills(std::mt19937_64& random, std::size_t size, Magnitudes magnitudes);

/// Whether an axis of the histogram grows.
bool grows(const HistogramSpec& spec);

/// A number of some magnitude.
double random_magnitude(std::mt19937_64& random, Magnitudes magnitudes);

}  // namespace skimline::histograms::testing
