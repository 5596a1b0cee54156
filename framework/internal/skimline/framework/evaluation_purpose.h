// SPDX-License-Identifier: BSD-3-Clause
// What a value is computed for, as errors tell it.
#pragma once

#include "skimline/framework/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skimline {

/// What of a plan a value is computed for; of several that need it, the first.
struct EvaluationPurpose {
  enum class Kind { kSelection, kFill, kWrite };
  Kind kind = Kind::kSelection;
  std::size_t number = 0;  ///< SelectionId::index, or that of the call of PlanBuilder::fill() or write()
};

/// What runs of a plan throw: an EvaluationError that knows what the value was for.
class PlannedEvaluationError : public EvaluationError {
 public:
  PlannedEvaluationError(std::uint64_t entry, std::string_view expression, std::string_view problem,
                         EvaluationPurpose purpose)
      : EvaluationError(entry, expression, problem), problem_(problem), purpose_(purpose) {}

  const std::string& problem() const { return problem_; }
  const EvaluationPurpose& purpose() const { return purpose_; }

 private:
  std::string problem_;
  EvaluationPurpose purpose_;
};

}  // namespace skimline
