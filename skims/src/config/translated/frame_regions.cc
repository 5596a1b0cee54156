// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_regions.h"

#include "config/json/object_reader.h"
#include "config/translated/frame_block.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

class FrameRegionReader {
 public:
  explicit FrameRegionReader(FrameReading& reading) : reading_(reading) {}

  void read(const JsonValue& value) {
    const std::vector<JsonValue> blocks = reading_.sequences.blocks(value);
    if (blocks.empty()) reading_.diagnostics.add(value.location, "\"regions\" must not be empty");
    for (const JsonValue& each : blocks) {
      const FrameBlock block(each, "a region",
                             {"name", "selection", "variables", "histograms_2d", "histograms_3d"},
                             reading_.diagnostics);
      if (!block.is_object()) continue;
      FrameRegion region;
      region.name = block.required_text("name");
      region.selection = block.required_text("selection");
      reading_.check_new(reading_.region_names, region.name, each, "regions");
      if (const JsonValue* variables = block.find("variables")) read_variables(*variables, region);
      for (const auto& [key, axes] :
           {std::pair{"histograms_2d", Texts{"x", "y"}}, std::pair{"histograms_3d", Texts{"x", "y", "z"}}})
        if (const JsonValue* combinations = block.find(key)) read_combinations(*combinations, axes, region);
      reading_.config.regions.push_back(std::move(region));
    }
  }

 private:
  void read_variables(const JsonValue& value, FrameRegion& region) {
    std::set<std::string> names;
    for (const JsonValue& each : reading_.sequences.blocks(value)) {
      const FrameBlock block(each, "a variable",
                             {"name", "title", "definition", "is_nominal_only", "type", "binning"},
                             reading_.diagnostics);
      if (!block.is_object()) continue;
      FrameVariable variable;
      variable.name = block.required_text("name");
      variable.title = block.text("title", "");
      variable.definition = block.required_text("definition");
      variable.is_nominal_only = block.flag("is_nominal_only", false);
      reading_.check_new(names, variable.name, each, "variables of the region " + in_quotes(region.name));
      if (const JsonValue* binning = block.require("binning")) variable.axis = read_axis(*binning);
      region.variables.push_back(std::move(variable));
    }
  }

  FrameAxis read_axis(const JsonValue& value) {
    const FrameBlock block(value, "a binning", {"min", "max", "number_of_bins", "bin_edges"},
                           reading_.diagnostics);
    FrameAxis axis;
    if (!block.is_object()) return axis;
    if (const JsonValue* edges = block.find("bin_edges"))
      axis.edges =
          read_numbers(*edges, "\"bin_edges\"", reading_.diagnostics).value_or(std::vector<double>{});
    const auto number = [&](const char* key) {
      const JsonValue* found = block.find(key);
      return found ? read_number(*found, in_quotes(key), reading_.diagnostics).value_or(0) : 0.;
    };
    axis.low = number("min");
    axis.high = number("max");
    axis.bins = block.integer("number_of_bins").value_or(0);
    const bool is_regular = axis.low < axis.high && axis.bins > 0;
    if (is_regular == !axis.edges.empty() || axis.edges.size() == 1)
      reading_.diagnostics.add(
          value.location,
          "a binning has either \"bin_edges\", or \"number_of_bins\" from \"min\" to \"max\"");
    return axis;
  }

  void read_combinations(const JsonValue& value, const Texts& axes, FrameRegion& region) {
    std::set<std::string> names;
    for (const FrameVariable& variable : region.variables) names.insert(variable.name);
    std::vector<const char*> keys;
    for (const std::string& axis : axes) keys.push_back(axis.c_str());
    for (const JsonValue& each : reading_.sequences.blocks(value)) {
      const FrameBlock block(each, "a histogram of several variables", keys, reading_.diagnostics);
      if (!block.is_object()) continue;
      Texts& combination = region.combinations.emplace_back();
      for (const char* key : keys) {
        combination.push_back(block.required_text(key));
        if (!combination.back().empty())
          reading_.check_known(names, combination.back(), each.find(key)->location,
                               "variable of the region " + in_quotes(region.name));
      }
    }
  }

  FrameReading& reading_;
};

}  // namespace

void read_regions(const JsonValue& value, FrameReading& reading) { FrameRegionReader(reading).read(value); }

}  // namespace skimline::skims
