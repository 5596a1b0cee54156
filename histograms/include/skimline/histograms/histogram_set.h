// SPDX-License-Identifier: BSD-3-Clause
// All histograms of a run: booked first, then filled by many threads, then reduced to one result.
#pragma once

#include "skimline/framework/accumulator.h"
#include "skimline/framework/column.h"
#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::histograms {

struct HistogramSpec {
  std::string name;
  std::string title;
  Axis axis;
  bool is_weighted = false;
};

/// Each thread slot has an arena, one block of memory with the cells of all histograms. Unweighted cells
/// count in integers, weighted ones are order-independent sums (exact_sum.h), so that results do not depend
/// on which slot took which fill.
class HistogramSet {
 public:
  /// Slots are numbered from 0 to kMaxSlots - 1; memory is used for those that fill.
  static constexpr std::size_t kMaxSlots = 4096;

  HistogramSet();
  ~HistogramSet();
  HistogramSet(HistogramSet&&) noexcept;
  HistogramSet& operator=(HistogramSet&&) noexcept;

  /// Books a histogram and returns its number. No booking after the first fill.
  std::size_t add(HistogramSpec spec);
  std::size_t size() const;
  /// Bytes that each slot takes once it fills.
  std::size_t slot_bytes() const;

  /// Fills histogram `id` with flat columns of any scalar type and equal lengths; `weights` only if it is
  /// weighted. Returns the index of the first weight that is not finite or not below 2^480, or -1. In that
  /// case values before it may or may not have been filled. Calls with the same slot must not overlap; others
  /// may.
  std::ptrdiff_t fill(std::size_t slot, std::size_t id, const ColumnView& values,
                      const std::optional<ColumnView>& weights = std::nullopt);

  /// Sums up the slots, in parallel over blocks of cells. No fill may be under way.
  std::vector<Histogram> reduce() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// One histogram of a set as the engine fills it: columns are the values and, if it is weighted, the weights.
class HistogramFill : public Accumulator {
 public:
  HistogramFill(HistogramSet& set, std::size_t id) : set_(set), id_(id) {}
  std::ptrdiff_t fill(std::size_t slot, std::span<const ColumnView> columns) override;

 private:
  HistogramSet& set_;
  std::size_t id_;
};

}  // namespace skimline::histograms
