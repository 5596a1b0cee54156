// SPDX-License-Identifier: BSD-3-Clause
// Cells that hold order-independent sums: those of one copy of a histogram, or of a stripe of it.
#pragma once

#include "skimline/histograms/exact_sum.h"
#include "skimline/histograms/histogram.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace skimline::histograms {

/// Fills to add: for each its cell and its weight; for profiles also weight times value, and that times
/// value.
struct FillBlock {
  const std::int32_t* cells = nullptr;
  const double* weights = nullptr;
  const double* values = nullptr;
  const double* values_squared = nullptr;
  std::size_t size = 0;
  std::array<double, kMaxCellSums> largest{};  ///< no smaller than any magnitude of each sum's terms
  double weight_unit = 0;                      ///< a power of two of which all weights are multiples, or 0
};

/// The two highest parts of all sums of a cell lie together, [place][sum]. What rarely comes lies apart:
/// lower parts, and what the others have grown by beyond their range.
class SumCells {
 public:
  /// Most fills of one block: parts that grow by so many stay in 64 bits.
  static constexpr std::size_t kMaxBlock = 1024;
  static constexpr std::size_t bytes(std::size_t num_cells, std::size_t num_sums) {
    return num_cells * num_sums * 2 * sizeof(std::int64_t);
  }

  /// Cells in zeroed memory of bytes() that begins at a cache line. `num_sums` is 2 or 4. Cells of fills
  /// count from `first_cell`.
  SumCells(std::int64_t* memory, std::int32_t first_cell, std::size_t num_cells, std::size_t num_sums);

  void add(const FillBlock& block);

  std::size_t num_cells() const { return num_cells_; }
  std::size_t num_sums() const { return num_sums_; }
  SumWindow window(std::size_t sum) const { return windows_[sum]; }
  void set_window(std::size_t sum, SumWindow window) { windows_[sum] = window; }

  /// Parts in the two higher places, of magnitude below 2^kHotBits: [cell][place][sum].
  static constexpr int kHotBits = 58;
  const std::int64_t* hot() const { return hot_; }
  /// What to add to the parts of the hot cells; false if there is nothing.
  bool has_cold(std::size_t cell) const;
  bool has_any_cold() const { return !cold_.empty(); }
  SumParts cold(std::size_t cell, std::size_t sum) const;
  SumParts parts(std::size_t cell, std::size_t sum) const;
  void add_parts(std::size_t cell, std::size_t sum, const SumParts& parts);

 private:
  static constexpr std::size_t kColdCells = 16;
  using ColdCell = std::array<Integer128, kMaxCellSums>;
  using ColdCells = std::array<ColdCell, kColdCells>;

  bool are_whole(const FillBlock& block) const;
  std::size_t local(std::int32_t cell) const { return static_cast<std::size_t>(cell - first_cell_); }
  void add_cold(std::size_t cell, std::size_t sum, int number, Integer128 part);
  void raise(std::size_t sum, double largest);
  void move_down(std::size_t sum, int places);
  void add_lower_parts(const FillBlock& block);
  void add_rest(std::size_t cell, std::size_t sum, double rest);
  void cool(const FillBlock& block);
  void cool(std::size_t cell);

  std::int64_t* hot_;
  std::int32_t first_cell_;
  std::size_t num_cells_;
  std::size_t num_sums_;
  std::array<SumWindow, kMaxCellSums> windows_;
  std::map<int, std::vector<std::unique_ptr<ColdCells>>> cold_;  // by the number of the unit
};

}  // namespace skimline::histograms
