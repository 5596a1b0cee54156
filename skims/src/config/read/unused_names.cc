// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/unused_names.h"

#include "config/read/expression_places.h"
#include "config/read/used_names.h"

#include <algorithm>
#include <set>

namespace skimline::skims {
namespace {

// What a sample would need that replaces nothing.
std::set<std::string> needed_in_common(const Config& config) {
  Config outputs = config;
  outputs.redefine.clear();
  outputs.define.clear();
  outputs.weights.clear();
  outputs.samples.clear();
  std::vector<std::string> expressions;
  for (const Text* text : expressions_outside_functions(outputs)) expressions.push_back(text->value);
  return names_needed(config, Sample{}, expressions);
}

class UnusedNames {
 public:
  UnusedNames(const Config& config, const std::vector<std::vector<std::string>>& by_sample)
      : config_(config) {
    if (!by_sample.empty()) unused_.insert(by_sample.front().begin(), by_sample.front().end());
    for (const std::vector<std::string>& names : by_sample) {
      const std::set<std::string> others(names.begin(), names.end());
      std::erase_if(unused_, [&](const std::string& name) { return !others.contains(name); });
    }
    // That it may change nothing is said.
    for (const Variation& variation : config.variations)
      if (variation.may_change_nothing)
        for (const auto* replaced : {&variation.columns, &variation.weights})
          for (const Definition& each : *replaced) unused_.erase(each.name.value);
    if (unused_.empty() || config.samples.size() == config.sample_names.size()) return;
    // Those that are not processed may need it.
    for (const std::string& name : needed_in_common(config)) unused_.erase(name);
  }

  std::vector<std::string> warnings() && {
    for (const Definition& each : config_.define)
      if (unused_.contains(each.name.value))
        warn(each.name, "the definition \"" + each.name.value + "\" is not used");
    for (const ObjectConfig& each : config_.objects)
      if (unused_.contains(each.name.value))
        warn(each.name, "the objects \"" + each.name.value + "\" are not used");
    for (const Definition& each : config_.redefine)
      if (unused_.contains(each.name.value))
        warn(each.name, "the redefinition of \"" + each.name.value + "\" is not used");
    warn_of_weights();
    if (unused_.contains(kNormalisation))
      warn({"", config_.luminosity_place},
           "\"luminosity_pb\" is not used: nothing is scaled to it without \"normalisation_\", a factor for "
           "\"weights\"");
    return std::move(warnings_);
  }

 private:
  // What a file that others share says need not be for everybody.
  void warn(const Text& at, const std::string& message) {
    const bool is_for_others = is_included(*config_.source, at.location);
    if (!is_for_others) warnings_.push_back(marked_message(*config_.source, at.location, "warning", message));
  }

  void warn_of_weights() {
    const auto is_unused = [&](const Definition& each) { return unused_.contains(each.name.value); };
    const std::vector<Definition>& weights = config_.weights;
    if (!weights.empty() && std::all_of(weights.begin(), weights.end(), is_unused))
      return warn(weights.front().name,
                  "the weights are not used: no histogram and no other expression takes \"weight_\"");
    for (const Definition& each : weights)
      if (is_unused(each)) warn(each.name, "the weight \"" + each.name.value + "\" is not used");
  }

  const Config& config_;
  std::set<std::string> unused_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> warnings_of_unused(const Config& config,
                                            const std::vector<std::vector<std::string>>& unused_by_sample) {
  return UnusedNames(config, unused_by_sample).warnings();
}

}  // namespace skimline::skims
