// SPDX-License-Identifier: BSD-3-Clause
#include "run/cutflow_output.h"

#include "base/measured_table.h"

#include "skimline/framework/number_text.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNominalName = "nominal";

// Digits enough to read the same double back.
std::string exact_text(double value) { return significant_digits(value, 17); }

void add_line(std::string& text, const SampleReport& sample, const std::string& variation, const char* kind,
              const CutflowStep& step) {
  text += csv_field(sample.name) + "," + variation + "," + kind + "," + csv_field(step.name) + "," +
          std::to_string(step.num_passed) + "," + exact_text(step.sum_weights) + "," +
          exact_text(std::sqrt(step.sum_squares)) + "\n";
}

Json json_of(const CutflowStep& step) {
  return {{"name", step.name},
          {"events", step.num_passed},
          {"sum_weights", step.sum_weights},
          {"sum_weights_error", std::sqrt(step.sum_squares)}};
}

Json json_of(const RegionCount& region) { return json_of(region.step); }

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

std::string cutflow_csv(const JobReport& report) {
  std::string text = "sample,variation,kind,name,events,sum_weights,sum_weights_error\n";
  for (const SampleReport& sample : report.samples) {
    for (const CutflowStep& step : sample.cutflow) add_line(text, sample, kNominalName, "cutflow", step);
    for (const CutflowStep& step : sample.n_minus_1) add_line(text, sample, kNominalName, "n_minus_1", step);
    for (const RegionCount& region : sample.regions)
      add_line(text, sample, kNominalName, "region", region.step);
    for (const VariationCount& variation : sample.variations) {
      for (const CutflowStep& step : variation.cutflow)
        add_line(text, sample, variation.name, "cutflow", step);
      for (const RegionCount& region : variation.regions)
        add_line(text, sample, variation.name, "region", region.step);
    }
  }
  return text;
}

std::string cutflow_json(const JobReport& report) {
  Json json = Json::object();
  for (const SampleReport& sample : report.samples) {
    json[sample.name] = {{"cutflow", list_of(sample.cutflow)}, {"regions", list_of(sample.regions)}};
    if (!sample.n_minus_1.empty()) json[sample.name]["n_minus_1"] = list_of(sample.n_minus_1);
    for (const VariationCount& variation : sample.variations)
      json[sample.name]["variations"][variation.name] = {{"cutflow", list_of(variation.cutflow)},
                                                         {"regions", list_of(variation.regions)}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cutflow_text(const std::string& path, const JobReport& report) {
  return path.ends_with(".csv") ? cutflow_csv(report) : cutflow_json(report);
}

}  // namespace skimline::skims
