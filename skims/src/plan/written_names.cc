// SPDX-License-Identifier: BSD-3-Clause
#include "plan/written_names.h"

#include "base/text_table.h"

#include "skimline/framework/schema.h"
#include "skimline/io/field_name.h"

#include <cstddef>
#include <map>

namespace skimline::skims {
namespace {

std::string free_name(const std::string& name, std::set<std::string>& taken) {
  std::string candidate = name;
  for (std::size_t number = 2; !taken.insert(candidate).second; ++number)
    candidate = name + "_" + std::to_string(number);
  return candidate;
}

}  // namespace

std::vector<std::string> written_names(const std::vector<std::string>& columns, std::set<std::string> taken) {
  std::vector<std::string> names(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (io::legal_name(columns[i]) == columns[i] && taken.insert(columns[i]).second) names[i] = columns[i];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!names[i].empty()) continue;
    const std::string legal = io::legal_name(columns[i]);
    const bool has_only_dots = legal == with_underscores(columns[i]);
    names[i] = has_only_dots && taken.insert(legal).second ? columns[i] : free_name(legal, taken);
  }
  return names;
}

void rename(std::vector<io::Collection>& collections, const std::vector<std::string>& columns,
            const std::vector<std::string>& names) {
  std::map<std::string, std::string> renamed;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (names[i] != columns[i]) renamed.emplace(columns[i], names[i]);
  const auto apply = [&](std::string& name) {
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  };
  for (io::Collection& collection : collections) {
    apply(collection.count);
    for (std::string& column : collection.columns) apply(column);
  }
}

std::string renamed_text(const std::vector<std::string>& columns, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (names[i] != columns[i]) texts.push_back("\"" + columns[i] + "\" as \"" + names[i] + "\"");
  return first_few(texts);
}

}  // namespace skimline::skims
