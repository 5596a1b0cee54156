// SPDX-License-Identifier: BSD-3-Clause
// A sample with all that a run of it needs, put together in one place.
#pragma once

#include "plan/input_records.h"
#include "plan/job_plan.h"
#include "plan/sample_inputs.h"

#include "skimline/framework/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// What kNormalisation is in a plan.
enum class NormalisationUse {
  kComputed,  ///< what it has to be, for which the weights of all events may be read
  kUnread,    ///< 1: the plan is looked at and never run, or does not use it
  kUnknown    ///< not a number: the plan finds the sum that it is made of
};

/// What a plan is made for.
struct PlanningOptions {
  int threads = 1;  ///< that will fill
  NormalisationUse normalisation = NormalisationUse::kComputed;
  bool sums_weights = true;              ///< along the cutflow
  std::set<std::size_t> uncounted = {};  ///< cuts that "n_minus_1" is not to leave out
};

/// A sample with all that its plan needs: opened inputs, what they carry, its normalisation and the plan
/// itself. Everybody who plans a sample does so here, so that none of it can be forgotten.
struct PlannedSample {
  /// Opens the inputs, without those found damaged if the config allows that. Config, sample and inputs must
  /// outlive it. Mistakes of the config are in `job`. Throws as SampleInputs::open(), steps_before(),
  /// normalisation_of() and JobPlan do.
  PlannedSample(const Config& config, const Sample& sample, SampleInputs& inputs,
                const PlanningOptions& options);

  /// What is seldom meant, or carried along with the inputs: as JobPlan::warnings().
  std::vector<std::string> warnings();

  /// "entry 12 of data.root", for the entry numbers of all files in sequence.
  std::string place_of(std::uint64_t entry) const;

  const Config& config;
  const Sample& sample;
  std::unique_ptr<io::InputSource> source;
  std::optional<CarriedRecord> before;
  histograms::HistogramSet histograms;
  std::optional<double> normalisation;  ///< if it was computed
  JobPlan job;
};

/// Plans a sample, again from the start without an input that is found damaged meanwhile, if the config
/// allows that.
std::unique_ptr<PlannedSample> plan_sample(const Config& config, const Sample& sample, SampleInputs& inputs,
                                           const PlanningOptions& options);

}  // namespace skimline::skims
