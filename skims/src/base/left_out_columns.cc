// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/left_out_columns.h"

#include "base/text_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace skimline::skims {
namespace {

using Columns = std::vector<LeftOutColumn>;

constexpr std::size_t kMostNamed = 5;

// "HLT_*" of "HLT_IsoMu24".
std::string group_of(const std::string& name) {
  const std::size_t end = name.find_first_of("_.");
  return end == std::string::npos ? name : name.substr(0, end + 1) + "*";
}

// Largest groups first, else in the order of the columns: "HLT_* (612), L1_* (301), \"Jet_new\" and 3 more".
std::string groups_text(const Columns& columns) {
  struct Group {
    std::string first;
    std::string pattern;
    std::size_t count = 0;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> numbers;
  for (const LeftOutColumn& column : columns) {
    const std::string pattern = group_of(column.name);
    const auto [number, is_new] = numbers.emplace(pattern, groups.size());
    if (is_new) groups.push_back({column.name, pattern, 0});
    ++groups[number->second].count;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.count > b.count; });
  std::vector<std::string> texts;
  for (const Group& group : groups)
    texts.push_back(group.count == 1 ? "\"" + group.first + "\""
                                     : group.pattern + " (" + std::to_string(group.count) + ")");
  return first_few(texts);
}

std::string names_text(const Columns& columns) {
  const auto named = [](const LeftOutColumn& column) {
    return "\"" + column.name + "\" (" + column.reason + ")";
  };
  if (columns.size() > kMostNamed)
    return std::to_string(columns.size()) + " columns: " + groups_text(columns) + ", such as " +
           named(columns.front());
  std::vector<std::string> texts;
  std::transform(columns.begin(), columns.end(), std::back_inserter(texts), named);
  return first_few(texts);
}

Columns of_kind(const Columns& columns, LeftOutKind kind) {
  Columns found;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(found),
               [&](const LeftOutColumn& column) { return column.kind == kind; });
  return found;
}

}  // namespace

bool is_incomplete(const Columns& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const LeftOutColumn& column) { return column.kind != LeftOutKind::kNamesake; });
}

std::string left_out_text(const Columns& columns) {
  constexpr std::array<std::pair<LeftOutKind, const char*>, 4> kKinds{
      {{LeftOutKind::kDifferent, ", missing in some files or not alike in all"},
       {LeftOutKind::kUnwritable, ", which its format cannot hold"},
       {LeftOutKind::kUnreadable, ", which cannot be read"},
       {LeftOutKind::kNamesake, ", as others have these names"}}};
  std::string text;
  for (const auto& [kind, what] : kKinds)
    if (const Columns some = of_kind(columns, kind); !some.empty())
      text += (text.empty() ? "" : ", and without ") + names_text(some) + what;
  return text;
}

}  // namespace skimline::skims
