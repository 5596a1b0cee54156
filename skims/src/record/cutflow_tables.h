// SPDX-License-Identifier: BSD-3-Clause
// Cutflows of samples beside each other: the same tables for runs and for files.
#pragma once

#include "base/measured_table.h"
#include "record/record_steps.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::skims {

/// The steps of one sample.
struct SampleSteps {
  std::string sample;
  std::vector<RecordedStep> steps;
};

/// The cutflows of a record.
std::vector<SampleSteps> cutflows_of(const RunRecord& record);

/// Names of rows, each once, so that what several lists have in common is in one row and all are in order.
std::vector<std::string> united_rows(const std::vector<std::vector<std::string>>& lists);

/// Events of all samples, and sums of weights with their errors if events have weights, with the part of all
/// events that each step is.
std::vector<MeasuredTable> cutflow_tables(const std::vector<SampleSteps>& samples);

/// Returns these tables for people to read in lines of about `width`. Of one sample the numbers are beside
/// each other in one table.
std::string cutflow_text(const std::vector<SampleSteps>& samples, std::size_t width);

}  // namespace skimline::skims
