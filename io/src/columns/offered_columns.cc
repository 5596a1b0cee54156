// SPDX-License-Identifier: BSD-3-Clause
#include "columns/offered_columns.h"

#include "skimline/framework/bit_fields.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skimline::io {
namespace {

std::string default_text(const FoundColumn& found, std::size_t num_files) {
  return "column \"" + found.info.name + "\" is missing in " + std::to_string(found.num_without) + " of " +
         std::to_string(num_files) + " files, first in " + found.path_without + ": it is the default there";
}

}  // namespace

// Returns why it can be no column, else gives it the default that it needs.
std::string OfferedColumnsBuilder::problem_of(const FoundColumn& found) {
  const ColumnInfo& info = found.info;
  if (!found.problem.empty()) return found.problem;
  if (found.num_without == 0) {
    defaults_.check(info.name, info.type, found.path);
    return {};
  }
  std::optional<ColumnDefault> value = defaults_.for_missing(info.name, info.type, found.path);
  if (!value) return missing_text(found.path_without, found.num_without) + ", and has no default";
  offered_.defaults.emplace(offered_.schema.size(), std::move(*value));
  note(default_text(found, num_files_));
  return {};
}

bool OfferedColumnsBuilder::add(FoundColumn found) {
  if (std::string problem = problem_of(found); !problem.empty()) {
    UnsupportedField field{found.info.name, found.type_name, std::move(problem)};
    field.is_different = true;
    if (!found.is_second_name)
      rejected_.push_back({offered_.unsupported.size(), found.num_without > 0 ? found.path : ""});
    offered_.unsupported.push_back(std::move(field));
    return false;
  }
  if (const auto difference = other_bits(found.info)) note("files differ: " + *difference);
  offered_.type_names.push_back(std::move(found.type_name));
  offered_.schema.add(std::move(found.info));
  return true;
}

void OfferedColumnsBuilder::reject(UnsupportedField field) {
  rejected_.push_back({offered_.unsupported.size(), {}});
  offered_.unsupported.push_back(std::move(field));
}

// Who asks for it must not get the other column that differs in a dot only.
void OfferedColumnsBuilder::withhold(const Rejected& rejected) {
  UnsupportedField& field = offered_.unsupported[rejected.number];
  const std::optional<std::size_t> other = offered_.schema.find(field.name);
  if (!other || offered_.schema[*other].name == field.name) return;
  if (!rejected.path.empty()) field.reason += " (" + rejected.path + " has it)";
  field.reason += "; \"" + offered_.schema[*other].name + "\" is another column";
  offered_.schema.withhold(field.name);
}

OfferedColumns OfferedColumnsBuilder::finish() {
  // Last, as a column may take the default of one that differs from it in a dot only.
  for (const UnsupportedField& field : offered_.unsupported) defaults_.refuse(field.name, field.reason);
  for (const auto& [name, value] : defaults_.nowhere()) {
    const Type type = ColumnDefault::natural_type(value);
    offered_.defaults.emplace(offered_.schema.size(), ColumnDefault(name, value, type, "no file"));
    offered_.schema.add({name, type, ""});
    offered_.type_names.push_back(name_of(type));
    offered_.nowhere.push_back(name);
  }
  defaults_.throw_if_wrong();
  for (const Rejected& each : rejected_) withhold(each);
  return std::move(offered_);
}

void note_description(const std::string& said, const std::string& first, std::vector<std::string>& others) {
  if (said != first && std::find(others.begin(), others.end(), said) == others.end()) others.push_back(said);
}

std::vector<std::string> names_of_defaults(const OfferedColumns& offered) {
  std::vector<std::string> names;
  for (const auto& [column, value] : offered.defaults) names.push_back(offered.schema[column].name);
  return names;
}

std::string missing_text(const std::string& path, std::size_t count) {
  return "it is missing in " + path + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "");
}

}  // namespace skimline::io
