// SPDX-License-Identifier: BSD-3-Clause
// What fills add to the sums of their cells.
#pragma once

#include "positions.h"
#include "sum_cells.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skimline::histograms {

/// Fills of one block among those of a call.
struct BlockRange {
  std::size_t first = 0;
  std::size_t size = 0;
};

/// Weights, and values of profiles, of one block; reused from block to block.
class Terms {
 public:
  /// Reads those of the histogram numbered `which` among the ones that are filled together; the columns are
  /// those of HistogramSet::fill. Fills that cannot be added are refused or, if the histogram wants that,
  /// weigh 0.
  std::optional<Refusal> read(const HistogramSpec& spec, std::span<const ColumnView> columns,
                              std::size_t which, BlockRange range);

  /// Fills of the block that were left out.
  std::span<const std::size_t> bad() const { return bad_; }
  const double* weights() const { return weights_; }
  const MagnitudeRange& weight_magnitudes() const { return weight_magnitudes_; }
  FillBlock block(const std::int32_t* cells) const;

 private:
  bool find_terms();
  std::optional<std::size_t> first_bad(std::size_t from) const;
  void leave_out(std::size_t fill);

  std::size_t size_ = 0;
  std::vector<std::size_t> bad_;
  const double* weights_ = nullptr;
  const double* values_ = nullptr;  // nullptr unless a profile is filled
  MagnitudeRange weight_magnitudes_;
  std::array<double, kMaxCellSums> largest_{};
  alignas(64) std::array<double, kBlock> weight_copies_;
  alignas(64) std::array<double, kBlock> value_copies_;
  alignas(64) std::array<double, kBlock> products_;
  alignas(64) std::array<double, kBlock> products_squared_;
};

}  // namespace skimline::histograms
