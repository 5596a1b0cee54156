// SPDX-License-Identifier: BSD-3-Clause
// What the cells of a histogram hold, and in what these storages differ: one table for all code.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace skimline::histograms {

/// What each cell holds. Their numbers are those in files of exact sums.
enum class Storage {
  kCount,     ///< the number of fills
  kWeighted,  ///< the sums of weights and of their squares
  kProfile,   ///< and those of weight times value and weight times value squared
};

/// The sums of a cell, in the order of Histogram::sums.
enum CellSum : std::size_t { kWeight, kWeightSquared, kWeightedValue, kWeightedValueSquared };
inline constexpr std::size_t kMaxCellSums = 4;

/// One storage.
struct StorageTraits {
  Storage storage;
  std::string_view name;         ///< "weighted"
  std::string_view description;  ///< what a histogram does: "sums weights"
  std::size_t num_sums;          ///< in each cell, the first ones of CellSum
  bool has_weights;              ///< else fills are counted, which needs no exact sums
  bool has_values;               ///< whether fills have a value beside their positions
};

/// All storages, by their numbers.
std::span<const StorageTraits> storages();

/// The row of a storage.
const StorageTraits& traits_of(Storage storage);

/// Members of the traits.
std::size_t num_sums(Storage storage);
bool has_weights(Storage storage);
bool has_values(Storage storage);

}  // namespace skimline::histograms
