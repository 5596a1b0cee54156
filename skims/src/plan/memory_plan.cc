// SPDX-License-Identifier: BSD-3-Clause
#include "plan/memory_plan.h"

#include "base/text_table.h"

#include "skimline/framework/slices_in_flight.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

// Measured: the program and its libraries, and what a thread takes for its stack, compression and small
// allocations.
constexpr double kProgram = 24e6;
constexpr double kPerThread = 6e6;

// Vectors that grow have up to twice the room they need.
constexpr double kGrowth = 2;

// Of the slices that are evaluated at the same time, with the pages that reach beyond them: decoded, and as
// they are stored.
double column_bytes(const ColumnDemand& column, double slice_share, int threads) {
  if (column.decoded <= 0) return column.stored;
  const double bytes = column.decoded * slice_share * threads + 2 * column.largest_page;
  return std::min(bytes / column.decoded, 1.0) * (column.decoded + column.stored);
}

// Of slices in flight, the share in all entries.
struct SlicesAtOnce {
  double before_stitching = 0, stitched = 0;
};

SlicesAtOnce slices_at_once(const MemoryDemand& demand, const MemoryChoice& choice) {
  const std::size_t all = std::min(choice.slices, demand.num_slices);
  const std::size_t before = std::min(all, slices_before_stitching(static_cast<std::size_t>(choice.threads)));
  return {demand.slice_share * static_cast<double>(before),
          demand.slice_share * static_cast<double>(all - before)};
}

// What survives of the slices in flight: until they are stitched, gathered and then cut into pages, and from
// then on in clusters that wait to be written; and a cluster under construction: pages that are full, and
// those that are open, which are sealed together when it ends. Never more than all that there is.
double skim_bytes(const SkimDemand& skim, const SlicesAtOnce& slices) {
  const double all = skim.carried + skim.computed;
  const double cluster = std::min(all, skim.cluster);
  return all * std::min(1.0, slices.before_stitching) * (kGrowth + 1) + all * std::min(1.0, slices.stitched) +
         cluster + std::min(cluster, skim.open_pages);
}

}  // namespace

MemoryEstimate estimate_memory(const MemoryDemand& demand, const MemoryChoice& choice) {
  MemoryEstimate estimate;
  estimate.program = kProgram + demand.metadata + kPerThread * choice.threads;
  estimate.histograms = demand.shared_cells + demand.private_cells * choice.threads;
  estimate.batches = demand.batch * choice.threads;
  for (const ColumnDemand& column : demand.columns)
    estimate.columns += column_bytes(column, demand.slice_share, choice.threads);
  const SlicesAtOnce slices = slices_at_once(demand, choice);
  for (const SkimDemand& skim : demand.skims) estimate.skims += skim_bytes(skim, slices);
  // Results are made when the columns are gone.
  estimate.results = std::max(0.0, demand.results - estimate.batches - estimate.columns) +
                     demand.num_kept * demand.all_results;
  return estimate;
}

std::optional<MemoryChoice> choose_within(double limit, const std::vector<MemoryDemand>& samples,
                                          int threads) {
  const auto fits = [&](const MemoryChoice& choice) {
    return std::all_of(samples.begin(), samples.end(), [&](const MemoryDemand& demand) {
      return estimate_memory(demand, choice).total() <= limit;
    });
  };
  for (int count = threads; count >= 1; --count)
    for (std::size_t least = static_cast<std::size_t>(count), slices = default_slices_in_flight(least);
         slices >= least; --slices)
      if (fits({count, slices})) return MemoryChoice{count, slices};
  return std::nullopt;
}

std::string least_memory_text(const std::vector<MemoryDemand>& samples) {
  MemoryEstimate most;
  for (const MemoryDemand& demand : samples) {
    const MemoryEstimate estimate = estimate_memory(demand, {1, 1});
    if (estimate.total() > most.total()) most = estimate;
  }
  std::string text =
      "the run needs up to " + format_bytes(static_cast<std::uint64_t>(most.total())) + " with one thread: ";
  const std::pair<double, const char*> parts[] = {{most.histograms, "the cells of histograms"},
                                                  {most.results, "the results of histograms"},
                                                  {most.columns, "columns of the input"},
                                                  {most.batches, "computed values"},
                                                  {most.skims, "skims"},
                                                  {most.program, "the program and metadata"}};
  std::string list;
  for (const auto& [bytes, what] : parts)
    if (bytes >= 1e5)
      list += (list.empty() ? "" : ", ") + format_bytes(static_cast<std::uint64_t>(bytes)) + " for " + what;
  return text + list;
}

}  // namespace skimline::skims
