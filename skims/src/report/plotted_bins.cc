// SPDX-License-Identifier: BSD-3-Clause
#include "report/plotted_bins.h"

#include "skimline/framework/maths.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skimline::skims {
namespace {

using histograms::Axis;
using histograms::Histogram;

std::string edge_text(double edge) { return significant_digits(edge, 6); }

// The numbers of the edges between columns, the first and the last included.
std::vector<std::size_t> borders_of(const std::vector<double>& edges, std::size_t max_columns) {
  const std::size_t bins = edges.size() - 1, step = (bins + max_columns - 1) / max_columns;
  std::vector<std::size_t> borders;
  for (std::size_t edge = 0; edge < bins; edge += step) borders.push_back(edge);
  borders.push_back(bins);
  return borders;
}

std::vector<std::size_t> logarithmic_borders(const std::vector<double>& edges, std::size_t max_columns) {
  const double low = maths::log(edges.front()), high = maths::log(edges.back());
  std::vector<std::size_t> borders{0};
  for (std::size_t column = 1; column <= max_columns; ++column) {
    const double wanted =
        maths::exp(low + (high - low) * static_cast<double>(column) / static_cast<double>(max_columns));
    const auto edge = std::lower_bound(edges.begin(), edges.end() - 1, wanted) - edges.begin();
    if (static_cast<std::size_t>(edge) > borders.back()) borders.push_back(static_cast<std::size_t>(edge));
  }
  borders.back() = edges.size() - 1;
  return borders;
}

std::vector<double> at(const std::vector<double>& edges, const std::vector<std::size_t>& borders) {
  std::vector<double> chosen;
  for (const std::size_t border : borders) chosen.push_back(edges[border]);
  return chosen;
}

// The sums of cells, or their mean.
struct CellTotal {
  double weight = 0, value = 0;

  void add(const Histogram& histogram, std::size_t cell) {
    weight += histogram.contents()[cell];
    if (has_values(histogram.storage)) value += histogram.sums[histograms::kWeightedValue][cell];
  }
  double content(const Histogram& histogram) const {
    if (!has_values(histogram.storage)) return weight;
    return weight == 0 ? std::numeric_limits<double>::quiet_NaN() : value / weight;
  }
};

}  // namespace

std::vector<double> edges_of(const Axis& axis) {
  if (!axis.edges().empty()) return axis.edges();
  std::vector<double> edges;
  const double width = (axis.high() - axis.low()) / axis.num_bins();
  for (int i = 0; i < axis.num_bins(); ++i) edges.push_back(axis.low() + i * width);
  edges.push_back(axis.high());
  return edges;
}

std::string bin_name(const Axis& axis, std::size_t bin) {
  if (bin < axis.names().size()) return axis.names()[bin];
  if (bin < axis.numbers().size()) return std::to_string(axis.numbers()[bin]);
  const std::vector<double> edges = edges_of(axis);
  return "[" + edge_text(edges[bin]) + ", " + edge_text(edges[bin + 1]) + ")";
}

std::vector<double> contents_in_range(const Histogram& histogram) {
  std::vector<double> contents;
  for (std::size_t bin = 1; bin + 1 < histogram.num_cells(); ++bin) {
    CellTotal total;
    total.add(histogram, bin);
    contents.push_back(total.content(histogram));
  }
  return contents;
}

HistogramSummaryOfAxis summary_of(const Histogram& histogram, std::size_t axis) {
  const histograms::Statistics& sums = histogram.statistics;
  if (histogram.axes[axis].is_category() || sums.weight == 0 || axis >= sums.position.size()) return {};
  const double mean = sums.position[axis] / sums.weight;
  const double variance = sums.position_squared[axis] / sums.weight - mean * mean;
  return {true, mean, std::sqrt(std::max(variance, 0.0))};
}

PlottedBins::PlottedBins(const Histogram& histogram, std::size_t max_columns, bool log_x) {
  const std::vector<double> edges = edges_of(histogram.axes[0]);
  const bool is_logarithmic = log_x && edges.front() > 0;
  const std::vector<std::size_t> borders =
      is_logarithmic ? logarithmic_borders(edges, max_columns) : borders_of(edges, max_columns);
  edges_ = at(edges, borders);
  for (std::size_t column = 0; column + 1 < borders.size(); ++column) {
    CellTotal total;
    for (std::size_t bin = borders[column]; bin < borders[column + 1]; ++bin) total.add(histogram, bin + 1);
    const bool is_density = log_x && !has_values(histogram.storage);
    contents_.push_back(total.content(histogram) / (is_density ? edges_[column + 1] - edges_[column] : 1));
  }
}

PlottedMap::PlottedMap(const Histogram& histogram, std::size_t max_columns, std::size_t max_rows) {
  const std::vector<double> x = edges_of(histogram.axes[0]), y = edges_of(histogram.axes[1]);
  const std::vector<std::size_t> x_borders = borders_of(x, max_columns), y_borders = borders_of(y, max_rows);
  x_edges_ = at(x, x_borders);
  y_edges_ = at(y, y_borders);
  const std::size_t stride = histogram.axes[0].num_cells();
  for (std::size_t row = 0; row + 1 < y_borders.size(); ++row)
    for (std::size_t column = 0; column + 1 < x_borders.size(); ++column) {
      CellTotal total;
      for (std::size_t j = y_borders[row]; j < y_borders[row + 1]; ++j)
        for (std::size_t i = x_borders[column]; i < x_borders[column + 1]; ++i)
          total.add(histogram, (j + 1) * stride + i + 1);
      contents_.push_back(total.content(histogram));
    }
}

}  // namespace skimline::skims
