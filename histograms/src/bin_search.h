// SPDX-License-Identifier: BSD-3-Clause
// Finding the bins of numbers, as TAxis::FindFixBin of ROOT 6.40 does. Cells are those of Axis.
#pragma once

#include "axis_bins.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skimline::histograms {

struct RegularEdges {
  double low, high, bins;

  double width() const { return (high - low) / bins; }
};

/// Where arithmetic of `Real` puts a value: the cell (value - begin) bins_per_unit, cut at `highest`, is the
/// right one unless its fraction is farther from 0.5 than is said here.
template <typename Real>
struct BinGuess {
  bool is_of_use = false;
  Real begin = 0, bins_per_unit = 0, highest = 0, farthest_off_middle = 0;
};

/// Bins of equal width over [low, high).
class RegularBins : public AxisBins {
 public:
  RegularBins(int count, double low, double high);

  using AxisBins::index;
  void index(std::span<const double> values, std::int32_t* cells) const override;
  void index(std::span<const float> values, std::int32_t* cells) const override;

 private:
  RegularEdges edges_;
  bool are_well_apart_;
  BinGuess<double> double_guess_;
  BinGuess<float> float_guess_;
};

/// Integers from `low` to `high` - 1, as doubles.
class IntegerBins : public AxisBins {
 public:
  IntegerBins(double low, double high) : low_(low), high_(high) {}

  using AxisBins::index;
  void index(std::span<const double> values, std::int32_t* cells) const override;

 private:
  double low_, high_;
};

/// Bins between edges, with a table that leads near the bin of a value.
class BinTable : public AxisBins {
 public:
  /// At least two edges, finite and increasing.
  explicit BinTable(std::vector<double> edges);

  const std::vector<double>& edges() const override { return edges_; }
  using AxisBins::index;
  void index(std::span<const double> values, std::int32_t* cells) const override;

 private:
  void bisect(std::span<const double> values, std::int32_t* cells) const;

  std::vector<double> edges_;
  // The range is cut into equal parts, each with the first bin that a value in it may have.
  std::vector<std::int32_t> first_bin_;
  double parts_per_unit_ = 0;
  // Most edges that lie between the first bin of a part and the last one; -1 if values need bisection.
  std::int32_t max_steps_ = -1;
};

/// Moves finite values by multiples of high - low into [low, high); what is not finite becomes NaN.
void move_into_range(std::span<const double> values, double low, double high, double* moved);

}  // namespace skimline::histograms
