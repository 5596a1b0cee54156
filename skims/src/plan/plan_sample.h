// SPDX-License-Identifier: BSD-3-Clause
// From a sample to its plan: inputs opened, their record read, the normalisation computed.
#pragma once

#include "plan/planned_sample.h"
#include "plan/sample_inputs.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>

namespace skimline::skims {

/// What kNormalisation is in a plan.
enum class NormalisationUse {
  kComputed,  ///< what it has to be, for which the weights of all events may be read
  kUnread     ///< 1: the plan is looked at and never run, or does not use it
};

/// What a plan is made for.
struct PlanningOptions {
  int threads = 1;  ///< that will fill
  NormalisationUse normalisation = NormalisationUse::kComputed;
  bool sums_weights = true;              ///< along the cutflow
  std::set<std::size_t> uncounted = {};  ///< cuts that "n_minus_1" is not to leave out
  IsKnown is_known = {};                 ///< as in PlanTarget
  /// The normalisation, or that there is none, as computed elsewhere.
  std::optional<std::optional<double>> normalisation_elsewhere = {};
};

/// Opens the inputs of a sample and plans it, again from the start without an input that is found damaged, if
/// the config allows that. Config and sample must outlive the plan. Mistakes of the config are in its `job`.
/// Throws as SampleInputs::open(), steps_before(), warnings_of_origins(), normalisation_of() and
/// JobPlan do.
std::unique_ptr<PlannedSample> plan_sample(const Config& config, const Sample& sample, SampleInputs& inputs,
                                           const PlanningOptions& options);

}  // namespace skimline::skims
