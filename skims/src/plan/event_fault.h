// SPDX-License-Identifier: BSD-3-Clause
// From a fault in an event to a message that points at its cause in the config.
#pragma once

#include "plan/plan_user.h"
#include "plan/planned_sample.h"

#include "skimline/skims/event_error.h"

#include <optional>
#include <string>

namespace skimline::skims {

/// A part of an expression of the config.
struct ExpressionPlace {
  const Text* text = nullptr;
  std::size_t offset = 0, length = 0;
};

/// Finds where the expression at fault stands: in those of `user`, or in the definitions, weights and
/// functions that these need. Blanks do not count. Nothing if it is nowhere as such.
std::optional<ExpressionPlace> find_expression(const Config& config, const Sample& sample,
                                               const PlanUser& user, const std::string& expression);

/// "entry 12 of data.root: run 1, luminosity block 2, event 77", as far as there are such columns.
std::string event_text(const PlannedSample& planned, std::uint64_t entry);

/// The problem without the entry: `index 1 is out of range of a list of size 1 in "Muon_charge[1]"`.
std::string problem_text(const EvaluationError& error);

/// A further line on how `user` can avoid the fault, or nothing.
std::string hint_text(const EvaluationError& error, const PlanUser& user);

/// Who has asked for the value that an error is about; nobody if that is not known.
PlanUser user_of(const EvaluationError& error, const PlannedSample& planned);

EventError event_error(const PlannedSample& planned, const EvaluationError& error);

}  // namespace skimline::skims
