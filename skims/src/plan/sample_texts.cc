// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sample_texts.h"

#include "config/samples/alias_reader.h"
#include "plan/aliases.h"

#include "skimline/framework/column_name.h"

#include <algorithm>

namespace skimline::skims {
namespace {

template <typename Value>
Value* found_in(const std::unordered_map<std::string_view, Value*>& by_text, const std::string& text) {
  const auto found = by_text.find(text);
  return found == by_text.end() ? nullptr : found->second;
}

}  // namespace

SampleTexts::SampleTexts(const Config& config, const Sample& sample) : aliases_(aliases_of(config, sample)) {
  for (const ObjectConfig& each : config.objects) {
    objects_.emplace(each.name.value, &each);
    for (const std::optional<Text>* text : {&each.where, &each.sort})
      if (*text) of_objects_.emplace((*text)->value, &**text);
  }
  for (const auto* list : {&config.define, &config.weights})
    for (const Definition& each : *list) definitions_.emplace(each.name.value, &each);
  for (const auto* list :
       {&sample.define, &sample.weights, &config.redefine, &config.define, &config.weights})
    add_expressions(*list);
  for (std::size_t i = 0; i < aliases_.size(); ++i) {
    const std::string& name = aliases_[i].name.value;
    if (has_wildcards(name))
      alias_patterns_.push_back(i);
    else
      plain_aliases_.emplace(with_underscores(name), i);
  }
}

void SampleTexts::add_expressions(const std::vector<Definition>& definitions) {
  for (const Definition& each : definitions) of_definitions_.emplace(each.expression.value, &each.expression);
}

const ObjectConfig* SampleTexts::objects(const std::string& name) const { return found_in(objects_, name); }

const Definition* SampleTexts::definition(const std::string& name) const {
  return found_in(definitions_, name);
}

const Text* SampleTexts::of_objects(const std::string& expression) const {
  return found_in(of_objects_, expression);
}

const Text* SampleTexts::of_definition(const std::string& expression) const {
  return found_in(of_definitions_, expression);
}

std::optional<std::string> SampleTexts::alias_target(const std::string& name) const {
  const auto plain = plain_aliases_.find(with_underscores(name));
  const std::size_t first_plain = plain == plain_aliases_.end() ? aliases_.size() : plain->second;
  for (const std::size_t number : alias_patterns_) {
    if (number > first_plain) break;
    if (auto target = target_of(name, aliases_[number])) return target;
  }
  if (first_plain == aliases_.size()) return std::nullopt;
  return target_of(name, aliases_[first_plain]);
}

}  // namespace skimline::skims
