// SPDX-License-Identifier: BSD-3-Clause
// Summing up the slots of one histogram.
#pragma once

#include "arena.h"

#include "skimline/histograms/histogram.h"

#include <cstddef>
#include <span>

namespace skimline::histograms {

/// Sums the moments of all slots into `result`, whose cells must have been made. Throws Error if there were
/// more fills than the sums can take.
void reduce_moments(std::span<Arena* const> arenas, std::size_t id, Histogram& result);

/// Sums the cells [first, last) of all slots in one pass.
void reduce_cells(std::span<Arena* const> arenas, std::size_t id, std::size_t first, std::size_t last,
                  Histogram& result);

}  // namespace skimline::histograms
