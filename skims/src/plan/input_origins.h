// SPDX-License-Identifier: BSD-3-Clause
// What inputs that a run wrote were made from: twice the same events, or not all of a whole.
#pragma once

#include "plan/sample_inputs.h"

#include "skimline/skims/run_record.h"

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// What one input says it was made from.
struct Origin {
  std::string file;
  std::vector<InputRecord> inputs;        ///< of which it has entries
  decltype(SampleRecord::shards) shards;  ///< of parts of a run
  decltype(SampleRecord::files) files;    ///< of skims that are split
  std::vector<SkippedInput> skipped;
  std::set<double> cross_sections_pb;

  /// Whether another part of the same whole may have what is counted once.
  bool is_part() const;
};

/// Returns what a record says of all its samples.
Origin origin_of(const std::string& file, const RunRecord& record);

/// Returns what the record of a file says; nothing of a file without one.
Origin origin_of(const io::RootFile& file);

/// Returns a warning for each part of a whole that none of these is, and for what their runs left out.
std::vector<std::string> warnings_of_missing(const std::vector<Origin>& origins);

/// Throws ConfigError if the events of two inputs, by their origins, come from the same entries of an input,
/// and the config does not allow that. What lies in one file does not count.
void check_origins(const Sample& sample, const SampleInputs& inputs, const std::vector<Origin>& origins);

}  // namespace skimline::skims
