// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/histogram_set.h"

#include "arena.h"
#include "fill.h"
#include "reduce.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <array>

#include <oneapi/tbb/parallel_for_each.h>

namespace skimline::histograms {
namespace {

// Cells that one task of the reduction sums over all slots.
constexpr std::size_t kCellsPerTask = 4096;

struct CellRange {
  std::size_t id;
  std::size_t first, last;
};

}  // namespace

class HistogramSet::Implementation {
 public:
  std::size_t add(HistogramSpec spec) {
    if (is_filling()) throw InternalError("histogram \"" + spec.name + "\" was booked after the first fill");
    layout_.add(spec);
    specs_.push_back(std::move(spec));
    return specs_.size() - 1;
  }

  std::size_t size() const { return specs_.size(); }
  std::size_t slot_bytes() const { return layout_.size + specs_.size() * sizeof(Moments); }

  std::ptrdiff_t fill(std::size_t slot, std::size_t id, const ColumnView& values,
                      const std::optional<ColumnView>& weights) {
    const HistogramSpec& spec = specs_.at(id);
    const bool is_wrong = spec.is_weighted != weights.has_value();
    if (is_wrong || (weights && weights->length != values.length))
      throw InternalError("histogram \"" + spec.name + "\" was filled with the wrong columns");
    std::unique_ptr<Arena>& arena = arenas_.at(slot);
    if (!arena) arena = std::make_unique<Arena>(layout_);
    return fill_histogram(*arena, id, spec, values, weights);
  }

  std::vector<Histogram> reduce() const {
    std::vector<Histogram> results;
    std::vector<CellRange> ranges;
    for (std::size_t id = 0; id < specs_.size(); ++id) {
      results.push_back(empty_histogram(specs_[id]));
      const std::size_t num_cells = specs_[id].axis.num_cells();
      for (std::size_t first = 0; first < num_cells; first += kCellsPerTask)
        ranges.push_back({id, first, std::min(first + kCellsPerTask, num_cells)});
    }
    const std::vector<Arena*> arenas = filled_arenas();
    oneapi::tbb::parallel_for_each(ranges, [&](const CellRange& range) {
      if (range.first == 0) reduce_moments(arenas, range.id, results[range.id]);
      reduce_cells(arenas, range.id, range.first, range.last, results[range.id]);
    });
    return results;
  }

 private:
  static Histogram empty_histogram(const HistogramSpec& spec) {
    Histogram result{.name = spec.name, .title = spec.title, .axis = spec.axis};
    result.is_weighted = spec.is_weighted;
    result.contents.resize(spec.axis.num_cells());
    result.variances.resize(spec.axis.num_cells());
    return result;
  }

  bool is_filling() const {
    return std::any_of(arenas_.begin(), arenas_.end(), [](const auto& arena) { return arena != nullptr; });
  }

  std::vector<Arena*> filled_arenas() const {
    std::vector<Arena*> arenas;
    for (const auto& arena : arenas_)
      if (arena) arenas.push_back(arena.get());
    return arenas;
  }

  std::vector<HistogramSpec> specs_;
  ArenaLayout layout_;
  std::array<std::unique_ptr<Arena>, kMaxSlots> arenas_;
};

HistogramSet::HistogramSet() : implementation_(std::make_unique<Implementation>()) {}
HistogramSet::~HistogramSet() = default;
HistogramSet::HistogramSet(HistogramSet&&) noexcept = default;
HistogramSet& HistogramSet::operator=(HistogramSet&&) noexcept = default;

std::size_t HistogramSet::add(HistogramSpec spec) { return implementation_->add(std::move(spec)); }
std::size_t HistogramSet::size() const { return implementation_->size(); }
std::size_t HistogramSet::slot_bytes() const { return implementation_->slot_bytes(); }

std::ptrdiff_t HistogramSet::fill(std::size_t slot, std::size_t id, const ColumnView& values,
                                  const std::optional<ColumnView>& weights) {
  return implementation_->fill(slot, id, values, weights);
}

std::vector<Histogram> HistogramSet::reduce() const { return implementation_->reduce(); }

std::ptrdiff_t HistogramFill::fill(std::size_t slot, std::span<const ColumnView> columns) {
  if (columns.size() == 1) return set_.fill(slot, id_, columns[0]);
  return set_.fill(slot, id_, columns[0], columns[1]);
}

}  // namespace skimline::histograms
