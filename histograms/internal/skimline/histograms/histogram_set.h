// SPDX-License-Identifier: BSD-3-Clause
// All histograms of a run: booked first, then filled by many threads, then reduced to one result.
#pragma once

#include "skimline/framework/accumulator.h"
#include "skimline/framework/column.h"
#include "skimline/histograms/histogram.h"
#include "skimline/histograms/histogram_spec.h"
#include "skimline/histograms/placement.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace skimline::histograms {

struct HistogramSetOptions {
  /// Threads that will fill; decides only where histograms are placed.
  int threads = 1;
  /// Bytes that all cells together may take; 0 means a quarter of the machine's memory. Histograms that
  /// cannot be copied for every thread within this share one copy.
  std::uint64_t memory_limit = 0;
};

/// Histograms whose results do not depend on which thread filled what: unweighted cells count in integers,
/// others are order-independent sums (exact_sum.h).
///
/// Small histograms have a copy of their cells for each slot. Large ones may share one, cut into stripes with
/// a lock each. Memory is used where cells are filled.
class HistogramSet {
 public:
  /// Slots are numbered from 0 to kMaxSlots - 1; memory is used for those that fill.
  static constexpr std::size_t kMaxSlots = 4096;

  explicit HistogramSet(HistogramSetOptions options = {});
  ~HistogramSet();
  HistogramSet(HistogramSet&&) noexcept;
  HistogramSet& operator=(HistogramSet&&) noexcept;

  /// Books a histogram and returns its number. Throws ConfigError if it has no axis, or 2^31 cells or more.
  /// No booking after the first fill or look at the placements.
  std::size_t add(HistogramSpec spec);
  std::size_t size() const;
  const HistogramSpec& spec(std::size_t id) const;

  /// By number. Throws ConfigError, naming the largest histograms, if one copy of each is more than the
  /// limit.
  const std::vector<Placement>& placements();

  /// Fills the histograms `ids`, which differ in their weights only, on behalf of slot `slot`. `columns` are
  /// flat and of equal lengths: one for each axis, numbers or, for string categories, strings; then the value
  /// of profiles; then for each histogram its weight: none for counts, and for profiles none or all. Returns
  /// the first fill that is refused, with its column. In that case fills before it may or may not have been
  /// made. Calls with the same slot must not overlap; others may.
  std::optional<Refusal> fill(std::size_t slot, std::span<const std::size_t> ids,
                              std::span<const ColumnView> columns);

  /// Sums up the slots, in parallel over blocks of cells. No fill may be under way.
  std::vector<Histogram> reduce() const;
  /// The same for one histogram.
  Histogram reduce(std::size_t id) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Histograms of a set as the engine fills them: see HistogramSet::fill for the columns.
class HistogramFill : public Accumulator {
 public:
  HistogramFill(HistogramSet& set, std::vector<std::size_t> ids) : set_(set), ids_(std::move(ids)) {}
  std::optional<Refusal> fill(std::size_t slot, std::span<const ColumnView> columns) override;

 private:
  HistogramSet& set_;
  std::vector<std::size_t> ids_;
};

}  // namespace skimline::histograms
