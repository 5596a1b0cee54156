// SPDX-License-Identifier: BSD-3-Clause
// What inputs that a run wrote say about the events they were made from.
#pragma once

#include "plan/cutflow.h"
#include "plan/input_origins.h"

#include "skimline/io/opened_files.h"
#include "skimline/skims/run_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What one input carries.
struct CarriedRecord {
  Origin origin;
  Cutflow cutflow;     ///< with exact sums; the last step is what the input holds
  std::string weight;  ///< whose sums these are, as SampleRecord::weight
  std::optional<double> cross_section_pb;
  std::vector<std::string> warnings;
};

/// Returns what an input with `num_entries` events carries; nothing if it has no record. Throws FileError if
/// the record is damaged, is of several samples, or has no cutflow, and Error if it is not of all events.
std::optional<CarriedRecord> carried_record(const io::RootFile& file, std::uint64_t num_entries);

/// Returns the sum, with the warnings of all. If the steps of two differ, only what they have in common is
/// left, so that nothing is lost of the normalisation: the first step, and "in the inputs", the last one.
/// Throws Error naming two files if they have sums of different weights, or different cross sections. There
/// must be one or more.
CarriedRecord sum_of(const std::vector<CarriedRecord>& records);

/// Returns what each input of one sample carries; nothing if none has a record. `num_entries` has the number
/// of events of each. Throws as carried_record() does, and Error naming two files if only some have a record:
/// of the others nobody knows what they were made from. Files are taken from `opened`, unless it is null.
std::vector<CarriedRecord> carried_records(const std::vector<std::string>& files,
                                           const std::vector<std::uint64_t>& num_entries,
                                           io::OpenedFiles* opened = nullptr);

}  // namespace skimline::skims
