// SPDX-License-Identifier: BSD-3-Clause
// How many threads the system that started the process wants it to use.
#pragma once

#include "skimline/framework/control_groups.h"

#include <optional>
#include <string>

namespace skimline {

/// Where the limits are found.
struct CpuLimitPlaces : ControlGroupPlaces {
  std::optional<std::string> slurm_cpus_per_task;
};

/// Returns the least of `cores`, of what the control groups of the process and those around them grant (v2:
/// cpu.max, v1: cpu.cfs_quota_us; rounded up), and of the number of cores that Slurm has given to the task.
/// What is not there, or no number, does not limit. At least 1.
int threads_within_limits(int cores, const CpuLimitPlaces& places);

}  // namespace skimline
