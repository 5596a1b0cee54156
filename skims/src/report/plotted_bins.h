// SPDX-License-Identifier: BSD-3-Clause
// The bins of a histogram as a drawing of few columns has them.
#pragma once

#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::skims {

/// The edges of all bins, one more than there are; of categories 0, 1, 2 and so on.
std::vector<double> edges_of(const histograms::Axis& axis);

/// What a bin is called: its category, or "[low, high)".
std::string bin_name(const histograms::Axis& axis, std::size_t bin);

/// The contents, or means, of the bins of a histogram with one axis, without flow cells. A mean of nothing is
/// not a number.
std::vector<double> contents_in_range(const histograms::Histogram& histogram);

/// Mean and spread of the fills along one axis, by the statistics of the histogram.
struct HistogramSummaryOfAxis {
  bool has_mean = false;  ///< not of categories, nor if nothing was filled
  double mean = 0, rms = 0;
};
HistogramSummaryOfAxis summary_of(const histograms::Histogram& histogram, std::size_t axis);

/// Bins of one axis, several of them together where there are more than columns.
class PlottedBins {
 public:
  /// With `log_x` columns are equally wide in log x, if the axis begins above 0, and have contents per unit.
  PlottedBins(const histograms::Histogram& histogram, std::size_t max_columns, bool log_x);

  const std::vector<double>& edges() const { return edges_; }
  const std::vector<double>& contents() const { return contents_; }

 private:
  std::vector<double> edges_, contents_;
};

/// The same of two axes; contents row by row.
class PlottedMap {
 public:
  PlottedMap(const histograms::Histogram& histogram, std::size_t max_columns, std::size_t max_rows);

  const std::vector<double>& x_edges() const { return x_edges_; }
  const std::vector<double>& y_edges() const { return y_edges_; }
  const std::vector<double>& contents() const { return contents_; }

 private:
  std::vector<double> x_edges_, y_edges_, contents_;
};

}  // namespace skimline::skims
