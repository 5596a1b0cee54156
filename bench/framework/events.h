// SPDX-License-Identifier: BSD-3-Clause
// Random events in batches, as the evaluator works on them.
#pragma once

#include "skimline/framework/column.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace skimline::bench {

inline constexpr std::size_t kBatch = 4096;
/// So many that no branch predictor learns the events by heart, and so few that they stay in the caches.
inline constexpr std::size_t kNumBatches = 8;

/// Particles of the events of a batch.
struct Particles {
  std::vector<std::uint32_t> offsets;
  std::vector<float> pt, eta, phi, mass;
  std::vector<std::int32_t> charge;  ///< -1 or 1
  std::vector<std::int32_t> id;      ///< 0 to 3
  std::unique_ptr<bool[]> is_good;   ///< two thirds are
  std::vector<std::uint64_t> by_pt;  ///< indexes, in random order
  std::vector<LorentzVector> p4;
  std::vector<std::string_view> names;  ///< of triggers

  std::size_t size() const { return pt.size(); }
};

struct Batch {
  std::vector<float> x, y, eta1, eta2, phi1, phi2;
  std::vector<double> dx, dy, pt, eta, phi, mass;
  std::vector<std::int32_t> ix, iy;  ///< iy is not 0
  std::vector<std::uint64_t> event;
  std::unique_ptr<bool[]> flag;
  Particles few;      ///< 3 per event, at least 1
  Particles several;  ///< 4 per event, at least 3
  Particles many;     ///< 10 per event, at least 3

  /// Which events survive a selection that keeps 1 %, 20 % or 90 % of them.
  std::unique_ptr<bool[]> keeps_1, keeps_20, keeps_90;
  std::vector<std::uint32_t> entries_1, entries_20, entries_90;
};

const std::vector<Batch>& batches();

template <typename T>
ColumnView flat_view(const T* values) {
  return {flat(scalar_type_of<T>), kBatch, values, nullptr, false};
}
template <typename T>
ColumnView flat_view(const std::vector<T>& values) {
  return flat_view(values.data());
}
template <typename T>
ColumnView list_view(const Particles& particles, const T* values) {
  return {jagged(scalar_type_of<T>), kBatch, values, particles.offsets.data(), false};
}
template <typename T>
ColumnView list_view(const Particles& particles, const std::vector<T>& values) {
  return list_view(particles, values.data());
}
template <auto kValue>
ColumnView constant_view() {
  static constexpr auto kStored = kValue;
  return {flat(scalar_type_of<decltype(kValue)>), kBatch, &kStored, nullptr, true};
}

}  // namespace skimline::bench
