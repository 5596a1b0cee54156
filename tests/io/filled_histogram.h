// SPDX-License-Identifier: BSD-3-Clause
// Histograms with some fills.
#pragma once

#include "skimline/histograms/histogram_set.h"

#include <list>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {

/// Columns as histograms take them, made of numbers: categories become whole numbers or empty strings.
class FillColumns {
 public:
  FillColumns(std::span<const histograms::Axis> axes, const std::vector<std::vector<double>>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_category = i < axes.size() && axes[i].is_category();
      if (!is_category)
        add(columns[i].data(), columns[i].size(), ScalarType::kDouble);
      else if (axes[i].values() == histograms::AxisValues::kIntegers)
        add(integers_.emplace_back(columns[i].begin(), columns[i].end()).data(), columns[i].size(),
            ScalarType::kInt64);
      else
        add(strings_.emplace_back(columns[i].size()).data(), columns[i].size(), ScalarType::kString);
    }
  }

  std::span<const ColumnView> views() const { return views_; }

 private:
  void add(const void* values, std::size_t length, ScalarType scalar) {
    ColumnView& view = views_.emplace_back();
    view.type.scalar = scalar;
    view.length = length;
    view.values = values;
  }

  std::list<std::vector<std::int64_t>> integers_;
  std::list<std::vector<std::string_view>> strings_;
  std::vector<ColumnView> views_;
};

/// Returns a histogram called "h" with the title "title", filled with columns: one for each axis, then the
/// value of profiles, then the weight.
inline histograms::Histogram filled_histogram(std::vector<histograms::Axis> axes, histograms::Storage storage,
                                              const std::vector<std::vector<double>>& columns) {
  histograms::HistogramSpec spec;
  spec.name = "h";
  spec.title = "title";
  spec.axes = std::move(axes);
  spec.storage = storage;
  const FillColumns fills(spec.axes, columns);
  histograms::HistogramSet set;
  const std::size_t ids[] = {set.add(std::move(spec))};
  if (set.fill(0, ids, fills.views())) throw std::invalid_argument("a fill was refused");
  return set.reduce(ids[0]);
}

}  // namespace skimline::io
