// SPDX-License-Identifier: BSD-3-Clause
#include "plan/planned_sample.h"

#include "plan/histogram_specs.h"
#include "plan/steps_before.h"

#include "skimline/framework/bit_fields.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

std::optional<Text> weight_of(const Sample& sample, const std::optional<CarriedRecord>& before,
                              bool sums_weights) {
  return sums_weights ? summed_weight(sample, before) : std::nullopt;
}

// Whether an expression needs the column, or a skim carries it.
bool takes(const JobPlan& job, const std::string& column) {
  if (job.uses(column)) return true;
  return std::any_of(job.skims().begin(), job.skims().end(), [&](const PlannedSkim& skim) {
    return std::count(skim.carried_names.begin(), skim.carried_names.end(), column) != 0;
  });
}

}  // namespace

// Without a cross section, or where nobody asks for it, the normalisation is 1.
PlannedSample::PlannedSample(const Config& whole, const Sample& planned, PlanParts parts)
    : config(whole),
      sample(planned),
      source(std::move(parts.source)),
      before(std::move(parts.before)),
      warnings_of_inputs(before ? before->warnings : std::move(parts.warnings)),
      histograms(set_options(config, parts.threads)),
      normalisation(parts.normalisation),
      job(config, {sample, *source, histograms, parts.threads, weight_of(sample, before, parts.sums_weights),
                   normalisation.value_or(1), std::move(parts.uncounted), std::move(parts.is_known)}) {}

std::vector<std::string> PlannedSample::warnings() {
  std::vector<std::string> warnings = job.warnings();
  warnings.insert(warnings.end(), warnings_of_inputs.begin(), warnings_of_inputs.end());
  for (const ColumnInfo& column : source->schema().columns())
    if (const auto problem = other_bits(column); problem && takes(job, column.name))
      warnings.push_back(
          marked_message(*config.source, sample.name.location, "warning",
                         "files of the sample \"" + sample.name.value + "\" differ: " + *problem));
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

}  // namespace skimline::skims
