// SPDX-License-Identifier: BSD-3-Clause
// The kinds of histograms that benchmarks fill, as Skimline books and fills them.
#pragma once

#include "fill_events.h"

#include "skimline/histograms/histogram_set.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fills {

/// Events of one call, as the engine fills them.
constexpr std::size_t kBatch = 4096;

struct Kind {
  std::string name;
  skimline::histograms::HistogramSpec spec;
  std::vector<const std::vector<double>*> columns;
};

inline std::vector<Kind> kinds() {
  using skimline::histograms::Axis;
  using skimline::histograms::Storage;
  const Events& made = events();
  const Axis regular = Axis::regular(kBins, kLow, kHigh), variable = Axis::variable(variable_edges());
  const auto spec = [](std::vector<Axis> axes, Storage storage) {
    return skimline::histograms::HistogramSpec{
        .name = "h", .title = "", .axes = std::move(axes), .storage = storage};
  };
  const auto *const x = &made.x, *const y = &made.y, *const z = &made.z, *const weights = &made.weights;
  return {
      {"1d", spec({regular}, Storage::kCount), {x}},
      {"1d_weighted", spec({regular}, Storage::kWeighted), {x, weights}},
      {"variable", spec({variable}, Storage::kCount), {x}},
      {"variable_weighted", spec({variable}, Storage::kWeighted), {x, weights}},
      {"2d_weighted", spec({regular, regular}, Storage::kWeighted), {x, y, weights}},
      {"3d_weighted", spec({regular, regular, regular}, Storage::kWeighted), {x, y, z, weights}},
      {"profile", spec({regular}, Storage::kProfile), {x, y, weights}},
  };
}

/// Fills all events once into the only histogram of a set.
inline void fill_all(skimline::histograms::HistogramSet& set, const Kind& kind) {
  const std::vector<std::size_t> ids{0};
  std::vector<skimline::ColumnView> views(kind.columns.size());
  for (std::size_t first = 0; first < kNumValues; first += kBatch) {
    for (std::size_t i = 0; i < views.size(); ++i)
      views[i] = {.type = skimline::flat(skimline::ScalarType::kDouble),
                  .length = std::min(kBatch, kNumValues - first),
                  .values = kind.columns[i]->data() + first};
    if (set.fill(0, ids, views)) throw std::runtime_error("a fill was refused");
  }
}

}  // namespace fills
