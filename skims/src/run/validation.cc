// SPDX-License-Identifier: BSD-3-Clause
#include "run/validation.h"

#include "base/text_table.h"

#include "skimline/skims/job.h"
#include "skimline/skims/shown_text.h"

namespace skimline::skims {

Validation validate(const Config& config) {
  const PlanReport plan = plan_job(config);
  Validation validation{.path = config.source->path,
                        .num_samples = config.samples.size(),
                        .num_files = 0,
                        .num_entries = 0,
                        .warnings = plan.warnings};
  for (const SamplePlan& sample : plan.samples) {
    validation.num_files += sample.files.size();
    validation.num_entries += sample.num_entries;
  }
  return validation;
}

std::string to_text(const Validation& validation) {
  std::string text = shown(validation.path) + ": valid: " + counted(validation.num_samples, "sample") + ", " +
                     counted(validation.num_files, "file") + ", " + counted(validation.num_entries, "event") +
                     "\n";
  for (const std::string& warning : validation.warnings) text += warning + "\n";
  return text;
}

}  // namespace skimline::skims
