// SPDX-License-Identifier: BSD-3-Clause
// What the config in a record says of the histograms that were made by it.
#pragma once

#include "skimline/skims/config.h"
#include "skimline/skims/run_record.h"

#include <set>
#include <string>

namespace skimline::skims {

struct RecordedConfig {
  /// Samples are those of the record, without their inputs; paths of outputs are empty.
  Config config;
  std::string plots;  ///< "plots" as JSON, or empty
  /// The samples that it names itself: of the others, which another config may be for, it says nothing.
  std::set<std::string> named_samples;
};

/// Reads one of the configs of a record. No input is looked for, so that it can be read anywhere. What it
/// says wrongly, as another program may have written it, is left out.
RecordedConfig read_recorded_config(const RunRecord& record, const std::string& resolved);

}  // namespace skimline::skims
