// SPDX-License-Identifier: BSD-3-Clause
// The file with the cutflows of all samples.
#pragma once

#include "skimline/skims/job_report.h"

#include <string>

namespace skimline::skims {

/// Returns a line of comma-separated values for each step of each cutflow, each cut left out and each region,
/// below a line with the names of the columns.
std::string cutflow_csv(const JobReport& report);

/// Returns the cutflows as one JSON object, by sample.
std::string cutflow_json(const JobReport& report);

/// The text for a file of that name, which is CSV if it ends with ".csv".
std::string cutflow_text(const std::string& path, const JobReport& report);

}  // namespace skimline::skims
