// SPDX-License-Identifier: BSD-3-Clause
#include "plan/carried_columns.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/io/field_name.h"
#include "skimline/io/output_formats.h"

#include <algorithm>
#include <span>

namespace skimline::skims {
namespace {

using Columns = std::vector<LeftOutColumn>;

// Halves what cannot be carried until the fields at fault are found.
void find_unlike(io::InputSource& source, std::span<const std::string> names, Columns& unlike) {
  try {
    source.carry({names.begin(), names.end()});
  } catch (const SchemaError& error) {
    if (names.size() == 1) return unlike.push_back({names.front(), error.what(), LeftOutKind::kDifferent});
    find_unlike(source, names.first(names.size() / 2), unlike);
    find_unlike(source, names.subspan(names.size() / 2), unlike);
  }
}

void erase(std::vector<std::string>& names, const Columns& columns) {
  std::erase_if(names, [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const LeftOutColumn& column) { return column.name == name; });
  });
}

}  // namespace

Columns carry_alike(io::InputSource& source, std::vector<std::string>& names, io::Carrying& carrying) {
  Columns gone;
  std::vector<std::string> lawful, loose;
  for (const std::string& name : names) {
    if (io::legal_name(name) == with_underscores(name))
      lawful.push_back(name);
    else if (source.schema().find(name))
      loose.push_back(name);
    else
      gone.push_back({name, "no field can have its name", LeftOutKind::kUnreadable});
  }
  try {
    carrying = source.carry(lawful);
  } catch (const SchemaError&) {
    find_unlike(source, lawful, gone);
    erase(lawful, gone);
    carrying = source.carry(lawful);
  }
  carrying.computed.insert(carrying.computed.end(), loose.begin(), loose.end());
  erase(names, gone);
  return gone;
}

std::vector<std::string> differences_of(const io::InputSource& source) {
  std::vector<std::string> differences = source.differences();
  for (const io::UnsupportedField& field : source.unsupported_fields())
    if (field.is_different)
      differences.push_back("column \"" + field.name + "\" cannot be used: " + field.reason);
  return differences;
}

LeftOutColumn left_out(const io::UnsupportedField& field, io::DataFormat output, const Schema& schema) {
  const auto namesake = schema.find(field.name);
  if (namesake && schema[*namesake].name == field.name)
    return {field.name, field.reason, LeftOutKind::kNamesake};
  if (field.is_different) return {field.name, field.reason, LeftOutKind::kDifferent};
  const bool is_unwritable = field.is_carriable && !output_format(output).carries_unread;
  return {field.name, field.reason, is_unwritable ? LeftOutKind::kUnwritable : LeftOutKind::kUnreadable};
}

std::vector<io::Collection> written_collections(const io::InputSource& source, io::DataFormat output) {
  const io::OutputFormat& format = output_format(output);
  if (format.is_arrow) return {};
  return format.shares_counts ? source.lists_of_equal_sizes() : source.collections();
}

}  // namespace skimline::skims
