// SPDX-License-Identifier: BSD-3-Clause
// What Slurm knows of jobs.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace skimline::skims {

/// The numbers of all jobs that Slurm has in its queue, running ones among them, as SLURM_JOB_ID says them in
/// a job. Nothing if this machine has no Slurm that answers.
std::optional<std::set<std::string>> jobs_in_slurm();

}  // namespace skimline::skims
