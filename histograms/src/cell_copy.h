// SPDX-License-Identifier: BSD-3-Clause
// One copy of a histogram's cells.
#pragma once

#include "sum_cells.h"

#include "skimline/histograms/histogram_spec.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>

namespace skimline::histograms {

/// Bytes of one copy of a histogram's cells, a multiple of a cache line.
std::size_t cell_bytes(const HistogramSpec& spec, std::size_t num_cells);

/// Counts, or order-independent sums, in memory of somebody else. A shared copy is cut into stripes: threads
/// lock those they fill, one after the other.
class CellCopy {
 public:
  /// `memory` is zeroed, begins at a cache line and has cell_bytes().
  CellCopy(const HistogramSpec& spec, std::size_t num_cells, std::byte* memory, bool is_shared);

  /// Counts fills. `slot` is that of the calling thread.
  void count(std::span<const std::int32_t> cells, std::size_t slot);
  /// Adds weights and values.
  void add(const FillBlock& block, std::size_t slot);

  std::size_t num_cells() const { return num_cells_; }
  const std::uint64_t* counts() const { return reinterpret_cast<const std::uint64_t*>(memory_); }
  std::uint64_t* counts() { return reinterpret_cast<std::uint64_t*>(memory_); }
  /// The sums, in consecutive runs of stripe_cells() cells, the last of which may be shorter.
  std::size_t num_stripes() const { return stripes_.size(); }
  std::size_t stripe_cells() const { return std::size_t{1} << shift_; }
  const SumCells& stripe(std::size_t i) const { return stripes_[i].cells; }
  SumCells& stripe(std::size_t i) { return stripes_[i].cells; }

 private:
  struct Stripe {
    explicit Stripe(SumCells sums) : cells(std::move(sums)) {}
    std::mutex mutex;
    SumCells cells;  // not of counts
  };

  template <typename Fill>
  void for_each_stripe(const FillBlock& block, std::size_t slot, Fill fill);

  std::byte* memory_;
  std::size_t num_cells_;
  bool is_shared_;
  int shift_ = 0;
  std::deque<Stripe> stripes_;
};

}  // namespace skimline::histograms
