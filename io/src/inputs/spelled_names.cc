// SPDX-License-Identifier: BSD-3-Clause
#include "inputs/spelled_names.h"

#include <unordered_map>

namespace skimline::io {

void SpelledNames::add(const InputSource& source) {
  std::unordered_map<std::string, std::string> field_of;  // the first name of those of one field
  for (const std::vector<std::string>& names : source.names_of_one_field())
    for (const std::string& name : names) field_of.emplace(name, names.front());
  const auto field = [&](const std::string& name) {
    const auto found = field_of.find(name);
    return found == field_of.end() ? name : found->second;
  };
  std::unordered_map<std::string, std::string> first;
  for (const ColumnInfo& column : source.schema().columns()) {
    const auto [same, is_new] = first.emplace(with_underscores(column.name), field(column.name));
    if (!is_new && same->second != field(column.name)) separate_.insert(same->first);
  }
  for (const UnsupportedField& each : source.unsupported_fields()) {
    const auto same = first.find(with_underscores(each.name));
    const auto column = source.schema().find(each.name);
    if (same != first.end() && !column) separate_.insert(same->first);
  }
}

std::string SpelledNames::known(const std::string& name) const {
  std::string spelled = with_underscores(name);
  return separate_.contains(spelled) ? name : spelled;
}

std::optional<std::size_t> SpelledNames::find(const Schema& schema, const std::string& name) const {
  const std::optional<std::size_t> column = schema.find(name);
  return column && known(schema[*column].name) == known(name) ? column : std::nullopt;
}

}  // namespace skimline::io
