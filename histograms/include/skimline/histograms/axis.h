// SPDX-License-Identifier: BSD-3-Clause
// How values map to bins.
#pragma once

#include "skimline/histograms/axis_kind.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::histograms {

class AxisBins;

/// Bins, with an underflow cell in front and an overflow cell behind them: cells are numbered from 0
/// (underflow) through num_bins() to num_bins() + 1 (overflow), whatever the axis. Bins are closed at their
/// lower edge and open at their upper one. Cheap to copy; immutable but for label and unit.
class Axis {
 public:
  /// `bins` bins of equal width. Throws ConfigError unless 1 <= bins <= 100 million and low < high, both
  /// finite.
  static Axis regular(int bins, double low, double high, AxisFlow flow = {});

  /// Bins between consecutive edges. Throws ConfigError unless they are two or more, finite, increasing.
  static Axis variable(std::vector<double> edges, AxisFlow flow = {});

  /// One bin for each integer from `first` to `last`; other numbers count for the integer below them. Throws
  /// ConfigError unless first <= last, with no more bins than a regular axis may have.
  static Axis integer(std::int32_t first, std::int32_t last, AxisFlow flow = {});

  /// One bin for each category, in this order. Other values count as overflow or, if `is_growing`, get bins
  /// of their own; the categories of a filled histogram are then in increasing order. Throws ConfigError if
  /// two are equal, or if there are none and the axis does not grow.
  static Axis categories(std::vector<std::string> names, bool is_growing = false);
  static Axis categories(std::vector<std::int64_t> numbers, bool is_growing = false);

  /// How the bins are given; both kinds of categories are categories.
  AxisKind kind() const { return kind_; }
  /// What it is filled with: numbers, or texts or integers that are categories.
  AxisValues values() const { return values_; }
  bool is_category() const { return values_ != AxisValues::kNumbers; }
  /// Bins, without the flow cells.
  int num_bins() const { return num_bins_; }
  /// Bins and both flow cells.
  std::size_t num_cells() const { return static_cast<std::size_t>(num_bins_) + 2; }
  /// Limits of the bins; of categories 0 and their number.
  double low() const { return low_; }
  double high() const { return high_; }
  /// The edges of a variable axis; empty for others.
  const std::vector<double>& edges() const;
  /// The categories of a category axis of either kind; empty for others.
  const std::vector<std::string>& names() const;
  const std::vector<std::int64_t>& numbers() const;
  bool is_growing() const { return is_growing_; }
  /// Fills that belong into a flow cell which the axis lacks count as entries, and are in no cell.
  const AxisFlow& flow() const { return flow_; }

  /// Writes the cell of every value: 0 underflow, 1 to num_bins() the bins, num_bins() + 1 overflow, which
  /// also takes NaN. Regular, integer and variable axes that are not circular equal TAxis::FindFixBin of ROOT
  /// 6.40 for every double. Of integer categories, what is no integer has none.
  void index(std::span<const double> values, std::int32_t* cells) const;
  void index(std::span<const float> values, std::int32_t* cells) const;
  /// The same for string categories; overflow if there is no such category.
  void index(std::span<const std::string_view> values, std::int32_t* cells) const;
  /// The same for integer categories.
  void index(std::span<const std::int64_t> values, std::int32_t* cells) const;

  /// "label [unit]", either part left out if empty.
  std::string title() const;

  /// Whether both have the same bins; label and unit do not count.
  friend bool have_same_bins(const Axis& left, const Axis& right);

  std::string label;
  std::string unit;

 private:
  Axis() = default;
  static Axis between(AxisKind kind, int bins, double low, double high, AxisFlow flow);
  void set_bins(std::shared_ptr<const AxisBins> bins);
  template <typename Categories>
  static Axis of_categories(AxisKind kind, Categories categories, bool is_growing);

  AxisKind kind_ = AxisKind::kRegular;
  AxisValues values_ = AxisValues::kNumbers;
  int num_bins_ = 0;
  double low_ = 0, high_ = 0;
  bool is_growing_ = false;
  AxisFlow flow_;
  std::shared_ptr<const AxisBins> bins_;
};

/// Whether both have the same bins; label and unit do not count.
bool have_same_bins(const Axis& left, const Axis& right);

}  // namespace skimline::histograms
