// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/expression_places.h"

namespace skimline::skims {

std::vector<const Text*> expressions_outside_functions(const Config& config) {
  std::vector<const Text*> texts;
  const auto add = [&](const std::optional<Text>& text) {
    if (text) texts.push_back(&*text);
  };
  const auto add_all = [&](const std::vector<Definition>& definitions) {
    for (const Definition& definition : definitions) texts.push_back(&definition.expression);
  };
  for (const ObjectConfig& objects : config.objects) {
    add(objects.where);
    add(objects.sort);
  }
  add_all(config.redefine);
  add_all(config.define);
  add_all(config.weights);
  for (const Variation& variation : config.variations) {
    add_all(variation.columns);
    add_all(variation.weights);
  }
  for (const Cut& cut : config.select) texts.push_back(&cut.where);
  for (const Region& region : config.regions) texts.push_back(&region.where);
  for (const HistogramConfig& histogram : config.histograms) {
    for (const AxisConfig& axis : histogram.axes) texts.push_back(&axis.value);
    if (histogram.profile) texts.push_back(&histogram.profile->value);
    add(histogram.weight);
    for (const WeightVariation& variation : histogram.weight_variations) texts.push_back(&variation.weight);
    add(histogram.events.where);
  }
  for (const SkimConfig& skim : config.skims) {
    add_all(skim.columns);
    for (const ThinConfig& thin : skim.thin) texts.push_back(&thin.where);
    add(skim.events.where);
  }
  for (const Sample& sample : config.samples) {
    if (sample.sum_weights) texts.push_back(&sample.sum_weights->weight);
    add_all(sample.define);
    add_all(sample.weights);
  }
  return texts;
}

namespace {

// All expressions of a config, in the order in which they are evaluated.
std::vector<const Text*> expressions_of(const Config& config) {
  std::vector<const Text*> texts = expressions_outside_functions(config);
  for (const FunctionConfig& function : config.functions) texts.push_back(&function.body);
  return texts;
}

}  // namespace

ExpressionPlaces::ExpressionPlaces(const Config& config) : source_(*config.source) {
  for (const Text* text : expressions_of(config)) texts_.emplace(text->value, text);
}

std::optional<Location> ExpressionPlaces::of(const std::string& text, std::size_t offset,
                                             std::size_t length) const {
  const auto found = texts_.find(text);
  if (found == texts_.end()) return std::nullopt;
  return inside_string(source_, *found->second, offset, length);
}

}  // namespace skimline::skims
