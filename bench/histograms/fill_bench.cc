// SPDX-License-Identifier: BSD-3-Clause
// Fills of one-dimensional histograms on one core: 2 M Gaussian values in batches of 4096, statistics
// included.
//
//   regular, variable     100 bins from -4 to 4; 50 bins, wider towards the ends
//   unit, weighted        counts; weights between 0.5 and 1.5
//   index                 the bin search alone
#include "skimline/histograms/histogram_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

namespace skimline::histograms {
namespace {

constexpr std::size_t kNumValues = 2'000'000;
constexpr std::size_t kBatch = 4096;

struct Events {
  std::vector<double> values, weights;

  Events() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    std::uniform_real_distribution<double> uniform(0.5, 1.5);
    for (std::size_t i = 0; i < kNumValues; ++i) {
      values.push_back(gauss(random));
      weights.push_back(uniform(random));
    }
  }
};

const Events& events() {
  static const Events made;
  return made;
}

Axis regular_axis() { return Axis::regular(100, -4, 4); }

Axis variable_axis() {
  std::vector<double> edges;
  for (int i = 0; i <= 50; ++i) {
    const double position = -1 + i / 25.0;
    edges.push_back(4 * position * (0.5 + 0.5 * std::fabs(position)));
  }
  return Axis::variable(edges);
}

ColumnView view_of(const std::vector<double>& values, std::size_t first) {
  const std::size_t length = std::min(kBatch, values.size() - first);
  return {.type = flat(ScalarType::kDouble), .length = length, .values = values.data() + first};
}

void fill_all(HistogramSet& set, bool is_weighted) {
  for (std::size_t first = 0; first < kNumValues; first += kBatch) {
    const ColumnView values = view_of(events().values, first);
    if (is_weighted)
      set.fill(0, 0, values, view_of(events().weights, first));
    else
      set.fill(0, 0, values);
  }
}

// A benchmark of a wrong answer is worth nothing.
bool is_right(const HistogramSet& set, std::int64_t rounds) {
  const Histogram result = set.reduce().at(0);
  const double sum = std::accumulate(result.contents.begin(), result.contents.end(), 0.0);
  const auto& weights = events().weights;
  const double once = result.is_weighted ? std::accumulate(weights.begin(), weights.end(), 0.0) : kNumValues;
  const double expected = once * static_cast<double>(rounds);
  return std::fabs(sum - expected) < 1e-9 * expected;
}

void fill(benchmark::State& state, const Axis& axis, bool is_weighted) {
  HistogramSet set;
  set.add({.name = "h", .title = "", .axis = axis, .is_weighted = is_weighted});
  events();
  for (auto _ : state) fill_all(set, is_weighted);
  if (!is_right(set, static_cast<std::int64_t>(state.iterations()))) state.SkipWithError("wrong sum");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kNumValues));
}

void index(benchmark::State& state, const Axis& axis) {
  std::vector<std::int32_t> cells(kBatch);
  for (auto _ : state)
    for (std::size_t first = 0; first < kNumValues; first += kBatch) {
      const ColumnView values = view_of(events().values, first);
      axis.index({values.data<double>(), values.length}, cells.data());
      benchmark::DoNotOptimize(cells.data());
      benchmark::ClobberMemory();
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kNumValues));
}

BENCHMARK_CAPTURE(fill, regular_unit, regular_axis(), false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fill, regular_weighted, regular_axis(), true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fill, variable_unit, variable_axis(), false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fill, variable_weighted, variable_axis(), true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(index, regular, regular_axis())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(index, variable, variable_axis())->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace skimline::histograms
