// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/used_names.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace skimline::skims {
namespace {

bool is_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == text[begin])
      return at + 1;
  }
  return text.size();
}

// The objects that "good_jets_pt" is of, which is "good_jets.pt"; empty if there are none.
std::string objects_in(const std::string& name, const Config& config) {
  for (const ObjectConfig& objects : config.objects)
    if (name.starts_with(objects.name.value + "_")) return objects.name.value;
  return {};
}

// By name what stands for it.
std::map<std::string, std::set<std::string>> needs_of(const Config& config, const Sample& sample) {
  std::map<std::string, std::set<std::string>> needs;
  for (const Definition& each : config.redefine) needs[each.name.value] = names_in(each.expression.value);
  for (const Definition& each : config.define)
    needs[each.name.value] = names_in(own_expression(each, sample.define).value);
  for (const Definition& each : config.weights) {
    const Text& expression = own_expression(each, sample.weights);
    if (!sample.is_data || &expression != &each.expression)
      needs[each.name.value] = names_in(expression.value);
    needs[kEventWeight].insert(each.name.value);
  }
  for (const ObjectConfig& objects : config.objects) {
    std::set<std::string>& names = needs[objects.name.value];
    names = names_in(objects.from.value);
    for (const std::optional<Text>* text : {&objects.where, &objects.sort})
      if (*text) names.merge(names_in((*text)->value));
  }
  for (const FunctionConfig& function : config.functions)
    needs[name_of(function)] = names_in(function.body.value);
  return needs;
}

}  // namespace

std::string original_name(const std::string& column) { return "original_" + column; }

std::set<std::string> names_in(std::string_view expression) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < expression.size();) {
    if (expression[at] == '"' || expression[at] == '\'') {
      at = end_of_string(expression, at);
    } else if (expression[at] == '`') {
      const std::size_t end = std::min(expression.find('`', at + 1), expression.size());
      names.emplace(expression.substr(at + 1, end - at - 1));
      at = end + 1;
    } else if (!is_in_name(expression[at])) {
      ++at;
    } else {
      std::size_t end = at;
      while (end < expression.size() && is_in_name(expression[end])) ++end;
      names.emplace(expression.substr(at, end - at));
      at = end;
    }
  }
  return names;
}

std::string name_of(const FunctionConfig& function) {
  const std::string& signature = function.signature.value;
  const std::size_t begin = std::min(signature.find_first_not_of(' '), signature.size());
  std::size_t end = begin;
  while (end < signature.size() && is_in_name(signature[end])) ++end;
  return signature.substr(begin, end - begin);
}

const Text& own_expression(const Definition& definition, const std::vector<Definition>& own) {
  const auto found = std::find_if(own.begin(), own.end(), [&](const Definition& each) {
    return each.name.value == definition.name.value;
  });
  return found == own.end() ? definition.expression : found->expression;
}

std::set<std::string> names_needed(const Config& config, const Sample& sample,
                                   const std::vector<std::string>& expressions) {
  const auto needs = needs_of(config, sample);
  std::set<std::string> needed;
  std::vector<std::string> pending;
  const auto add = [&](const std::set<std::string>& names) {
    for (const std::string& name : names) {
      if (needed.insert(name).second) pending.push_back(name);
      const std::string objects = objects_in(name, config);
      if (!objects.empty() && needed.insert(objects).second) pending.push_back(objects);
    }
  };
  for (const std::string& expression : expressions) add(names_in(expression));
  while (!pending.empty()) {
    const auto found = needs.find(pending.back());
    pending.pop_back();
    if (found != needs.end()) add(found->second);
  }
  return needed;
}

}  // namespace skimline::skims
