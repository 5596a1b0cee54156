// SPDX-License-Identifier: BSD-3-Clause
// A sample with all that a run of it needs, put together in one place.
#pragma once

#include "plan/input_records.h"
#include "plan/job_plan.h"

#include "skimline/histograms/histogram_set.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// What the plan of a sample is made of.
struct PlanParts {
  std::unique_ptr<io::InputSource> source;  ///< opened
  std::optional<CarriedRecord> before{};    ///< what steps_before() gave, if that is needed
  std::vector<std::string> warnings{};      ///< else of what the inputs were made from
  std::optional<double> normalisation{};    ///< kNormalisation; 1 unless given
  int threads = 1;                          ///< that will fill
  bool sums_weights = true;                 ///< along the cutflow
  std::set<std::size_t> uncounted{};        ///< cuts that "n_minus_1" is not to leave out
  IsKnown is_known{};                       ///< as in PlanTarget
};

/// A sample with all that its plan needs: opened inputs, what they carry, its normalisation and the plan
/// itself. Everybody who plans a sample does so here, most by plan_sample(), so that none of it can be
/// forgotten.
struct PlannedSample {
  /// Config and sample must outlive it. Mistakes of the config are in `job`. Throws as JobPlan does.
  PlannedSample(const Config& whole, const Sample& planned, PlanParts parts);

  /// What is seldom meant, or carried along with the inputs: as JobPlan::warnings().
  std::vector<std::string> warnings();

  /// "entry 12 of data.root", for the entry numbers of all files in sequence.
  std::string place_of(std::uint64_t entry) const;

  const Config& config;
  const Sample& sample;
  std::unique_ptr<io::InputSource> source;
  std::optional<CarriedRecord> before;
  std::vector<std::string> warnings_of_inputs;
  histograms::HistogramSet histograms;
  std::optional<double> normalisation;  ///< if it was given
  JobPlan job;
};

}  // namespace skimline::skims
