// SPDX-License-Identifier: BSD-3-Clause
// The run of a sample part by part, which takes from a store what was computed before.
#pragma once

#include "parts/sample_parts.h"

#include "skimline/framework/runner.h"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What became of the parts of a sample.
struct PartedResult {
  PassResult result;  ///< with the entries kept of all parts
  SampleTotals totals;
  std::unique_ptr<PlannedSample>
      at_fault;               ///< the plan whose run has thrown what is in the result, if any has
  std::size_t num_taken = 0;  ///< results that were in the store, of all parts
  std::size_t num_computed = 0;
};

/// Takes the files that SampleParts::skim_paths() names.
using TakeSkims = std::function<void(const std::vector<std::string>& paths)>;

/// Takes or computes all parts. A few are computed together; `progress` in the options is told of entries of
/// the sample, `take_skims` of the skims of one part after the other. Throws Interrupted, and what planning a
/// part and `take_skims` throw.
PartedResult run_parts(SampleParts& parts, const RunOptions& options, const TakeSkims& take_skims);

/// Computes one part, if it is not in the store. What only counts of "n_minus_1" cannot do is left to
/// run_parts(), and false is returned. Throws what its run throws.
bool compute_part(SampleParts& parts, std::size_t number, const RunOptions& options);

/// The same, and returns all results of the part in their order; nothing if they are left to run_parts().
std::optional<std::vector<histograms::Histogram>> results_of_part(SampleParts& parts, std::size_t number,
                                                                  const RunOptions& options);

}  // namespace skimline::skims
