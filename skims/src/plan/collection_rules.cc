// SPDX-License-Identifier: BSD-3-Clause
#include "plan/collection_rules.h"

#include "plan/collections.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"
#include "skimline/framework/index_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace skimline::skims {
namespace {

// These lead to other elements of the collection that they are in.
constexpr std::string_view kOwnStems[] = {"mother",   "firstMother",   "lastMother",
                                          "daughter", "firstDaughter", "lastDaughter"};

bool are_equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// "muon" of "muonIdx1"; empty if it is no index.
std::string stem_of(const std::string& member) {
  const std::size_t place = member.rfind("Idx");
  if (place == std::string::npos || member.find('_', place) != std::string::npos) return {};
  return member.substr(0, place);
}

}  // namespace

CollectionRules::CollectionRules(const io::InputSource& source, const std::vector<IndexRule>& indices,
                                 const std::map<std::string, std::string>& originals,
                                 Diagnostics& diagnostics)
    : rules_(indices), collections_(stored_collections(source)) {
  for (std::size_t i = 0; i < collections_.size(); ++i)
    for (const std::string& column : collections_[i].columns) places_.emplace(with_underscores(column), i);
  for (const auto& [column, original] : originals) redefined_.emplace(original, column);
  // Frames define old values themselves, so that configs made of them redefine nothing.
  for (const io::Collection& each : collections_)
    for (const std::string& column : each.columns)
      redefined_.emplace(original_name(with_underscores(column)), column);
  check(source, diagnostics);
}

std::vector<std::string> CollectionRules::names() const {
  std::vector<std::string> names;
  for (const io::Collection& each : collections_) names.push_back(each.name);
  return names;
}

const io::Collection* CollectionRules::find(const std::string& name) const {
  for (const io::Collection& each : collections_)
    if (each.name == name) return &each;
  return nullptr;
}

const std::string& CollectionRules::as_redefined(const std::string& name) const {
  const auto found = redefined_.find(name);
  return found == redefined_.end() ? name : found->second;
}

const io::Collection* CollectionRules::of_list(const std::string& name) const {
  const std::string& column = as_redefined(name);
  const auto place = places_.find(with_underscores(column));
  return place == places_.end() ? longest_with_prefix_of(column, collections_) : &collections_[place->second];
}

const io::Collection* CollectionRules::of_count(const std::string& name) const {
  const std::string& column = as_redefined(name);
  for (const io::Collection& each : collections_)
    if (!each.count.empty() && with_underscores(each.count) == with_underscores(column)) return &each;
  return nullptr;
}

const io::Collection* CollectionRules::target_of(const std::string& name) const {
  const std::string& column = as_redefined(name);
  for (const IndexRule& rule : rules_)
    if (matches_column(column, rule.column.value) || matches_column(name, rule.column.value))
      return rule.collection ? find(rule.collection->value) : nullptr;
  return usual_target(column);
}

bool CollectionRules::has_rule(const std::string& name) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const IndexRule& rule) {
    return matches_column(as_redefined(name), rule.column.value) || matches_column(name, rule.column.value);
  });
}

const io::Collection* CollectionRules::usual_target(const std::string& column) const {
  const std::string name = with_underscores(column);
  if (const std::string_view unusual = unusual_target_of(column); !unusual.empty())
    return find(std::string(unusual));
  const io::Collection* own = of_list(column);
  const bool has_prefix = own && begins_as(column, own->name);
  const std::string stem = stem_of(has_prefix ? name.substr(own->name.size() + 1) : name);
  if (stem.empty()) return nullptr;
  if (own && std::find(std::begin(kOwnStems), std::end(kOwnStems), stem) != std::end(kOwnStems)) return own;
  const io::Collection* named = named_by(stem);
  return named ? named : find(std::string(abbreviated_target_of(column)));
}

// "Muon" of "muon" and, as there is no "best_muon", of that; the longest name counts.
const io::Collection* CollectionRules::named_by(std::string_view stem) const {
  for (const io::Collection& each : collections_)
    if (are_equal_ignoring_case(each.name, stem)) return &each;
  const std::size_t word = stem.find('_');
  return word == std::string_view::npos ? nullptr : named_by(stem.substr(word + 1));
}

void CollectionRules::check(const io::InputSource& source, Diagnostics& diagnostics) const {
  const std::vector<std::string> columns = field_names(source);
  for (const IndexRule& rule : rules_) {
    const std::string& pattern = rule.column.value;
    const bool has_match = std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
      return matches_column(column, pattern);
    });
    if (!has_match) diagnostics.add_if_everywhere(rule.column.location, unmatched_text(pattern, columns));
    if (rule.collection && !find(rule.collection->value))
      diagnostics.add_if_everywhere(rule.collection->location,
                                    "there is no collection \"" + rule.collection->value + "\"" +
                                        diagnostics.meant(rule.collection->value, names()));
  }
}

}  // namespace skimline::skims
