// SPDX-License-Identifier: BSD-3-Clause
// A record as JSON for people's programs.
#include "record/record_inputs.h"
#include "record/record_steps.h"
#include "record/record_text.h"

#include <cmath>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no numbers that are not finite.
Json share(double part, double whole) { return whole != 0 ? Json(part / whole) : Json(); }

Json json_of(const std::vector<RecordedStep>& steps) {
  Json list = Json::array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const RecordedStep& step = steps[i];
    const RecordedStep& before = steps[i == 0 ? 0 : i - 1];
    list.push_back({{"name", step.name},
                    {"events", static_cast<std::uint64_t>(step.num_events)},
                    {"sum_weights", step.sum_weights},
                    {"sum_weights_error", step.error},
                    {"relative", share(step.sum_weights, before.sum_weights)},
                    {"cumulative", share(step.sum_weights, steps.front().sum_weights)}});
  }
  return list;
}

// What follows from the histograms, in front of the inputs.
void insert_sums(const SampleRecord& sample, Json& json) {
  const std::vector<RecordedStep> steps = steps_of(sample);
  const std::optional<double> scale = scale_per_inverse_pb(sample, steps);
  Json full = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (key == "inputs") {
      full["entries"] = num_processed(sample.inputs);
      full["sum_weights"] = steps.empty() ? Json() : Json(steps.front().sum_weights);
      full["sum_weights_error"] = steps.empty() ? Json() : Json(steps.front().error);
      full["scale_per_inverse_pb"] = scale ? Json(*scale) : Json();
      full["cutflow"] = json_of(steps);
    }
    full[key] = value;
  }
  json = std::move(full);
}

}  // namespace

std::string to_json(const RunRecord& record) {
  Json json = record_json(record);
  for (std::size_t i = 0; i < record.samples.size(); ++i) insert_sums(record.samples[i], json["samples"][i]);
  json["problems"] = problems_of(record);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
