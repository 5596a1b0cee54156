// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/histograms/placement.h"

#include "cell_copy.h"
#include "growing_axis.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <numeric>

#include <unistd.h>

namespace skimline::histograms {
namespace {

// Copies up to this size stay in a core's cache, where sharing would cost more than the memory.
constexpr std::uint64_t kSmall = 256 << 10;
// What the larger ones may take for each thread.
constexpr std::uint64_t kLargePerThread = 64 << 20;
constexpr std::size_t kNamedInError = 3;

std::uint64_t quarter_of_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
}

std::string mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}

[[noreturn]] void refuse(const std::vector<HistogramSpec>& specs, const std::vector<Placement>& placements,
                         std::span<const std::size_t> by_size, std::uint64_t total, std::uint64_t limit) {
  std::string message = "the histograms need " + mebibytes(total) + ", more than the " + mebibytes(limit) +
                        " they may take; the largest:";
  const std::size_t named = std::min(kNamedInError, by_size.size());
  for (std::size_t i = 0; i < named; ++i) {
    const std::size_t id = by_size[by_size.size() - 1 - i];
    message += (i == 0 ? " \"" : ", \"") + specs[id].name + "\" " + mebibytes(placements[id].cell_bytes);
  }
  throw ConfigError(message);
}

}  // namespace

std::vector<Placement> place(const std::vector<HistogramSpec>& specs, int threads,
                             std::uint64_t memory_limit) {
  std::vector<Placement> placements;
  for (const HistogramSpec& spec : specs)
    placements.push_back({cell_bytes(spec, num_cells(spec.axes)), true});
  std::vector<std::size_t> by_size(specs.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t left, std::size_t right) {
    return placements[left].cell_bytes < placements[right].cell_bytes;
  });
  std::uint64_t total = 0, large = 0;
  for (const Placement& placement : placements) total += placement.cell_bytes;
  const std::uint64_t limit = memory_limit > 0 ? memory_limit : quarter_of_memory();
  if (total > limit) refuse(specs, placements, by_size, total, limit);
  const auto copies = static_cast<std::uint64_t>(std::max(1, threads));
  for (const std::size_t id : by_size) {
    Placement& placement = placements[id];
    const std::uint64_t further = (copies - 1) * placement.cell_bytes;
    const bool is_small = placement.cell_bytes <= kSmall || large + placement.cell_bytes <= kLargePerThread;
    // What categories will come is not known: their histograms cannot be cut into stripes.
    if (copies > 1 && !has_growing_axis(specs[id].axes) && !(is_small && total + further <= limit)) continue;
    placement.is_shared = false;
    total += further;
    if (placement.cell_bytes > kSmall) large += placement.cell_bytes;
  }
  return placements;
}

std::uint64_t bytes_of(const std::vector<Placement>& placements, int threads) {
  std::uint64_t bytes = 0;
  for (const Placement& each : placements)
    bytes += each.cell_bytes * (each.is_shared ? 1 : static_cast<std::uint64_t>(threads));
  return bytes;
}

}  // namespace skimline::histograms
