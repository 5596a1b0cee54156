// SPDX-License-Identifier: BSD-3-Clause
// How much memory a run takes, and with how many threads and slices it stays within a limit.
#pragma once

#include "skimline/skims/config.h"
#include "skimline/skims/plan_report.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A column or field that is read; bytes of all entries.
struct ColumnDemand {
  double decoded = 0;
  double stored = 0;
  double largest_page = 0;  ///< decoded
};

/// A skim; bytes in memory.
struct SkimDemand {
  double carried = 0;     ///< of all entries
  double computed = 0;    ///< the same
  double cluster = 0;     ///< of a full one
  double open_pages = 0;  ///< one page of each column
};

/// What a run over one sample needs, in bytes, whatever the number of threads.
struct MemoryDemand {
  double metadata = 0;       ///< of the inputs
  double shared_cells = 0;   ///< of histograms with one copy
  double private_cells = 0;  ///< of histograms with a copy for each thread, of one copy
  double results = 0;        ///< of the histograms that are written at once
  double all_results = 0;    ///< of all histograms, about
  int num_kept = 0;          ///< how many times all results are kept beside the cells
  double batch = 0;          ///< values of all steps for one batch
  std::vector<ColumnDemand> columns;
  std::vector<SkimDemand> skims;
  double slice_share = 1;  ///< of the largest slice in all entries
  std::size_t num_slices = 0;
};

/// Threads, and slices in flight at once.
struct MemoryChoice {
  int threads = 1;
  std::size_t slices = 4;
};

/// Returns what is alive at once, at most. docs/command-line.md has the formulas.
MemoryEstimate estimate_memory(const MemoryDemand& demand, const MemoryChoice& choice);

/// Returns the choice with most threads, of these with most slices, of at most `threads` threads, with which
/// none of the samples needs more than `limit` bytes; nothing if there is none.
std::optional<MemoryChoice> choose_within(double limit, const std::vector<MemoryDemand>& samples,
                                          int threads);

/// Returns "needs at least 1.2 GB with one thread: 1.0 GB for ..., ...", of the sample that needs most.
std::string least_memory_text(const std::vector<MemoryDemand>& samples);

}  // namespace skimline::skims
