// SPDX-License-Identifier: BSD-3-Clause
// What was done to the events of a sample before this run.
#pragma once

#include "plan/input_records.h"
#include "plan/sample_inputs.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns what is known of the events that the inputs of a sample were made from: by the records that they
/// carry, or by the sums in "Runs" if the config says so. What is known of a whole file counts for the part
/// that has its first entry. The inputs must have been opened. Throws FileError, Error if what the inputs say
/// does not fit together, or to the config, and as check_origins() does.
std::optional<CarriedRecord> steps_before(const Sample& sample, const SampleInputs& inputs);

/// Returns what the inputs were made from and none of them has, where nothing else of what they carry is
/// needed: as warnings_of_missing(). The inputs must have been opened. Throws FileError if a record is
/// damaged, and as check_origins() does.
std::vector<std::string> warnings_of_origins(const Sample& sample, const SampleInputs& inputs);

/// Returns the weight whose sums a cutflow has: that of the config, else that of what inputs carry, which
/// goes on with the same; nothing if each event counts 1.
std::optional<Text> summed_weight(const Sample& sample, const std::optional<CarriedRecord>& before);

}  // namespace skimline::skims
