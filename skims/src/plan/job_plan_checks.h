// SPDX-License-Identifier: BSD-3-Clause
// How the parts of JobPlan note mistakes.
#pragma once

#include "plan/job_plan.h"

#include "skimline/framework/error.h"

namespace skimline::skims {

template <typename Step>
bool JobPlan::check(const Text& text, Step step) {
  try {
    step();
    return true;
  } catch (const ExpressionError& error) {
    report(text, error);
  } catch (const ConfigError& error) {
    diagnostics_.add(text.location, error.what());
  }
  return false;
}

template <typename ProblemOf>
std::optional<Type> JobPlan::check_type(const Text& text, ProblemOf problem_of) {
  std::optional<Type> type;
  check(text, [&] {
    const Type found = builder_.type_of_expression(text.value);
    if (const std::string problem = problem_of(found); !problem.empty())
      throw ExpressionError(text.value, 0, text.value.size(), problem);
    type = found;
  });
  return type;
}

template <typename Step>
void JobPlan::in(const PlannedVariation& variation, Step step) {
  if (!variation.config) return step();
  try {
    step();
  } catch (const ExpressionError& error) {
    throw in_variation(error, *variation.config);
  }
}

}  // namespace skimline::skims
