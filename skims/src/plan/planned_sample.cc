// SPDX-License-Identifier: BSD-3-Clause
#include "plan/planned_sample.h"

#include "plan/histogram_specs.h"
#include "plan/normalisation.h"
#include "plan/steps_before.h"

#include <limits>

namespace skimline::skims {
namespace {

using Use = NormalisationUse;

// Records and sums cost reading all files.
std::optional<CarriedRecord> record_before(const Sample& sample, const SampleInputs& inputs,
                                           const PlanningOptions& options) {
  if (!options.sums_weights && options.normalisation != Use::kComputed) return std::nullopt;
  return steps_before(sample, inputs);
}

std::optional<double> computed_normalisation(const Config& config, const Sample& sample,
                                             const SampleInputs& inputs,
                                             const std::optional<CarriedRecord>& before,
                                             const PlanningOptions& options) {
  if (options.normalisation != Use::kComputed) return std::nullopt;
  return normalisation_of(config, sample, inputs, before, options.threads);
}

double planned_normalisation(const std::optional<double>& computed, Use use) {
  if (use == Use::kUnknown) return std::numeric_limits<double>::quiet_NaN();
  return computed.value_or(1);  // of samples without a cross section
}

std::optional<Text> weight_of(const Sample& sample, const std::optional<CarriedRecord>& before,
                              const PlanningOptions& options) {
  return options.sums_weights ? summed_weight(sample, before) : std::nullopt;
}

}  // namespace

PlannedSample::PlannedSample(const Config& config, const Sample& sample, SampleInputs& inputs,
                             const PlanningOptions& options)
    : config(config),
      sample(sample),
      source(inputs.open()),
      before(record_before(sample, inputs, options)),
      histograms(set_options(config, options.threads)),
      normalisation(computed_normalisation(config, sample, inputs, before, options)),
      job(config, {sample, *source, histograms, options.threads, weight_of(sample, before, options),
                   planned_normalisation(normalisation, options.normalisation), options.uncounted}) {
  if (options.normalisation != Use::kUnknown) check_cross_section(sample, before, job);
}

std::vector<std::string> PlannedSample::warnings() {
  std::vector<std::string> warnings = job.warnings();
  if (before) warnings.insert(warnings.end(), before->warnings.begin(), before->warnings.end());
  const bool has_cross_section = sample.cross_section_pb || (before && before->cross_section_pb);
  if (!has_cross_section && !sample.is_data && job.uses_normalisation())
    warnings.push_back(marked_message(*config.source, sample.name.location, "warning",
                                      "\"normalisation_\" is 1 for the sample \"" + sample.name.value +
                                          "\", which has no \"cross_section_pb\": if it is data, give "
                                          "\"is_data\": true"));
  return warnings;
}

std::string PlannedSample::place_of(std::uint64_t entry) const {
  for (const io::InputFacts& file : source->files()) {
    if (entry < file.num_entries) return "entry " + std::to_string(entry) + " of " + file.path;
    entry -= file.num_entries;
  }
  return "an unknown entry";
}

std::unique_ptr<PlannedSample> plan_sample(const Config& config, const Sample& sample, SampleInputs& inputs,
                                           const PlanningOptions& options) {
  for (;;) {
    try {
      return std::make_unique<PlannedSample>(config, sample, inputs, options);
    } catch (const FileError& fault) {
      inputs.leave_out(fault);
    }
  }
}

}  // namespace skimline::skims
