// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_histograms.h"

#include "base/text_table.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstddef>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

std::string without_blanks(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// "title;x;y"
Texts parts_of_title(const std::string& title) {
  Texts parts;
  for (std::size_t begin = 0; begin <= title.size();) {
    const std::size_t end = std::min(title.find(';', begin), title.size());
    parts.push_back(without_blanks(title.substr(begin, end - begin)));
    begin = end + 1;
  }
  parts.resize(std::max<std::size_t>(parts.size(), 4));
  return parts;
}

OrderedJson axis_of(const FrameVariable& variable) {
  OrderedJson axis{{"value", plain_text(variable.definition)}};
  if (variable.axis.edges.empty()) {
    axis["bins"] = variable.axis.bins;
    axis["range"] = {variable.axis.low, variable.axis.high};
  } else {
    axis["edges"] = variable.axis.edges;
  }
  if (const std::string label = parts_of_title(variable.title)[1]; !label.empty())
    axis["label"] = plain_text(label);
  return axis;
}

}  // namespace

void FrameHistograms::add(const FrameRegion& region, const std::string& where) {
  const std::string name = objects_.name(region.name, "region");
  regions_[name]["where"] = plain_text(where);
  for (const FrameVariable& variable : region.variables) {
    OrderedJson json;
    const Texts title = parts_of_title(variable.title);
    if (!title[0].empty()) json["title"] = plain_text(title[0]);
    json["x"] = axis_of(variable);
    add_histogram(variable.name, name, std::move(json));
    if (!title[2].empty() && title[2] != "Events")
      left_out_.add("titles of the axis of contents of", variable.name, "here it is \"Events\"");
    if (variable.is_nominal_only)
      left_out_.add("\"is_nominal_only\" of", variable.name, "its histograms are filled for systematics too");
  }
  for (const Texts& combination : region.combinations) add_combination(region, combination, name);
}

void FrameHistograms::add_combination(const FrameRegion& region, const Texts& names,
                                      const std::string& region_name) {
  OrderedJson json;
  std::string name;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto variable = std::find_if(region.variables.begin(), region.variables.end(),
                                       [&](const FrameVariable& each) { return each.name == names[i]; });
    json[std::string(1, static_cast<char>('x' + i))] = axis_of(*variable);
    name += (i == 0 ? "" : "_vs_") + names[i];
  }
  add_histogram(name, region_name, std::move(json));
}

void FrameHistograms::add_histogram(std::string name, const std::string& region, OrderedJson json) {
  for (std::size_t at = name.find("_NOSYS"); at != std::string::npos; at = name.find("_NOSYS"))
    name.erase(at, 6);
  const std::string plain = objects_.name(name, "variable");
  const auto [known, is_new] = by_variable_.try_emplace(plain, json);
  if (known->second != json) are_alike_ = false;
  if (!places_.emplace(plain, region).second)
    throw ConfigError("the region " + in_quotes(region) + " has two histograms called " + in_quotes(plain));
  filled_.push_back({plain, region, std::move(json)});
}

OrderedJson FrameHistograms::histograms() {
  OrderedJson histograms = OrderedJson::object();
  for (const Filled& each : filled_) {
    const std::string name =
        are_alike_ ? each.variable : objects_.name(each.variable + "_" + each.region, "histogram");
    if (!are_alike_ && histograms.contains(name))
      throw ConfigError("two histograms would be called " + in_quotes(name) +
                        ": rename a variable or region");
    if (!histograms.contains(name)) histograms[name] = each.json;
    histograms[name]["regions"].push_back(each.region);
  }
  return histograms;
}

}  // namespace skimline::skims
