// SPDX-License-Identifier: BSD-3-Clause
// Histograms with some fills.
#pragma once

#include "skimline/histograms/histogram_set.h"

#include <stdexcept>
#include <utility>
#include <vector>

namespace skimline::io {

/// Returns a histogram called "h" with the title "title", filled with columns of numbers: one for each axis,
/// then the value of profiles, then the weight.
inline histograms::Histogram filled_histogram(std::vector<histograms::Axis> axes, histograms::Storage storage,
                                              const std::vector<std::vector<double>>& columns) {
  histograms::HistogramSpec spec;
  spec.name = "h";
  spec.title = "title";
  spec.axes = std::move(axes);
  spec.storage = storage;
  histograms::HistogramSet set;
  const std::size_t ids[] = {set.add(std::move(spec))};
  std::vector<ColumnView> views;
  for (const std::vector<double>& values : columns) {
    ColumnView& view = views.emplace_back();
    view.type.scalar = ScalarType::kDouble;
    view.length = values.size();
    view.values = values.data();
  }
  if (set.fill(0, ids, views)) throw std::invalid_argument("a fill was refused");
  return set.reduce(ids[0]);
}

}  // namespace skimline::io
