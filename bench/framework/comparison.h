// SPDX-License-Identifier: BSD-3-Clause
// Times a kernel beside a plain loop that gives the same, as two benchmarks <name>/ours and <name>/loop.
#pragma once

#include "events.h"
#include "expression/function_registry.h"
#include "expression/kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace skimline::bench {

/// An operation and what it works on in each batch.
class Kernel {
 public:
  using Inputs = std::vector<ColumnView> (*)(const Batch&);

  Kernel(Operation operation, Inputs inputs);

  ColumnView operator()(std::size_t batch, ColumnBuffer& results) const;

 private:
  ColumnView run_loop(std::span<const ColumnView> inputs, ColumnBuffer& results) const;

  Operation operation_;
  std::vector<std::vector<ColumnView>> inputs_;  // by batch
};

/// A function of the language for inputs of the types that `inputs` gives. A text constant is `text`.
Kernel called(std::string_view function, Kernel::Inputs inputs, std::string_view text = {});

/// The operation that a column kernel stands for.
Operation operation_of(ColumnKernel kernel, Type result);

/// Runs on the batch of a number; the view lasts until the next run with the same buffer.
using Ours = std::function<ColumnView(std::size_t, ColumnBuffer&)>;

/// Writes the values, and for lists the offsets, of a batch, both with room for what the kernel gives.
template <typename R>
using PlainLoop = std::function<void(const Batch&, R* values, std::uint32_t* offsets)>;

/// What times are divided by.
struct Unit {
  const char* name;
  std::size_t (*count)(const Batch&, const ColumnView& result);
};
inline constexpr Unit kPerEntry{"entry", [](const Batch&, const ColumnView&) { return kBatch; }};
inline constexpr Unit kPerResult{"result",
                                 [](const Batch&, const ColumnView& result) { return result.num_values(); }};
inline constexpr Unit kPerFew{"element",
                              [](const Batch& batch, const ColumnView&) { return batch.few.size(); }};
inline constexpr Unit kPerMany{"element",
                               [](const Batch& batch, const ColumnView&) { return batch.many.size(); }};

/// How much results may differ, relative to their size.
inline constexpr double kExact = 0;
inline constexpr double kRounding = 1e-12;
inline constexpr double kUnrelated = 1e300;  ///< random numbers

template <typename R>
bool agree(const R& a, const R& b, double tolerance) {
  if constexpr (std::is_same_v<R, LorentzVector>)
    return agree(a.x, b.x, tolerance) && agree(a.y, b.y, tolerance) && agree(a.z, b.z, tolerance) &&
           agree(a.energy, b.energy, tolerance);
  else if constexpr (std::is_floating_point_v<R>)
    return a == b || std::fabs(a - b) <= tolerance * std::fabs(b);
  else
    return a == b;
}

/// The results of a plain loop.
template <typename R>
struct PlainResult {
  PlainResult(std::size_t num_values, std::size_t num_entries)
      : values(std::make_unique<R[]>(num_values)),
        offsets(std::make_unique<std::uint32_t[]>(num_entries + 1)) {}

  bool equals(const ColumnView& result, double tolerance) const {
    if (result.type.is_jagged() && !std::equal(offsets.get(), offsets.get() + result.length, result.offsets))
      return false;
    for (std::size_t i = 0; i < result.num_values(); ++i)
      if (!agree(result.data<R>()[i], values[i], tolerance)) return false;
    return true;
  }

  std::unique_ptr<R[]> values;
  std::unique_ptr<std::uint32_t[]> offsets;
};

template <typename R>
struct Comparison {
  std::string name;
  Unit unit;
  Ours ours;
  PlainLoop<R> plain;
  double tolerance = kExact;
};

/// Calls `run(batch number)` for every batch again and again; `num_elements` are those of all batches.
template <typename Run>
void time_batches(benchmark::State& state, std::size_t num_elements, const Run& run) {
  for (auto _ : state)
    for (std::size_t batch = 0; batch < kNumBatches; ++batch) {
      run(batch);
      benchmark::ClobberMemory();
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * num_elements));
}

template <typename R>
void add(const Comparison<R>& comparison) {
  ColumnBuffer buffer;
  std::size_t num_elements = 0, most_values = 0;
  std::string fault;
  for (std::size_t batch = 0; batch < kNumBatches; ++batch) {
    const ColumnView result = comparison.ours(batch, buffer);
    num_elements += comparison.unit.count(batches()[batch], result);
    most_values = std::max(most_values, result.num_values());
    const PlainResult<R> expected(result.num_values(), result.length);
    comparison.plain(batches()[batch], expected.values.get(), expected.offsets.get());
    // A benchmark of a wrong answer is worth nothing.
    if (!expected.equals(result, comparison.tolerance)) fault = "the kernel and the loop differ";
  }
  const auto ours = [=](benchmark::State& state) {
    if (!fault.empty()) state.SkipWithError(fault.c_str());
    ColumnBuffer results;
    time_batches(state, num_elements, [&](std::size_t batch) {
      benchmark::DoNotOptimize(comparison.ours(batch, results).values);
    });
    state.SetLabel(comparison.unit.name);
  };
  const auto plain = [=](benchmark::State& state) {
    if (!fault.empty()) state.SkipWithError(fault.c_str());
    const PlainResult<R> results(most_values, kBatch);
    time_batches(state, num_elements, [&](std::size_t batch) {
      comparison.plain(batches()[batch], results.values.get(), results.offsets.get());
    });
    state.SetLabel(comparison.unit.name);
  };
  benchmark::RegisterBenchmark((comparison.name + "/ours").c_str(), ours);
  benchmark::RegisterBenchmark((comparison.name + "/loop").c_str(), plain);
}

/// The comparisons of each family, one file each.
void add_arithmetic();
void add_reductions();
void add_list_outputs();
void add_kinematics();
void add_moves();
void add_texts_and_random_numbers();

}  // namespace skimline::bench
