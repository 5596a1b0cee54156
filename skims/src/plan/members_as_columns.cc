// SPDX-License-Identifier: BSD-3-Clause
#include "plan/members_as_columns.h"

#include "skimline/framework/schema.h"

#include <map>
#include <unordered_set>

namespace skimline::skims {
namespace {

std::unordered_set<std::string> set_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

std::set<std::string> repeated_names(const io::InputSource& source, const std::vector<std::string>& names) {
  const std::unordered_set<std::string> wanted = set_of(names);
  std::set<std::string> repeated;
  for (const std::vector<std::string>& of_field : source.names_of_one_field()) {
    std::map<std::string, std::string> kept;  // by what is written
    for (const std::string& name : of_field) {
      if (!wanted.contains(name)) continue;
      const std::string written = with_underscores(name);
      const auto [place, is_new] = kept.emplace(written, name);
      if (is_new) continue;
      repeated.insert(name == written ? place->second : name);
      if (name == written) place->second = name;
    }
  }
  return repeated;
}

ColumnsOfRecords take_members(const io::InputSource& source, std::vector<std::string>& names) {
  const std::unordered_set<std::string> members = set_of(source.names_in_records());
  const std::set<std::string> repeated = repeated_names(source, names);
  ColumnsOfRecords taken;
  std::vector<std::string> others;
  for (const std::string& name : names) {
    if (repeated.contains(name)) continue;
    if (!members.contains(name))
      others.push_back(name);
    else if (source.schema().find(name))
      taken.columns.push_back(name);
    else
      taken.left_out.push_back({name, "it is a member of records, and not of numbers or texts in lists",
                                LeftOutKind::kUnwritable});
  }
  names = std::move(others);
  return taken;
}

}  // namespace skimline::skims
