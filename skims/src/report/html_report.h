// SPDX-License-Identifier: BSD-3-Clause
// The report of a run as one page of HTML, which needs no other file: figures, tables, and what was read.
#pragma once

#include "skimline/skims/histogram_file.h"
#include "skimline/skims/job_report.h"

#include <string>
#include <string_view>

namespace skimline::skims {

/// How every such page begins.
inline constexpr std::string_view kHtmlReportBegin = "<!DOCTYPE html>\n<!-- report of skimline -->\n";

/// Returns the page. `histograms` is the file that the run has written, null if it has none; `job` what the
/// run is called. Names and titles are shown as texts, whatever is in them. All but what stands in the
/// section "Resources", and when the run was, follows from the events, the config and the outputs. Throws
/// FileError if the file cannot be read.
std::string to_html(const JobReport& report, const HistogramFile* histograms, const std::string& job);

}  // namespace skimline::skims
