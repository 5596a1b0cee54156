// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/histogram_set.h"

#include "reduce.h"
#include "slot.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::histograms {
namespace {

// Cells are numbered in 32 bits.
constexpr std::size_t kMaxCells = std::size_t{1} << 31;

void check_cells(const HistogramSpec& spec) {
  if (spec.axes.empty()) throw ConfigError("histogram \"" + spec.name + "\" has no axis");
  std::size_t cells = 1;
  for (const Axis& axis : spec.axes) {
    if (axis.num_cells() > (kMaxCells - 1) / cells)
      throw ConfigError("histogram \"" + spec.name + "\" has 2^31 cells or more");
    cells *= axis.num_cells();
  }
}

bool takes(const Axis& axis, Type type) {
  if (type.depth != 0) return false;
  if (axis.values() == AxisValues::kTexts) return type.scalar == ScalarType::kString;
  if (axis.values() == AxisValues::kIntegers)
    return is_integer(type.scalar) || type.scalar == ScalarType::kBool;
  return is_number(type.scalar);
}

bool have_same_fills(const HistogramSpec& left, const HistogramSpec& right) {
  return left.storage == right.storage && left.nan_positions == right.nan_positions &&
         std::equal(left.axes.begin(), left.axes.end(), right.axes.begin(), right.axes.end(), have_same_bins);
}

}  // namespace

class HistogramSet::Implementation {
 public:
  explicit Implementation(const HistogramSetOptions& options) : options_(options) {}

  std::size_t add(HistogramSpec spec) {
    if (is_placed_) throw InternalError("histogram \"" + spec.name + "\" was booked too late");
    check_cells(spec);
    specs_.push_back(std::move(spec));
    return specs_.size() - 1;
  }

  const std::vector<HistogramSpec>& specs() const { return specs_; }

  const std::vector<Placement>& placements() {
    const std::lock_guard lock(placing_);
    if (!is_placed_) placements_ = place(specs_, options_.threads, options_.memory_limit);
    is_placed_ = true;
    return placements_;
  }

  std::optional<Refusal> fill(std::size_t slot, std::span<const std::size_t> ids,
                              std::span<const ColumnView> columns) {
    check(ids, columns);
    if (columns.front().length == 0) return std::nullopt;
    std::unique_ptr<Slot>& filled = slots_.at(slot);
    if (!filled) {
      make_places();
      filled = std::make_unique<Slot>(slot, specs_, places_);
      note_filled(slot);
    }
    return filled->fill(ids, columns);
  }

  Histogram reduce(std::size_t id) const {
    std::vector<const Instance*> instances;
    for (const auto& slot : std::span(slots_).first(num_slots_))
      if (slot && slot->instance(id)) instances.push_back(slot->instance(id));
    return reduced(specs_.at(id), instances);
  }

  std::vector<Histogram> reduce() const {
    std::vector<std::optional<Histogram>> results(specs_.size());
    oneapi::tbb::parallel_for(std::size_t{0}, specs_.size(),
                              [&](std::size_t id) { results[id] = reduce(id); });
    std::vector<Histogram> histograms;
    histograms.reserve(results.size());
    for (std::optional<Histogram>& result : results) histograms.push_back(std::move(*result));
    return histograms;
  }

 private:
  void check(std::span<const std::size_t> ids, std::span<const ColumnView> columns) const {
    const HistogramSpec& spec = specs_.at(ids.front());
    const std::size_t num_common = spec.axes.size() + (has_values(spec.storage) ? 1 : 0);
    const std::size_t num_weights = has_weights(spec.storage) ? ids.size() : 0;
    bool is_right = columns.size() == num_common + num_weights ||
                    (has_values(spec.storage) && columns.size() == num_common);
    for (const std::size_t id : ids) is_right = is_right && have_same_fills(spec, specs_.at(id));
    for (std::size_t i = 0; is_right && i < columns.size(); ++i) {
      const Type type = columns[i].type;
      is_right =
          columns[i].length == columns.front().length &&
          (i < spec.axes.size() ? takes(spec.axes[i], type) : type.depth == 0 && is_number(type.scalar));
    }
    if (!is_right) throw InternalError("histogram \"" + spec.name + "\" was filled with the wrong columns");
  }

  void note_filled(std::size_t slot) {
    std::size_t known = num_slots_;
    while (known <= slot && !num_slots_.compare_exchange_weak(known, slot + 1)) {
    }
  }

  void make_places() {
    placements();
    const std::lock_guard lock(placing_);
    if (places_.offsets.size() == specs_.size()) return;
    CellPlaces& places = places_;
    for (std::size_t id = 0; id < specs_.size(); ++id) {
      const Placement& placement = placements_[id];
      std::unique_ptr<CellCopy> shared;
      if (placement.is_shared) {
        ZeroedMemory& memory = shared_memory_.emplace_back(placement.cell_bytes);
        shared = std::make_unique<CellCopy>(specs_[id], num_cells(specs_[id].axes), memory.data(), true);
      }
      places.shared.push_back(std::move(shared));
      places.offsets.push_back(places.slot_bytes);
      if (!placement.is_shared) places.slot_bytes += placement.cell_bytes;
    }
  }

  HistogramSetOptions options_;
  std::vector<HistogramSpec> specs_;
  std::mutex placing_;
  bool is_placed_ = false;
  std::vector<Placement> placements_;
  CellPlaces places_;
  std::vector<ZeroedMemory> shared_memory_;
  std::array<std::unique_ptr<Slot>, kMaxSlots> slots_;
  std::atomic<std::size_t> num_slots_{0};  // behind the last one that is filled
};

HistogramSet::HistogramSet(HistogramSetOptions options)
    : implementation_(std::make_unique<Implementation>(options)) {}
HistogramSet::~HistogramSet() = default;
HistogramSet::HistogramSet(HistogramSet&&) noexcept = default;
HistogramSet& HistogramSet::operator=(HistogramSet&&) noexcept = default;

std::size_t HistogramSet::add(HistogramSpec spec) { return implementation_->add(std::move(spec)); }
std::size_t HistogramSet::size() const { return implementation_->specs().size(); }
const HistogramSpec& HistogramSet::spec(std::size_t id) const { return implementation_->specs().at(id); }
const std::vector<Placement>& HistogramSet::placements() { return implementation_->placements(); }

std::optional<Refusal> HistogramSet::fill(std::size_t slot, std::span<const std::size_t> ids,
                                          std::span<const ColumnView> columns) {
  return implementation_->fill(slot, ids, columns);
}

std::vector<Histogram> HistogramSet::reduce() const { return implementation_->reduce(); }
Histogram HistogramSet::reduce(std::size_t id) const { return implementation_->reduce(id); }

std::optional<Refusal> HistogramFill::fill(std::size_t slot, std::span<const ColumnView> columns) {
  return set_.fill(slot, ids_, columns);
}

}  // namespace skimline::histograms
