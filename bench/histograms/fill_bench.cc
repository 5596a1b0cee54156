// SPDX-License-Identifier: BSD-3-Clause
// Fills of each kind of histogram (skimline_kinds.h) on one core, statistics included, and the bin search
// alone.
#include "skimline_kinds.h"

#include <cmath>
#include <cstdint>
#include <numeric>

#include <benchmark/benchmark.h>

namespace {

using skimline::histograms::Axis;
using skimline::histograms::Histogram;
using skimline::histograms::HistogramSet;
using skimline::histograms::Storage;

// A benchmark of a wrong answer is worth nothing.
bool is_right(const HistogramSet& set, std::int64_t rounds) {
  const Histogram result = set.reduce(0);
  const std::vector<double>& weights = fills::events().weights;
  const double sum = std::accumulate(result.contents().begin(), result.contents().end(), 0.0);
  const double once = result.storage == Storage::kCount
                          ? static_cast<double>(fills::kNumValues)
                          : std::accumulate(weights.begin(), weights.end(), 0.0);
  const double expected = once * static_cast<double>(rounds);
  return std::fabs(sum - expected) < 1e-9 * expected;
}

void fill(benchmark::State& state, const fills::Kind& kind) {
  HistogramSet set;
  set.add(kind.spec);
  for (auto _ : state) fills::fill_all(set, kind);
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  if (!is_right(set, rounds)) state.SkipWithError("wrong sum");
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(fills::kNumValues));
}

void index(benchmark::State& state, const Axis& axis) {
  const std::vector<double>& values = fills::events().x;
  std::vector<std::int32_t> cells(fills::kBatch);
  for (auto _ : state)
    for (std::size_t first = 0; first < fills::kNumValues; first += fills::kBatch) {
      axis.index({values.data() + first, std::min(fills::kBatch, fills::kNumValues - first)}, cells.data());
      benchmark::DoNotOptimize(cells.data());
      benchmark::ClobberMemory();
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * fills::kNumValues));
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  for (const fills::Kind& kind : fills::kinds())
    benchmark::RegisterBenchmark(("fill/" + kind.name).c_str(), fill, kind)->Unit(benchmark::kMillisecond);
  const Axis regular = Axis::regular(fills::kBins, fills::kLow, fills::kHigh);
  const Axis variable = Axis::variable(fills::variable_edges());
  benchmark::RegisterBenchmark("index/regular", index, regular)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("index/variable", index, variable)->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
