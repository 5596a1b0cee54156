// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/alias_reader.h"

#include "config/json/name_checks.h"
#include "config/json/object_reader.h"

#include "skimline/framework/schema.h"

#include <algorithm>

namespace skimline::skims {
namespace {

void check_pattern(const Definition& alias, Diagnostics& diagnostics) {
  const auto has_one_star = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '*') == 1 && text.find('?') == std::string::npos;
  };
  check_column_pattern(alias.name, diagnostics);
  if (!has_one_star(alias.name.value))
    diagnostics.add(alias.name.location, "a pattern of aliases has one \"*\", and no \"?\"");
  else if (!has_one_star(alias.expression.value))
    diagnostics.add(
        alias.expression.location,
        "what \"" + alias.name.value + "\" stands for needs one \"*\" too, as in \"AnalysisMuonsAuxDyn:*\"");
}

void check_alias(const Definition& alias, Diagnostics& diagnostics) {
  if (has_wildcards(alias.name.value)) return check_pattern(alias, diagnostics);
  check_identifier({with_underscores(alias.name.value), alias.name.location}, "an alias", diagnostics);
  if (has_wildcards(alias.expression.value))
    diagnostics.add(alias.expression.location, "\"" + alias.name.value +
                                                   "\" stands for one column: this is a pattern (in "
                                                   "back-quotes it is a name)");
}

}  // namespace

std::vector<Definition> read_aliases(const JsonValue& value, Diagnostics& diagnostics) {
  std::vector<Definition> aliases;
  for_each_named(value, "\"aliases\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    const std::optional<Text> target =
        read_text(each, "what the alias \"" + name.value + "\" stands for", diagnostics);
    if (!target) return;
    aliases.push_back({name, *target});
    check_alias(aliases.back(), diagnostics);
    if (!has_wildcards(name.value)) aliases.back().expression = unquoted(*target);
  });
  return aliases;
}

std::optional<std::string> target_of(const std::string& name, const Definition& alias) {
  const std::string &pattern = alias.name.value, &target = alias.expression.value;
  const std::size_t star = has_wildcards(pattern) ? pattern.find('*') : std::string::npos;
  if (star == std::string::npos)
    return with_underscores(name) == with_underscores(pattern) ? std::optional(target) : std::nullopt;
  const std::size_t behind = pattern.size() - star - 1, there = target.find('*');
  if (!matches_pattern(with_underscores(name), with_underscores(pattern)) || name.size() <= star + behind ||
      there == std::string::npos)
    return std::nullopt;
  return target.substr(0, there) + name.substr(star, name.size() - star - behind) + target.substr(there + 1);
}

Text stands_for(const Text& name, const std::vector<Definition>& aliases) {
  Text found = name;
  // From below, as each stands for what is above it.
  for (auto alias = aliases.rbegin(); alias != aliases.rend(); ++alias)
    if (const auto target = target_of(found.value, *alias)) found.value = *target;
  return found;
}

}  // namespace skimline::skims
