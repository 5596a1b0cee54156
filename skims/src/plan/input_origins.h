// SPDX-License-Identifier: BSD-3-Clause
// Inputs of one sample that were made from the same events.
#pragma once

#include "plan/sample_inputs.h"

#include "skimline/skims/run_record.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What one input says it was made from.
struct Origin {
  std::vector<InputRecord> inputs;
  decltype(SampleRecord::files) files;  ///< of skims that are split
};

/// Returns what the record of a file says of all its samples; nothing of a file without one.
Origin origin_of(const io::RootFile& file);

/// Throws ConfigError if the events of two inputs, by their origins, come from the same entries of an input,
/// and the config does not allow that. What lies in one file does not count.
void check_origins(const Sample& sample, const SampleInputs& inputs, const std::vector<Origin>& origins);

}  // namespace skimline::skims
