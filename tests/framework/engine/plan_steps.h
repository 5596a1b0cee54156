// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/program.h"

#include "skimline/framework/plan.h"

#include <algorithm>
#include <cstddef>

namespace skimline::testing {

inline std::size_t count_steps(const Plan& plan, StepKind kind) {
  const auto& steps = plan.program().steps;
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [&](const Step& step) { return step.kind == kind; }));
}

}  // namespace skimline::testing
