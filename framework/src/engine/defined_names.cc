// SPDX-License-Identifier: BSD-3-Clause
#include "engine/defined_names.h"

#include "skimline/framework/column_name.h"

#include <utility>

namespace skimline {
namespace {

bool is_member_of(std::string_view name, std::string_view objects) {
  return name.starts_with(objects) && name.size() > objects.size() &&
         (name[objects.size()] == '.' || name[objects.size()] == '_');
}

}  // namespace

void rename(std::set<std::string>& names, const std::string& from, const std::string& to) {
  if (names.erase(from) != 0) names.insert(to);
}

void DefinedNames::check_new(const std::string& name) const {
  if (definitions_.contains(name)) throw SchemaError("\"" + name + "\" is defined twice");
  if (schema_.find(name)) throw SchemaError("\"" + name + "\" is already a column of the input");
}

Definition& DefinedNames::add(const std::string& name, NodeId node) {
  defined_.push_back(name);
  Definition& definition = definitions_.emplace(name, Definition{node}).first->second;
  definition.order = defined_.size() - 1;
  return definition;
}

void DefinedNames::add_original(const std::string& column, const std::string& original, NodeId node) {
  add(original, node);
  for (auto& [other, definition] : definitions_) rename(definition.needs, column, original);
}

const Definition* DefinedNames::find(const std::string& name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : &found->second;
}

std::optional<std::string> DefinedNames::known_name(std::string_view name) const {
  if (std::string given(name); definitions_.contains(given)) return given;
  const std::optional<std::size_t> column = schema_.find(name);
  return column ? std::optional(schema_[*column].name) : std::nullopt;
}

SchemaError DefinedNames::unknown(std::string_view name) const {
  return SchemaError("unknown column \"" + std::string(name) + "\"" + did_you_mean_column(name, all()));
}

std::vector<std::string> DefinedNames::schema_names() const {
  std::vector<std::string> names = schema_.names();
  for (const Schema::Alias& alias : schema_.aliases()) names.push_back(alias.name);
  return names;
}

std::vector<std::string> DefinedNames::all() const {
  std::vector<std::string> names = schema_names();
  names.insert(names.end(), defined_.begin(), defined_.end());
  return names;
}

std::optional<std::string> DefinedNames::member_of(const std::string& objects) {
  if (sorted_.empty())
    for (std::string& name : schema_names()) sorted_.insert(std::move(name));
  for (; num_sorted_ < defined_.size(); ++num_sorted_) sorted_.insert(defined_[num_sorted_]);
  for (const char* separator : {".", "_"}) {
    const auto found = sorted_.lower_bound(objects + separator);
    if (found != sorted_.end() && is_member_of(*found, objects)) return *found;
  }
  return std::nullopt;
}

// Each definition needs only those before it.
std::set<std::string> DefinedNames::needed_by(std::set<std::string> used) const {
  for (auto name = defined_.rbegin(); name != defined_.rend(); ++name)
    if (used.contains(*name)) {
      const Definition& definition = definitions_.at(*name);
      used.insert(definition.needs.begin(), definition.needs.end());
    }
  return used;
}

std::vector<std::string> DefinedNames::unused(const std::set<std::string>& needed) const {
  std::vector<std::string> unused;
  for (const std::string& name : defined_)
    if (!definitions_.at(name).is_constant && !needed.contains(name)) unused.push_back(name);
  return unused;
}

}  // namespace skimline
