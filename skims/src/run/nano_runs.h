// SPDX-License-Identifier: BSD-3-Clause
// What the files of NanoAOD say beside their events: RNTuples or TTrees such as "Runs" and
// "LuminosityBlocks".
#pragma once

#include "files/written_entries.h"

#include "skimline/histograms/exact_sum.h"
#include "skimline/io/compression.h"
#include "skimline/io/input_options.h"
#include "skimline/io/root_file_writer.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What is carried along with the events.
inline constexpr std::array<const char*, 2> kCarriedNTuples{"Runs", "LuminosityBlocks"};

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

/// Writes all entries of the RNTuple or TTree `name`, as it is stored beside the events of inputs, into a
/// file: those of the first input come first. Inputs without it, and columns that not all others have with
/// one type, are left out with a warning. Returns nothing, and writes nothing, if no input has it.
///
/// If only a part of an input is processed, one of the parts may carry this: as if it were the first entry.
///
/// The classes of the format must be among those of the output. Throws what RNTupleSource and run() throw.
std::optional<WrittenEntries> carry_ntuple(const std::vector<io::InputLocation>& inputs,
                                           const std::string& name, io::RootFileWriter& output,
                                           const WriteOptions& options = {},
                                           io::InputOptions input_options = {});

}  // namespace skimline::skims
