// SPDX-License-Identifier: BSD-3-Clause
// The file with the cutflows of all samples.
#pragma once

#include "skimline/skims/job.h"

#include <string>

namespace skimline::skims {

/// Returns a line of comma-separated values for each step of each cutflow, each cut left out and each region,
/// below a line with the names of the columns.
std::string cutflow_csv(const JobReport& report);

/// Returns the cutflows as one JSON object, by sample.
std::string cutflow_json(const JobReport& report);

/// Writes the file of the config, which is CSV if its name ends with ".csv". Throws FileError.
OutputFile write_cutflow(const Config& config, const JobReport& report);

}  // namespace skimline::skims
