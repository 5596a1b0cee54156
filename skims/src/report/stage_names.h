// SPDX-License-Identifier: BSD-3-Clause
// What the stages of a run are called.
#pragma once

#include "skimline/framework/runner.h"

#include <array>

namespace skimline::skims {

/// Names of the stages in reports and traces, by Stage.
inline constexpr std::array<const char*, kNumStages> kStageNames{"evaluate", "stitch", "seal", "commit",
                                                                 "write"};

}  // namespace skimline::skims
