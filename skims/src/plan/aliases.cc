// SPDX-License-Identifier: BSD-3-Clause
#include "plan/aliases.h"

#include "config/samples/alias_reader.h"
#include "plan/column_patterns.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/schema.h"

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace skimline::skims {
namespace {

// Gives the columns of a schema further names, one alias of a config after another.
class AliasNames {
 public:
  AliasNames(const io::InputSource& source, const std::vector<Definition>& aliases, Diagnostics& diagnostics)
      : source_(source), aliases_(aliases), diagnostics_(diagnostics), schema_(source.schema()) {
    for (const Definition& each : aliases) aliases_by_name_.insert(each.name.value);
  }

  Schema run() {
    for (const Definition& alias : aliases_) has_wildcards(alias.name.value) ? add_all(alias) : add(alias);
    for (const io::UnsupportedField& field : source_.unsupported_fields()) add_unusable(field);
    return schema_;
  }

 private:
  void add(const Definition& alias) {
    if (const auto column = schema_.find(alias.expression.value))
      name(alias, alias.name.value, *column);
    else
      report_missing(alias);
  }

  // Under all of its names.
  void add_unusable(const io::UnsupportedField& field) {
    std::vector<std::string> names{field.name};
    for (const Definition& alias : aliases_)
      for (std::size_t i = names.size(); i-- > 0;)
        if (auto name = target_of(names[i], {alias.expression, alias.name}))
          names.push_back(std::move(*name));
    for (std::string& name : names) schema_.add_unusable(std::move(name), field.reason);
  }

  // Names of columns and aliases that match the other side of the pattern.
  void add_all(const Definition& alias) {
    std::vector<Schema::Alias> found = matches_of(alias, true);
    std::set<std::string> known;
    for (const Schema::Alias& each : found) known.insert(with_underscores(each.name));
    // A field may have two names, with a dot and with an underscore.
    for (Schema::Alias& each : matches_of(alias, false))
      if (known.insert(with_underscores(each.name)).second) found.push_back(std::move(each));
    for (const Schema::Alias& each : found) name(alias, each.name, each.column);
    if (found.empty())
      diagnostics_.add_if_everywhere(alias.expression.location,
                                     unmatched_text(alias.expression.value, known_names()));
  }

  // Those that match as they are spelt, or only with dots as underscores.
  std::vector<Schema::Alias> matches_of(const Definition& alias, bool as_spelt) const {
    const Definition inverse{alias.expression, alias.name};
    std::vector<Schema::Alias> found;
    const auto look_at = [&](const std::string& each, std::size_t column) {
      if (matches_pattern(each, alias.expression.value) != as_spelt) return;
      if (auto name = target_of(each, inverse)) found.push_back({std::move(*name), column});
    };
    for (std::size_t i = 0; i < schema_.size(); ++i) look_at(schema_[i].name, i);
    for (const Schema::Alias& each : schema_.aliases()) look_at(each.name, each.column);
    return found;
  }

  void name(const Definition& alias, const std::string& name, std::size_t column) {
    if (const auto taken = schema_.find(name))
      diagnostics_.add(alias.name.location,
                       in_expression(schema_[column].name) + " cannot be called \"" + name + "\" too: " +
                           (schema_[*taken].name == name ? "a column" : "another column") + " has that name");
    else
      schema_.add_alias(name, column);
  }

  void report_missing(const Definition& alias) {
    const std::string& target = alias.expression.value;
    const auto says = [&](const std::string& problem) {
      diagnostics_.add(alias.expression.location, problem);
    };
    if (target == alias.name.value) return says("\"" + target + "\" stands for itself, and is no column");
    if (aliases_by_name_.contains(target))
      return says("\"" + target + "\" is an alias further down: aliases stand for columns, or aliases above");
    for (const io::UnsupportedField& field : source_.unsupported_fields())
      if (field.name == target)
        return says("the field \"" + target + "\" cannot be used in expressions: " + field.reason);
    const std::string meant =
        diagnostics_.may_suggest() ? did_you_mean_column(target, known_names()) : std::string();
    diagnostics_.add_if_everywhere(alias.expression.location, "unknown column \"" + target + "\"" + meant);
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names = schema_.names();
    for (const Schema::Alias& alias : schema_.aliases()) names.push_back(alias.name);
    return names;
  }

  const io::InputSource& source_;
  const std::vector<Definition>& aliases_;
  std::unordered_set<std::string> aliases_by_name_;
  Diagnostics& diagnostics_;
  Schema schema_;
};

}  // namespace

std::vector<Definition> aliases_of(const Config& config, const Sample& sample) {
  std::vector<Definition> aliases = config.aliases;
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < aliases.size() && !sample.aliases.empty(); ++i)
    numbers.emplace(aliases[i].name.value, i);
  for (const Definition& own : sample.aliases) {
    const auto [same, is_new] = numbers.try_emplace(own.name.value, aliases.size());
    if (is_new)
      aliases.push_back(own);
    else
      aliases[same->second] = own;
  }
  return aliases;
}

Schema named_columns(const io::InputSource& source, const std::vector<Definition>& aliases,
                     Diagnostics& diagnostics) {
  return AliasNames(source, aliases, diagnostics).run();
}

}  // namespace skimline::skims
