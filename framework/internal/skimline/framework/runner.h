// SPDX-License-Identifier: BSD-3-Clause
// Runs a plan over a source: one pass, parallel by slice, sinks in input order.
#pragma once

#include "skimline/framework/plan.h"
#include "skimline/framework/planned_pass.h"
#include "skimline/framework/run_report.h"
#include "skimline/framework/source.h"

#include <functional>
#include <vector>

namespace skimline {

/// Number of threads a run with `threads` = 0 uses: those of the cores that the process may run on, no more
/// than the limits of its control groups (cgroups) and SLURM_CPUS_PER_TASK allow.
int default_threads();

/// Calls `work`, whose parallel loops of oneTBB then use up to `threads` threads, also more than there are
/// cores.
void run_with_threads(int threads, const std::function<void()>& work);

/// Starts the threads of runs that follow, before threads that wait for storage take all that the system
/// allows.
void start_threads(int threads);

/// Runs `plan` over all entries of `source`, whose schema must be the one the plan was made for. To finish
/// the sinks is left to the caller, who may have several outputs to complete together. Results do not depend
/// on the number of threads. Throws what the source, the sinks and the evaluation throw: of several faults
/// the one in the earliest slice.
RunReport run(const Plan& plan, Source& source, const RunOptions& options = {});

/// Runs passes as run() does each: threads begin with the next where there is nothing to do for one. Throws
/// what `complete` throws; passes after that one are given up, and their `complete` is not called.
void run_together(std::vector<PlannedPass> passes, int threads);

}  // namespace skimline
