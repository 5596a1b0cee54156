// SPDX-License-Identifier: BSD-3-Clause
// What the files of NanoAOD say beside their events: where it is, and the sums of weights in "Runs".
#pragma once

#include "skimline/histograms/exact_sum.h"
#include "skimline/io/input_options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns where the RNTuple or TTree `name` in the directory of events is; nothing if there is none. The
/// file is taken from `opened`, unless it is null. Throws FileError.
std::optional<io::InputLocation> beside(const io::InputLocation& events, const std::string& name,
                                        io::OpenedFiles* opened);

/// What lies beside the events of an input.
enum class Beside {
  kFile,   ///< in its file, such as the record of a run
  kFolder  ///< in the same folder of its file, such as Runs
};

/// By input, whether it is the first of those that have the same beside them: several trees of one file.
/// Whoever reads a tree twice has it twice.
std::vector<bool> are_first_beside(const std::vector<io::InputLocation>& inputs, Beside where);

/// Sums over the entries of "Runs": what was generated, before any cut.
struct RunsSums {
  std::uint64_t num_events = 0;         ///< genEventCount
  histograms::ExactSum sum_weights;     ///< genEventSumw
  histograms::ExactSum sum_of_squares;  ///< genEventSumw2

  void add(const RunsSums& other);
};

/// Returns the sums of the file that `events` is in, of the "Runs" beside it; nothing if there is none, or if
/// it has no weights, as that of data. Names may end with an underscore, as in some productions. Throws
/// FileError if the file cannot be read, or if a sum is negative, of no number or not one per entry.
std::optional<RunsSums> sums_of_runs(const io::InputLocation& events, const io::InputOptions& options = {});

}  // namespace skimline::skims
