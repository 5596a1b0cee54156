// SPDX-License-Identifier: BSD-3-Clause
#include "plan/column_patterns.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <unordered_set>

namespace skimline::skims {
namespace {

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches_column(name, pattern); });
}

bool is_matched(const std::string& pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches_column(name, pattern); });
}

// Names, and what a pattern for a group of them would be: "Muon_*" for "Muon_pt".
std::vector<std::string> possible_patterns(const std::vector<std::string>& names) {
  std::vector<std::string> patterns = names;
  for (const std::string& name : names)
    if (const std::size_t end = name.find_first_of("_."); end != std::string::npos)
      patterns.push_back(name.substr(0, end + 1) + "*");
  return patterns;
}

// By its own name or by an alias.
bool is_wanted(const std::string& name, const std::multimap<std::string, std::string>& aliases,
               const ColumnChoice& choice) {
  bool is_kept = choice.is_kept(name), is_dropped = choice.is_dropped(name);
  const auto [begin, end] = aliases.equal_range(name);
  for (auto each = begin; each != end; ++each) {
    is_kept |= choice.is_kept(each->second);
    is_dropped |= choice.is_dropped(each->second);
  }
  return is_kept && !is_dropped;
}

std::vector<std::string> values_of(const std::vector<Text>& texts) {
  std::vector<std::string> values;
  for (const Text& text : texts) values.push_back(text.value);
  return values;
}

}  // namespace

bool matches_column(const std::string& name, const std::string& pattern) {
  if (quoted_name(pattern)) return matches_pattern(name, pattern);
  return matches_pattern(with_underscores(name), with_underscores(pattern));
}

bool ColumnChoice::is_kept(const std::string& name) const { return keep.empty() || matches_any(name, keep); }
bool ColumnChoice::is_dropped(const std::string& name) const { return matches_any(name, drop); }

bool ColumnChoice::is_named(const std::string& name) const {
  return std::any_of(keep.begin(), keep.end(), [&](const std::string& pattern) {
    return !has_wildcards(pattern) && matches_column(name, pattern);
  });
}

ColumnChoice choice_of(const SkimConfig& skim) { return {values_of(skim.keep), values_of(skim.drop)}; }

std::string did_you_mean_pattern(const std::string& pattern, const std::vector<std::string>& names) {
  return did_you_mean(pattern, possible_patterns(names));
}

std::string unmatched_text(const std::string& pattern, const std::vector<std::string>& names) {
  return "no column matches \"" + pattern + "\"" + did_you_mean_pattern(pattern, names);
}

std::vector<std::string> field_names(const io::InputSource& source) {
  std::vector<std::string> names = source.schema().names();
  std::unordered_set<std::string> known(names.begin(), names.end());
  for (const io::UnsupportedField& field : source.unsupported_fields())
    if (known.insert(field.name).second) names.push_back(field.name);
  return names;
}

std::vector<std::string> kept_columns(const SkimConfig& skim, const ColumnNames& names,
                                      Diagnostics& diagnostics) {
  std::vector<std::string> all = names.fields;
  all.insert(all.end(), names.definitions.begin(), names.definitions.end());
  std::vector<std::string> possible = all;
  for (const auto& [field, alias] : names.aliases) possible.push_back(alias);
  bool are_right = true;
  for (const Text& pattern : skim.keep) {
    if (is_matched(pattern.value, possible)) continue;
    diagnostics.add(pattern.location, unmatched_text(pattern.value, possible));
    are_right = false;
  }
  for (const Text& pattern : skim.drop)
    if (!is_matched(pattern.value, possible))
      diagnostics.add_if_everywhere(pattern.location, unmatched_text(pattern.value, possible));

  const ColumnChoice choice = choice_of(skim);
  std::vector<std::string> kept;
  for (const std::string& name : skim.keep.empty() ? names.fields : all)
    if (is_wanted(name, names.aliases, choice)) kept.push_back(name);
  if (kept.empty() && are_right && skim.columns.empty())
    diagnostics.add(skim.name.location, "no column is left in the skim \"" + skim.name.value + "\"");
  return kept;
}

}  // namespace skimline::skims
