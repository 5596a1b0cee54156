// SPDX-License-Identifier: BSD-3-Clause
#include "histograms/labelled_bins.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace skimline::io {
namespace {

using histograms::Axis;
using histograms::Histogram;

// The cells that have a label, and the flows; nothing for an axis whose bins are no room for further labels.
std::vector<bool> cells_to_keep(const StoredAxis& axis) {
  if (!axis.can_extend() || !axis.has_labels()) return {};
  std::vector<bool> keeps(axis.num_cells());
  keeps.front() = keeps.back() = true;
  std::set<std::string> names;
  for (const auto& [bin, name] : axis.labels) {
    if (bin >= keeps.size() || keeps[bin] || !names.insert(name).second) return {};
    keeps[bin] = true;
  }
  return keeps;
}

// Cells of one axis within all: each is a run of so many numbers.
struct CellsOfAxis {
  std::size_t stride;
  const std::vector<bool>& keeps;

  bool is_kept(std::size_t cell) const { return keeps[cell / stride % keeps.size()]; }
};

bool are_others_empty(const std::vector<double>& sums, const CellsOfAxis& cells) {
  for (std::size_t cell = 0; cell < sums.size(); ++cell)
    if (!cells.is_kept(cell) && sums[cell] != 0) return false;
  return true;
}

std::vector<double> kept(const std::vector<double>& sums, const CellsOfAxis& cells) {
  std::vector<double> values;
  for (std::size_t cell = 0; cell < sums.size(); ++cell)
    if (cells.is_kept(cell)) values.push_back(sums[cell]);
  return values;
}

Axis categories_of(const StoredAxis& stored) {
  std::vector<std::string> names;
  for (const auto& [bin, name] : stored.labels) names.push_back(name);
  Axis axis = Axis::categories(std::move(names));
  axis.label = stored.title;
  return axis;
}

}  // namespace

void drop_bins_without_labels(const std::vector<StoredAxis>& stored, Histogram& histogram) {
  std::size_t stride = 1;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::vector<bool> keeps = cells_to_keep(stored[i]);
    const CellsOfAxis cells{stride, keeps};
    const auto are_empty = [&](const std::vector<double>& sums) { return are_others_empty(sums, cells); };
    if (!keeps.empty() && std::all_of(histogram.sums.begin(), histogram.sums.end(), are_empty)) {
      for (std::vector<double>& sums : histogram.sums) sums = kept(sums, cells);
      histogram.axes[i] = categories_of(stored[i]);
    }
    stride *= histogram.axes[i].num_cells();
  }
}

}  // namespace skimline::io
