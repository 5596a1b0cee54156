// SPDX-License-Identifier: BSD-3-Clause
// Which histograms have a copy for each thread, and which share one.
#pragma once

#include "skimline/histograms/histogram_spec.h"

#include <cstdint>
#include <vector>

namespace skimline::histograms {

/// Where the cells of a histogram are.
struct Placement {
  std::uint64_t cell_bytes = 0;  ///< of one copy
  bool is_shared = false;        ///< one copy for all threads, else one for each
};

/// Places histograms for so many threads, the smallest first. `memory_limit` is that of HistogramSetOptions.
/// Throws ConfigError if a copy of each is more than the limit.
std::vector<Placement> place(const std::vector<HistogramSpec>& specs, int threads,
                             std::uint64_t memory_limit);

/// Bytes of all copies that so many threads have.
std::uint64_t bytes_of(const std::vector<Placement>& placements, int threads);

}  // namespace skimline::histograms
