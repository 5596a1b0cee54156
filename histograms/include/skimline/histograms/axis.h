// SPDX-License-Identifier: BSD-3-Clause
// How values map to bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skimline::histograms {

/// Bins over [low, high), with an underflow and an overflow cell around them. Bins are closed at their lower
/// edge and open at their upper one. Immutable but for label and unit.
class Axis {
 public:
  /// `bins` bins of equal width. Throws ConfigError unless 1 <= bins <= 100 million and low < high, both
  /// finite.
  static Axis regular(int bins, double low, double high);

  /// Bins between consecutive edges. Throws ConfigError unless there are two edges or more, finite and
  /// increasing.
  static Axis variable(std::vector<double> edges);

  int num_bins() const { return num_bins_; }
  /// Bins and both flow cells.
  std::size_t num_cells() const { return static_cast<std::size_t>(num_bins_) + 2; }
  double low() const { return low_; }
  double high() const { return high_; }
  bool is_regular() const { return edges_.empty(); }
  /// The edges of a variable axis; empty for a regular one.
  const std::vector<double>& edges() const { return edges_; }

  /// Writes the cell of every value: 0 underflow, 1 to num_bins() the bins, num_bins() + 1 overflow, which
  /// also takes NaN. Equals TAxis::FindFixBin of ROOT 6.40 for every double.
  void index(std::span<const double> values, std::int32_t* cells) const;

  /// "label [unit]", either part left out if empty.
  std::string title() const;

  std::string label;
  std::string unit;

 private:
  Axis() = default;
  void index_regular(std::span<const double> values, std::int32_t* cells) const;
  void index_variable(std::span<const double> values, std::int32_t* cells) const;
  void bisect(std::span<const double> values, std::int32_t* cells) const;
  void make_table();

  int num_bins_ = 0;
  double low_ = 0, high_ = 0;
  std::vector<double> edges_;
  // For variable axes: the range is cut into equal parts, each with the first bin that a value in it may
  // have.
  std::vector<std::int32_t> first_bin_;
  double parts_per_unit_ = 0;
  // Most edges that lie between the first bin of a part and the last one; -1 if values need bisection.
  std::int32_t max_steps_ = -1;
};

}  // namespace skimline::histograms
