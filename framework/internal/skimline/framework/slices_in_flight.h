// SPDX-License-Identifier: BSD-3-Clause
// How many slices a run with sinks may have in flight, each with what is kept of it.
#pragma once

#include <cstddef>

namespace skimline {

/// Slices that may be evaluated, or wait to be stitched in their order.
constexpr std::size_t slices_before_stitching(std::size_t num_threads) { return 2 * num_threads + 2; }

/// All that may be in flight where memory is not short. Those that are stitched are part of a cluster: while
/// one slice seals and writes its cluster, others need not wait for it.
constexpr std::size_t default_slices_in_flight(std::size_t num_threads) {
  return 3 * slices_before_stitching(num_threads);
}

}  // namespace skimline
