// SPDX-License-Identifier: BSD-3-Clause
#include "instance.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <utility>

namespace skimline::histograms {
namespace {

void take_memory(Instance& instance, const HistogramSpec& spec) {
  constexpr std::size_t kMostCells = std::size_t{1} << 31;
  std::size_t cells = 1;
  for (const std::size_t extent : instance.extents) {
    if (extent > (kMostCells - 1) / cells)
      throw Error("histogram \"" + spec.name + "\" has grown to more cells than can be counted");
    cells *= extent;
  }
  instance.own_memory = std::make_unique<ZeroedMemory>(cell_bytes(spec, cells));
  instance.own_cells = std::make_unique<CellCopy>(spec, cells, instance.own_memory->data(), false);
  instance.cells = instance.own_cells.get();
}

std::vector<std::size_t> extents_of(const Instance& instance, const HistogramSpec& spec) {
  std::vector<std::size_t> extents;
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    extents.push_back(spec.axes[i].is_growing() ? instance.growing[i].num_cells() : spec.axes[i].num_cells());
  return extents;
}

void move_cell(const CellCopy& from, std::size_t cell, CellCopy& to, std::size_t target,
               const HistogramSpec& spec) {
  if (!has_weights(spec.storage)) {
    to.counts()[target] = from.counts()[cell];
    return;
  }
  for (std::size_t sum = 0; sum < num_sums(spec.storage); ++sum) {
    to.stripe(0).add_parts(target, sum, from.stripe(0).parts(cell, sum));
  }
}

// The number of a cell after the extents have changed.
std::size_t moved_cell(std::size_t cell, std::span<const std::size_t> from, std::span<const std::size_t> to) {
  std::size_t target = 0, stride = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    target += cell % from[i] * stride;
    cell /= from[i];
    stride *= to[i];
  }
  return target;
}

}  // namespace

void make_growing(Instance& instance, const HistogramSpec& spec) {
  for (const Axis& axis : spec.axes) instance.growing.emplace_back(axis);
  instance.extents = extents_of(instance, spec);
  take_memory(instance, spec);
}

void make_room(Instance& instance, const HistogramSpec& spec) {
  bool is_too_small = false;
  for (GrowingAxis& axis : instance.growing) {
    is_too_small |= axis.is_too_small();
    axis.grow();
  }
  if (!is_too_small) return;
  const std::unique_ptr<ZeroedMemory> memory = std::move(instance.own_memory);
  const std::unique_ptr<CellCopy> cells = std::move(instance.own_cells);
  const std::vector<std::size_t> extents = std::exchange(instance.extents, extents_of(instance, spec));
  take_memory(instance, spec);
  if (has_weights(spec.storage))
    for (std::size_t sum = 0; sum < num_sums(spec.storage); ++sum)
      instance.cells->stripe(0).set_window(sum, cells->stripe(0).window(sum));
  for (std::size_t cell = 0; cell < cells->num_cells(); ++cell)
    move_cell(*cells, cell, *instance.cells, moved_cell(cell, extents, instance.extents), spec);
}

}  // namespace skimline::histograms
