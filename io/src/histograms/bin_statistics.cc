// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/bin_statistics.h"

#include "histograms/cell_sums.h"

#include <array>
#include <cmath>
#include <utility>

namespace skimline::io {
namespace {

// By number of the bin, 1 the first. Where labels come as they are filled, their places mean nothing.
std::vector<double> centres_of(const StoredAxis& axis) {
  if (axis.has_labels() && axis.can_extend()) return std::vector<double>(axis.num_cells());
  const double width = (axis.high - axis.low) / axis.num_bins;
  std::vector<double> centres(axis.num_cells());
  for (std::size_t bin = 0; bin < centres.size(); ++bin)
    centres[bin] = axis.edges.empty() || bin == 0 || bin + 1 == centres.size()
                       ? axis.low + (static_cast<double>(bin) - 1) * width + 0.5 * width
                       : axis.edges[bin - 1] + 0.5 * (axis.edges[bin] - axis.edges[bin - 1]);
  return centres;
}

// The numbers of all cells; those that an object does not keep follow from others.
struct Cells {
  std::vector<double> weights, squared_weights, values, squared_values;

  Cells(const HistogramLayout& layout, std::span<const std::byte> payload) {
    const auto read = [&](CellArray which) { return read_reals(layout.arrays[which], payload); };
    if (layout.kind.is_profile) {
      weights = read(kBinEntries);
      squared_weights = read(kBinSumw2);
      values = read(kContents);
      squared_values = read(kSumw2);
      squared_values.resize(values.size());
    } else {
      weights = read(kContents);
      squared_weights = read(kSumw2);
    }
    if (squared_weights.empty())
      for (const double weight : weights) squared_weights.push_back(std::abs(weight));
  }
};

class StatisticsOfBins {
 public:
  StatisticsOfBins(const HistogramLayout& layout, std::span<const std::byte> payload)
      : cells_(layout, payload),
        is_profile_(layout.kind.is_profile),
        has_flow_(layout.has_flow_statistics),
        sums_(layout.sums.size() - 1) {
    for (const StoredAxis& axis : layout.axes) centres_.push_back(centres_of(axis));
  }

  std::vector<double> take() {
    for (std::size_t cell = 0; cell < cells_.weights.size(); ++cell)
      if (find_position(cell)) add(cell);
    return std::move(sums_);
  }

 private:
  // Returns whether the cell counts: a bin of all axes, or any if the object says so.
  bool find_position(std::size_t cell) {
    for (std::size_t axis = 0; axis < centres_.size(); ++axis) {
      const std::size_t bin = cell % centres_[axis].size();
      cell /= centres_[axis].size();
      if (!has_flow_ && (bin == 0 || bin + 1 == centres_[axis].size())) return false;
      position_[axis] = centres_[axis][bin];
    }
    return true;
  }

  void add(std::size_t cell) {
    const double weight = cells_.weights[cell];
    std::size_t next = 0;
    sums_[next++] += weight;
    sums_[next++] += cells_.squared_weights[cell];
    for (std::size_t axis = 0; axis < centres_.size(); ++axis) {
      sums_[next++] += weight * position_[axis];
      sums_[next++] += weight * position_[axis] * position_[axis];
      for (std::size_t other = 0; other < axis; ++other)
        sums_[next++] += weight * position_[other] * position_[axis];
    }
    if (!is_profile_) return;
    sums_[next++] += cells_.values[cell];
    sums_[next++] += cells_.squared_values[cell];
  }

  Cells cells_;
  bool is_profile_, has_flow_;
  std::vector<double> sums_;
  std::vector<std::vector<double>> centres_;
  std::array<double, 3> position_{};
};

}  // namespace

bool has_no_statistics(const HistogramLayout& layout, std::span<const std::byte> payload) {
  return !layout.kind.is_dense_array && read_real(payload, layout.sums[0]) > 0 &&
         read_real(payload, layout.sums[1]) == 0;
}

std::vector<double> bin_statistics(const HistogramLayout& layout, std::span<const std::byte> payload) {
  return StatisticsOfBins(layout, payload).take();
}

}  // namespace skimline::io
