// SPDX-License-Identifier: BSD-3-Clause
// With how many threads and slices a run keeps the memory limit of its config.
#pragma once

#include "plan/memory_plan.h"

#include "skimline/skims/config.h"

#include <vector>

namespace skimline::skims {

/// Returns the choice for samples with these demands, of at most so many threads. The config must have a
/// limit. Throws ConfigError, which says what is needed, if one thread takes more.
MemoryChoice choice_within(const Config& config, const std::vector<MemoryDemand>& demands, int threads);

/// How many times all results of a sample are in memory beside its cells.
enum class KeptResults { kNever = 0, kOfPartAndTotal = 2 };

/// Returns the choice for a run over one sample alone, whose files are opened if there is a limit; if there
/// is none, all of the threads and as many slices as usual, which is 0. Throws as plan_sample(), and as
/// above.
MemoryChoice choice_for(const Config& config, const Sample& sample, int threads, KeptResults kept);

}  // namespace skimline::skims
