// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan_sample.h"

#include "plan/normalisation.h"
#include "plan/steps_before.h"

#include "skimline/framework/error.h"

#include <utility>

namespace skimline::skims {
namespace {

void check_cross_section(PlannedSample& planned) {
  const Sample& sample = planned.sample;
  if (!sample.cross_section_pb || sample.sum_weights || planned.before) return;
  planned.job.add_mistake(
      *sample.cross_section_place,
      "a sample with a cross section needs \"sum_weights\", the weight of an event, such as "
      "\"genWeight\", or \"1\" if all count the same");
}

std::unique_ptr<PlannedSample> plan_of(const Config& config, const Sample& sample, const SampleInputs& inputs,
                                       std::unique_ptr<io::InputSource> source,
                                       const PlanningOptions& options) {
  const bool normalises = options.normalisation == NormalisationUse::kComputed;
  PlanParts parts{.source = std::move(source),
                  .threads = options.threads,
                  .sums_weights = options.sums_weights,
                  .uncounted = options.uncounted,
                  .is_known = options.is_known};
  // Records and sums cost reading all files.
  if (options.sums_weights || normalises)
    parts.before = steps_before(sample, inputs);
  else
    parts.warnings = warnings_of_origins(sample, inputs);
  if (options.normalisation_elsewhere)
    parts.normalisation = *options.normalisation_elsewhere;
  else if (normalises)
    parts.normalisation = normalisation_of(config, sample, inputs, parts.before, options.threads);
  auto planned = std::make_unique<PlannedSample>(config, sample, std::move(parts));
  check_cross_section(*planned);
  return planned;
}

}  // namespace

std::unique_ptr<PlannedSample> plan_sample(const Config& config, const Sample& sample, SampleInputs& inputs,
                                           const PlanningOptions& options) {
  for (;;) {
    // What open() leaves out, or refuses to, is settled.
    std::unique_ptr<io::InputSource> source = inputs.open();
    try {
      return plan_of(config, sample, inputs, std::move(source), options);
    } catch (const FileError& fault) {
      inputs.leave_out(fault);
    }
  }
}

}  // namespace skimline::skims
