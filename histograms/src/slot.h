// SPDX-License-Identifier: BSD-3-Clause
// What one thread slot fills: its own copies of small histograms, and its share of the sums of all.
#pragma once

#include "instance.h"
#include "positions.h"
#include "terms.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace skimline::histograms {

/// Where the instances of all histograms find their cells.
struct CellPlaces {
  std::vector<std::size_t> offsets;  ///< of private copies, in bytes, in the memory of a slot
  std::size_t slot_bytes = 0;
  std::vector<std::unique_ptr<CellCopy>> shared;  ///< by histogram; nullptr for private ones
};

class Slot {
 public:
  Slot(std::size_t number, const std::vector<HistogramSpec>& specs, const CellPlaces& places);

  /// HistogramSet::fill for this slot.
  std::optional<Refusal> fill(std::span<const std::size_t> ids, std::span<const ColumnView> columns);

  /// The histogram as this slot filled it; nullptr if it did not.
  const Instance* instance(std::size_t id) const { return instances_[id].get(); }

 private:
  Instance& instance_of(std::size_t id);
  std::optional<Refusal> first_refusal(std::span<const std::size_t> ids, std::span<const ColumnView> columns);
  std::optional<Refusal> fill_each(std::span<const std::size_t> ids, std::span<const ColumnView> columns);
  std::optional<Refusal> fill_blocks(std::span<const std::size_t> ids, std::span<const ColumnView> columns);
  std::optional<Refusal> fill_block(std::span<const std::size_t> ids, std::span<const ColumnView> columns,
                                    std::size_t first, std::size_t size);
  std::optional<Refusal> add_block(Instance& instance, const HistogramSpec& spec, std::size_t which,
                                   std::span<const ColumnView> columns, std::size_t first);

  std::size_t number_;
  const std::vector<HistogramSpec>& specs_;
  const CellPlaces& places_;
  ZeroedMemory memory_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Positions positions_;
  Terms terms_;
};

}  // namespace skimline::histograms
