// SPDX-License-Identifier: BSD-3-Clause
// Columns to fill histograms with, and their comparison.
#pragma once

#include "skimline/histograms/histogram_set.h"

#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::histograms::testing {

template <typename T>
ColumnView view_of(const std::vector<T>& values, std::size_t first, std::size_t count) {
  return {.type = flat(scalar_type_of<T>), .length = count, .values = values.data() + first};
}

template <typename T>
ColumnView view_of(const std::vector<T>& values) {
  return view_of(values, 0, values.size());
}

template <typename T>
ColumnView constant_of(const T& value, std::size_t length) {
  return {.type = flat(scalar_type_of<T>), .length = length, .values = &value, .is_constant = true};
}

inline HistogramSpec spec(std::vector<Axis> axes, Storage storage) {
  return {.name = "h", .title = "t", .axes = std::move(axes), .storage = storage};
}

/// One histogram, filled by slot 0.
inline Histogram filled(HistogramSpec spec, const std::vector<ColumnView>& columns) {
  HistogramSet set;
  const std::vector<std::size_t> ids{set.add(std::move(spec))};
  EXPECT_FALSE(set.fill(0, ids, columns));
  return set.reduce(0);
}

inline void expect_same_bits(const std::vector<double>& left, const std::vector<double>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(left[i]), std::bit_cast<std::uint64_t>(right[i])) << "cell " << i;
}

inline void expect_same_sums(const ExactCells& left, const ExactCells& right) {
  EXPECT_EQ(left.window(), right.window());
  ASSERT_EQ(left.num_places(), right.num_places());
  for (int place = 0; place < left.num_places(); ++place) {
    EXPECT_EQ(left.low(place), right.low(place));
    EXPECT_EQ(left.high(place), right.high(place));
  }
}

/// All that a file would hold, the exact sums included.
inline void expect_same_bits(const Histogram& left, const Histogram& right) {
  ASSERT_EQ(left.axes.size(), right.axes.size());
  for (std::size_t i = 0; i < left.axes.size(); ++i)
    EXPECT_TRUE(have_same_bins(left.axes[i], right.axes[i])) << "axis " << i;
  for (std::size_t sum = 0; sum < kMaxCellSums; ++sum) expect_same_bits(left.sums[sum], right.sums[sum]);
  expect_same_bits(left.statistics.position, right.statistics.position);
  expect_same_bits(left.statistics.position_squared, right.statistics.position_squared);
  expect_same_bits(left.statistics.position_product, right.statistics.position_product);
  expect_same_bits({left.statistics.weight, left.statistics.weight_squared, left.statistics.weighted_value,
                    left.statistics.weighted_value_squared},
                   {right.statistics.weight, right.statistics.weight_squared, right.statistics.weighted_value,
                    right.statistics.weighted_value_squared});
  EXPECT_EQ(left.entries, right.entries);
  EXPECT_EQ(left.num_nan, right.num_nan);
  EXPECT_EQ(left.num_bad_weights, right.num_bad_weights);
  ASSERT_EQ(left.exact_cells.size(), right.exact_cells.size());
  for (std::size_t i = 0; i < left.exact_cells.size(); ++i)
    expect_same_sums(left.exact_cells[i], right.exact_cells[i]);
  ASSERT_EQ(left.exact_positions.size(), right.exact_positions.size());
  for (std::size_t i = 0; i < left.exact_positions.size(); ++i) {
    EXPECT_EQ(left.exact_positions[i].window(), right.exact_positions[i].window());
    EXPECT_TRUE(left.exact_positions[i].parts() == right.exact_positions[i].parts());
  }
}

}  // namespace skimline::histograms::testing
