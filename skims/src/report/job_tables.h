// SPDX-License-Identifier: BSD-3-Clause
// What the reports of runs show as tables of samples, whatever they are written as.
#pragma once

#include "base/measured_table.h"
#include "record/cutflow_tables.h"

#include "skimline/skims/job_report.h"

#include <vector>

namespace skimline::skims {

/// The cutflows of all samples.
std::vector<SampleSteps> cutflows_of(const JobReport& report);

/// Events that pass all cuts but one, and the part of them that this one keeps. Without rows if nobody asked.
MeasuredTable n_minus_1_table(const std::vector<SampleReport>& samples);

/// Events of the regions, and the part of all events. Without rows if there are none.
MeasuredTable regions_table(const std::vector<SampleReport>& samples);

}  // namespace skimline::skims
