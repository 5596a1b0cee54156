// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/used_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <unordered_set>

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

// The end of a comment that begins there, which may have quotes in it; else `begin`.
std::size_t end_of_comment(std::string_view text, std::size_t begin) {
  const std::string_view sign = text.substr(begin, 2);
  if (sign != "/*" && sign != "//") return begin;
  const std::size_t end = text.find(sign == "/*" ? "*/" : "\n", begin + 2);
  return end == std::string_view::npos ? begin : end + 1;
}

// Expressions that stand for definitions, by name.
class OwnExpressions {
 public:
  explicit OwnExpressions(const std::vector<Definition>& own) {
    for (const Definition& each : own) expressions_.emplace(each.name.value, &each.expression);
  }
  // Null where it is the common one.
  const Text* find(const Definition& definition) const {
    const auto found = expressions_.find(definition.name.value);
    return found == expressions_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const Text*> expressions_;
};

// By name what stands for it.
std::map<std::string, std::set<std::string>> needs_of(const Config& config, const Sample& sample) {
  std::map<std::string, std::set<std::string>> needs;
  for (const Definition& each : config.redefine) needs[each.name.value] = names_in(each.expression.value);
  const OwnExpressions definitions(sample.define), weights(sample.weights);
  for (const Definition& each : config.define) {
    const Text* own = definitions.find(each);
    needs[each.name.value] = names_in(own ? own->value : each.expression.value);
  }
  for (const Definition& each : config.weights) {
    const Text* own = weights.find(each);
    if (own || !sample.is_data) needs[each.name.value] = names_in(own ? own->value : each.expression.value);
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
    if (const std::size_t behind = end_of_comment(expression, at); behind != at) {
      at = behind;
    } else if (expression[at] == '"' || expression[at] == '\'') {
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
  std::size_t end = std::min(signature.find('('), signature.size());
  while (end > 0 && !is_in_name(signature[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_in_name(signature[begin - 1])) --begin;
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
  const auto need = [&](const std::string& name) {
    if (needed.insert(name).second) pending.push_back(name);
  };
  std::unordered_set<std::string_view> objects;
  for (const ObjectConfig& each : config.objects) objects.insert(each.name.value);
  const auto add = [&](const std::set<std::string>& names) {
    for (const std::string& name : names) {
      need(name);
      // "good_jets_pt" is "good_jets.pt", or "good.jets_pt".
      for (std::size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1))
        if (objects.contains(std::string_view(name).substr(0, at))) need(name.substr(0, at));
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
