// SPDX-License-Identifier: BSD-3-Clause
#include "slot.h"

#include <algorithm>

namespace skimline::histograms {

static_assert(kBlock <= SumCells::kMaxBlock);

Slot::Slot(std::size_t number, const std::vector<HistogramSpec>& specs, const CellPlaces& places)
    : number_(number), specs_(specs), places_(places), memory_(places.slot_bytes), instances_(specs.size()) {}

Instance& Slot::instance_of(std::size_t id) {
  if (instances_[id]) return *instances_[id];
  const HistogramSpec& spec = specs_[id];
  auto instance = std::make_unique<Instance>();
  instance->positions.resize(num_position_sums(spec.axes.size()));
  if (has_growing_axis(spec.axes)) {
    make_growing(*instance, spec);
  } else {
    for (const Axis& axis : spec.axes) instance->extents.push_back(axis.num_cells());
    instance->cells = places_.shared[id].get();
    if (instance->cells == nullptr) {
      instance->own_cells =
          std::make_unique<CellCopy>(spec, num_cells(spec.axes), memory_.data() + places_.offsets[id], false);
      instance->cells = instance->own_cells.get();
    }
  }
  instances_[id] = std::move(instance);
  return *instances_[id];
}

std::optional<Refusal> Slot::fill(std::span<const std::size_t> ids, std::span<const ColumnView> columns) {
  const std::optional<Refusal> refused = fill_each(ids, columns);
  return refused ? first_refusal(ids, columns) : refused;
}

// The earliest, whatever is wrong with it: filling looks at positions and weights of a block one after the
// other.
std::optional<Refusal> Slot::first_refusal(std::span<const std::size_t> ids,
                                           std::span<const ColumnView> columns) {
  const HistogramSpec& spec = specs_[ids.front()];
  const std::size_t length = columns.front().length;
  std::optional<Refusal> earliest;
  const auto keep_earlier = [&](const std::optional<Refusal>& refused) {
    if (refused && (!earliest || refused->index < earliest->index)) earliest = refused;
  };
  for (std::size_t first = 0; first < length && !earliest; first += kBlock) {
    const BlockRange range{first, std::min(kBlock, length - first)};
    keep_earlier(
        positions_.find(spec, columns, range.first, range.size, instance_of(ids.front()).growing, {}));
    for (std::size_t which = 0; which < ids.size() && has_weights(spec.storage); ++which)
      keep_earlier(terms_.read(specs_[ids[which]], columns, which, range));
  }
  return earliest;
}

std::optional<Refusal> Slot::fill_each(std::span<const std::size_t> ids,
                                       std::span<const ColumnView> columns) {
  if (!has_growing_axis(specs_[ids.front()].axes)) return fill_blocks(ids, columns);
  // Each histogram has categories of its own: they are found for one at a time.
  const HistogramSpec& spec = specs_[ids.front()];
  const std::size_t num_common = spec.axes.size() + (has_values(spec.storage) ? 1 : 0);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::vector<ColumnView> own(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(num_common));
    if (columns.size() > num_common) own.push_back(columns[num_common + i]);
    if (auto refused = fill_blocks(ids.subspan(i, 1), own)) return refused;
  }
  return std::nullopt;
}

std::optional<Refusal> Slot::fill_blocks(std::span<const std::size_t> ids,
                                         std::span<const ColumnView> columns) {
  const std::size_t length = columns.front().length;
  for (std::size_t first = 0; first < length; first += kBlock)
    if (auto refused = fill_block(ids, columns, first, std::min(kBlock, length - first))) return refused;
  return std::nullopt;
}

std::optional<Refusal> Slot::fill_block(std::span<const std::size_t> ids, std::span<const ColumnView> columns,
                                        std::size_t first, std::size_t size) {
  const HistogramSpec& spec = specs_[ids.front()];
  Instance& instance = instance_of(ids.front());
  std::span<const std::size_t> left_out;
  if (!instance.growing.empty() && has_weights(spec.storage) && spec.bad_weights == BadWeights::kSkip) {
    if (auto refused = terms_.read(spec, columns, 0, {first, size})) return refused;
    left_out = terms_.bad();
  }
  if (auto refused = positions_.find(spec, columns, first, size, instance.growing, left_out)) return refused;
  make_room(instance, spec);
  positions_.combine(instance.extents);
  for (std::size_t which = 0; which < ids.size(); ++which) {
    Instance& own = which == 0 ? instance : instance_of(ids[which]);
    if (auto refused = add_block(own, specs_[ids[which]], which, columns, first)) return refused;
  }
  return std::nullopt;
}

std::optional<Refusal> Slot::add_block(Instance& instance, const HistogramSpec& spec, std::size_t which,
                                       std::span<const ColumnView> columns, std::size_t first) {
  const std::size_t size = positions_.size(), num_axes = spec.axes.size();
  std::uint64_t num_bad = 0, num_nan = positions_.num_nan();
  if (!has_weights(spec.storage)) {
    instance.cells->count({positions_.cells(), size}, number_);
    positions_.add_to(instance.positions, num_axes, nullptr, {1, 1, 1});
  } else {
    if (auto refused = terms_.read(spec, columns, which, {first, size})) return refused;
    num_bad = terms_.bad().size();
    for (const std::size_t fill : terms_.bad()) num_nan -= positions_.nan_axis(fill, num_axes) ? 1 : 0;
    instance.cells->add(terms_.block(positions_.cells()), number_);
    positions_.add_to(instance.positions, num_axes, terms_.weights(), terms_.weight_magnitudes());
  }
  instance.entries += size - num_bad;
  instance.num_bad_weights += num_bad;
  instance.num_nan += num_nan;
  return std::nullopt;
}

}  // namespace skimline::histograms
