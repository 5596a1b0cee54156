// SPDX-License-Identifier: BSD-3-Clause
#include "column_patterns.h"

#include "skimline/framework/schema.h"

#include <algorithm>

namespace skimline::skims {
namespace {

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

bool matches(const std::string& name, const Text& pattern) {
  return matches_pattern(with_underscores(name), with_underscores(pattern.value));
}

bool matches_any(const std::string& name, const std::vector<Text>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Text& pattern) { return matches(name, pattern); });
}

// Names, and what a pattern for a group of them would be: "Muon_*" for "Muon_pt".
std::vector<std::string> possible_patterns(const std::vector<std::string>& names) {
  std::vector<std::string> patterns = names;
  for (const std::string& name : names)
    if (const std::size_t end = name.find_first_of("_."); end != std::string::npos)
      patterns.push_back(name.substr(0, end + 1) + "*");
  return patterns;
}

// Returns whether all patterns match.
bool check_patterns(const std::vector<Text>& patterns, const std::vector<std::string>& names,
                    Diagnostics& diagnostics) {
  const std::size_t num_errors = diagnostics.size();
  for (const Text& pattern : patterns) {
    const bool is_matched = std::any_of(names.begin(), names.end(),
                                        [&](const std::string& name) { return matches(name, pattern); });
    if (!is_matched)
      diagnostics.add(pattern.location, "no column matches \"" + pattern.value + "\"" +
                                            did_you_mean(pattern.value, possible_patterns(names)));
  }
  return diagnostics.size() == num_errors;
}

}  // namespace

std::vector<std::string> kept_columns(const SkimConfig& skim, const ColumnNames& names,
                                      Diagnostics& diagnostics) {
  std::vector<std::string> all = names.fields;
  all.insert(all.end(), names.definitions.begin(), names.definitions.end());
  const bool keep_is_right = check_patterns(skim.keep, all, diagnostics);
  const bool drop_is_right = check_patterns(skim.drop, all, diagnostics);

  std::vector<std::string> kept;
  for (const std::string& name : skim.keep.empty() ? names.fields : all)
    if ((skim.keep.empty() || matches_any(name, skim.keep)) && !matches_any(name, skim.drop))
      kept.push_back(name);
  if (kept.empty() && keep_is_right && drop_is_right)
    diagnostics.add(skim.name.location, "no column is left in the skim \"" + skim.name.value + "\"");
  return kept;
}

}  // namespace skimline::skims
