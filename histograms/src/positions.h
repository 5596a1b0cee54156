// SPDX-License-Identifier: BSD-3-Clause
// Where the fills of a block lie: the cells of all axes, and what the statistics need.
#pragma once

#include "growing_axis.h"
#include "moments.h"

#include "skimline/framework/accumulator.h"
#include "skimline/histograms/histogram_spec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skimline::histograms {

/// Fills that are worked on together: few enough for the first level cache.
constexpr std::size_t kBlock = 1024;

/// Returns the values [first, first + count) of a column of numbers as doubles: in place or in `copies`.
const double* read_doubles(const ColumnView& column, std::size_t first, std::size_t count, double* copies);

/// Positions of one block of fills; reused from block to block.
class Positions {
 public:
  /// Finds the cells of the fills [first, first + size), one column for each axis. `growing` has an element
  /// for each axis, used if that grows, or is empty if none does; fills of the block that are `left_out`
  /// bring it no categories, and have any cell. Returns the first that is refused.
  std::optional<Refusal> find(const HistogramSpec& spec, std::span<const ColumnView> columns,
                              std::size_t first, std::size_t size, std::span<GrowingAxis> growing,
                              std::span<const std::size_t> left_out);

  /// Combines the cells of all axes, given the number of cells of each.
  void combine(std::span<const std::size_t> extents);

  std::size_t size() const { return size_; }
  const std::int32_t* cells() const { return cells_; }
  std::size_t num_nan() const { return num_nan_; }
  /// The first of the axes on which a fill's position is not a number.
  std::optional<std::size_t> nan_axis(std::size_t fill, std::size_t num_axes) const;

  /// Adds the positions inside the range, times the weights, to the sums of Histogram::exact_positions.
  /// Without weights they count 1.
  void add_to(std::span<ExactSum> sums, std::size_t num_axes, const double* weights,
              const MagnitudeRange& weight_magnitudes);

 private:
  struct alignas(64) OnAxis {
    std::array<double, kBlock> copies;
    std::array<double, kBlock> inside;       // positions, 0 for those outside the range of the axis
    std::array<float, kBlock> float_inside;  // the same for floats
    std::array<double, kBlock> weighted;     // those times weight, 0 for fills outside the range of any axis
    std::array<std::int32_t, kBlock> cells;
    Numbers values;  // none for categories
    KeptValues kept;
    MagnitudeRange weighted_magnitudes;
    std::int32_t num_bins = 0;
  };

  void find_names(const Axis& axis, const ColumnView& column, std::size_t first, GrowingAxis* growing,
                  std::span<const std::size_t> left_out, std::int32_t* cells);
  std::optional<std::size_t> find_numbers(const Axis& axis, const ColumnView& column, std::size_t first,
                                          GrowingAxis* growing, std::span<const std::size_t> left_out,
                                          std::int32_t* cells);
  void find_bins(const Axis& axis, const ColumnView& column, std::size_t first, OnAxis& found);
  std::optional<Refusal> find_nan(const HistogramSpec& spec, std::size_t first);

  std::size_t size_ = 0;
  std::size_t num_nan_ = 0;
  std::vector<OnAxis> axes_;
  const std::int32_t* cells_ = nullptr;
  alignas(64) std::array<std::int32_t, kBlock> combined_;
  alignas(64) std::array<std::uint64_t, kBlock> inside_;  // all bits set for fills inside the range
  alignas(64) std::array<double, kBlock> weights_;
  std::vector<std::string_view> names_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace skimline::histograms
