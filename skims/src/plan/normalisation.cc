// SPDX-License-Identifier: BSD-3-Clause
#include "plan/normalisation.h"

#include "base/text_table.h"
#include "plan/event_fault.h"
#include "plan/planned_sample.h"
#include "plan/steps_before.h"

#include "skimline/framework/error.h"

#include <cmath>
#include <limits>
#include <utility>

namespace skimline::skims {
namespace {

double first_sum(const Cutflow& cutflow) { return cutflow.weights.contents()[kFirstStep]; }

// What a sum of weights needs of a config, for all parts of a sample together.
Config for_weights_only(const Config& config, const SampleInputs& inputs) {
  Config weights = config;
  weights.limit_events = inputs.limit_events();
  weights.entries.reset();
  weights.shard.reset();
  weights.output = {};
  weights.select.clear();
  weights.regions.clear();
  weights.variations.clear();
  weights.sums.clear();
  weights.histograms.clear();
  weights.skims.clear();
  return weights;
}

std::uint64_t num_events(const Config& config, const SampleInputs& inputs) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < inputs.inputs().size(); ++i) count += inputs.num_entries(i);
  return limited_range(config, count).count;
}

// Reads the weights of all events; nothing if the weight has a mistake, which the plan of the run reports.
std::optional<double> summed_over_events(const Config& config, const Sample& sample, int threads) {
  SampleInputs inputs(config, sample);
  PlanParts parts{.source = inputs.open(), .threads = threads};
  if (const auto before = steps_before(sample, inputs)) return first_sum(before->cutflow);
  // A sum that depends on what it normalises is not a number.
  parts.normalisation = std::numeric_limits<double>::quiet_NaN();
  PlannedSample planned(config, sample, std::move(parts));
  if (!planned.job.mistakes().empty()) return std::nullopt;
  RunOptions options;
  options.threads = threads;
  try {
    const RunReport report = run(planned.job.build(), *planned.source, options);
    return first_sum(cutflow_of(planned.job.cutflow(), report, planned.job.weights()));
  } catch (const EvaluationError& error) {
    throw event_error(planned, error);
  }
}

std::optional<double> sum_of_weights(const Config& config, const Sample& sample, const SampleInputs& inputs,
                                     const std::optional<CarriedRecord>& before, int threads) {
  if (before && !config.entries && !config.shard) return first_sum(before->cutflow);
  const Config weights = for_weights_only(config, inputs);
  if (!before && sample.sum_weights && sample.sum_weights->weight.value == "1")
    return static_cast<double>(num_events(weights, inputs));
  Sample read = sample;
  read.inputs = inputs.inputs();
  return summed_over_events(weights, read, threads);
}

}  // namespace

std::optional<double> normalisation_of(const Config& config, const Sample& sample, const SampleInputs& inputs,
                                       const std::optional<CarriedRecord>& before, int threads) {
  std::optional<double> cross_section_pb = sample.cross_section_pb;
  if (before && !cross_section_pb) cross_section_pb = before->cross_section_pb;
  if (!config.luminosity_pb || !cross_section_pb || (!before && !sample.sum_weights)) return std::nullopt;
  const std::optional<double> sum = sum_of_weights(config, sample, inputs, before, threads);
  if (!sum) return std::nullopt;
  if (!(std::isfinite(*sum) && *sum > 0))
    throw Error("the sample \"" + sample.name.value +
                "\" has a cross section, but its sum of weights before any cut is " + format_number(*sum) +
                ": it cannot be normalised");
  return *cross_section_pb * *config.luminosity_pb / *sum;
}

}  // namespace skimline::skims
