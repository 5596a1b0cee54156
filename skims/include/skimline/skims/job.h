// SPDX-License-Identifier: BSD-3-Clause
// Runs what a config asks for: one pass over its files, histograms and skims out; or plans it.
#pragma once

#include "skimline/skims/job_options.h"
#include "skimline/skims/job_report.h"
#include "skimline/skims/plan_report.h"

namespace skimline::skims {

struct Config;

/// Checks all expressions, patterns and types against the files, runs, and writes the outputs. Either all
/// outputs appear, or none.
///
/// Throws ConfigError listing all mistakes with line and column before any event is read; FileError,
/// SchemaError and EvaluationError for what is met in the files; Interrupted.
JobReport run_job(const Config& config, const JobOptions& options = {});

/// Plans what run_job() would do, reading metadata only and writing nothing. `threads` as in JobOptions.
/// Throws what run_job() throws before it reads events; ConfigError if not even one thread stays within the
/// memory limit.
PlanReport plan_job(const Config& config, int threads = 0);

}  // namespace skimline::skims
