// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/fit_regions.h"

#include "config/read/config_variables.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

std::int64_t rebinned(const FitBlock& region, double bins, FitTranslation& fit) {
  const std::optional<double> group = only_number(region.value("Rebin"));
  if (!group || *group < 1) return 1;
  const auto num_bins = static_cast<std::int64_t>(std::clamp(bins, 0., 1e9));
  const auto size = static_cast<std::int64_t>(std::min(*group, 1e9));
  if (num_bins % size == 0) return size;
  fit.left_out.push_back(region.place + ": Rebin of the region " + region.name +
                         ": it does not divide the bins");
  return 1;
}

std::vector<double> edges_of(const FitBlock& region, FitTranslation& fit) {
  std::vector<double> edges;
  for (const std::string& text : region.values("Binning")) {
    const std::optional<double> edge = only_number(text);
    if (!edge) {
      fit.left_out.push_back(region.place + ": Binning of the region " + region.name +
                             ", which TRExFitter chooses from the histograms");
      return {};
    }
    edges.push_back(*edge);
  }
  return edges;
}

// "a|b", but not "a||b".
bool has_two_variables(const std::string& variable) {
  const std::size_t at = variable.find('|');
  return at != std::string::npos && variable.compare(at, 2, "||") != 0;
}

}  // namespace

std::string selection(const std::string& text, const std::string& name, FitTranslation& fit) {
  if (is_one(text)) return "true";
  if (!fit.ignores_selections) return fit.words.cut(text);
  fit.define[name] = fit.words.cut(text);
  return name;
}

// "x",20,0,100
void add_region(const FitBlock& region, FitTranslation& fit) {
  const std::vector<std::string> variable = region.values("Variable");
  if (!variable.empty() && has_two_variables(variable[0]))
    throw ConfigError(region.place + ": Variable of the region " + region.name +
                      ": \"|\" stands between two variables there, and regions have histograms of one");
  const auto number = [&](std::size_t index) {
    const std::optional<double> found =
        index < variable.size() ? only_number(variable[index]) : std::optional<double>();
    if (!found)
      throw ConfigError(region.place + ": Variable of the region " + region.name +
                        " must be \"expression\",bins,low,high");
    return *found;
  };
  OrderedJson axis{{"value", fit.words.formula(variable.empty() ? "" : variable[0])}};
  const double bins = number(1), low = number(2), high = number(3);
  const std::vector<double> edges = edges_of(region, fit);
  if (!edges.empty()) {
    axis["edges"] = edges;
  } else {
    axis["bins"] = static_cast<std::int64_t>(std::clamp(bins, 0., 1e9)) / rebinned(region, bins, fit);
    axis["range"] = {low, high};
  }
  if (!region.value("VariableTitle").empty()) axis["label"] = plain_text(region.value("VariableTitle"));
  const std::string name = fit.words.object_name(region);
  for (const std::string key : {"Variable", "Selection"})
    if (!region.written(key + "ForSample").empty())
      fit.left_out.push_back(region.place + ": " + key + "ForSample of the region " + name +
                             ": its histograms have the " + key + " of the region for all samples");
  OrderedJson& json = fit.histograms[name];
  json["x"] = std::move(axis);
  json["regions"] = {name};
  if (!is_one(region.value("MCweight"))) {
    fit.define[region_weight(region, fit)] = fit.words.formula(region.value("MCweight"));
    for (const FitBlock& sample : fit.blocks_of("Sample"))
      if (is_data(sample))
        fit.samples[fit.words.object_name(sample)]["define"][region_weight(region, fit)] = "1.";
    json["weight"] = "weight_ * " + region_weight(region, fit);
  }
  fit.regions[name]["where"] =
      selection(region.value("Selection"), "selection_" + fit.words.identifier(region), fit);
}

}  // namespace skimline::skims
