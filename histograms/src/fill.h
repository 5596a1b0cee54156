// SPDX-License-Identifier: BSD-3-Clause
// Filling one histogram of one slot, block by block.
#pragma once

#include "arena.h"

#include <cstddef>
#include <optional>

namespace skimline::histograms {

/// Fills the values, and returns the index of the first weight that cannot be added, or -1.
std::ptrdiff_t fill_histogram(Arena& arena, std::size_t id, const HistogramSpec& spec,
                              const ColumnView& values, const std::optional<ColumnView>& weights);

}  // namespace skimline::histograms
