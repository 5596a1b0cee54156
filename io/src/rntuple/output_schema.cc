// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/output_schema.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::io {
namespace {

std::string vector_of(std::string item, int depth) {
  for (; depth > 0; --depth) item = "std::vector<" + item + ">";
  return item;
}

std::string scalar_type_name(ScalarType scalar) {
  return scalar == ScalarType::kString ? "std::string" : std::string(name_of(scalar));
}

FieldDescriptor field_of(const ColumnInfo& column) {
  FieldDescriptor field;
  field.name = with_underscores(column.name);
  field.description = column.description;
  return field;
}

}  // namespace

bool is_index_type(ColumnType type) {
  return type == ColumnType::kIndex32 || type == ColumnType::kIndex64 || type == ColumnType::kSplitIndex32 ||
         type == ColumnType::kSplitIndex64;
}

OutputSchema::OutputSchema() : levels_(1) {}

void OutputSchema::add(const ColumnInfo& column, bool is_compressed, std::optional<std::uint32_t> parent) {
  if (column.type.scalar == ScalarType::kLorentzVector)
    throw SchemaError("\"" + column.name + "\" is a " + name_of(column.type) +
                      ", which a file cannot hold: write its pt(), eta(), phi() and mass() instead");
  const bool is_string = column.type.scalar == ScalarType::kString;
  const std::string scalar_name = scalar_type_name(column.type.scalar);
  FieldDescriptor field = field_of(column);
  field.parent = parent.value_or(next_field());
  for (int depth = column.type.depth; depth > 0; --depth) {
    field.role = FieldRole::kCollection;
    field.type_name = vector_of(scalar_name, depth);
    const std::uint32_t list = next_field();
    add_field(field, {default_index_encoding(is_compressed)});
    field = FieldDescriptor{};
    field.parent = list;
    field.name = "_0";
  }
  field.type_name = scalar_name;
  if (is_string)
    add_field(std::move(field), {default_index_encoding(is_compressed), {ColumnType::kChar, 8}});
  else
    add_field(std::move(field), {default_encoding(column.type.scalar, is_compressed)});
}

// The columns of a projected field are those of the field that it projects.
void OutputSchema::add_projected(FieldDescriptor field, std::uint32_t source) {
  const std::uint32_t id = next_field();
  if (field.parent == id && !names_.insert(field.name).second)
    throw SchemaError("two columns would be written as field \"" + field.name + "\"");
  field.source_field = source;
  for (std::size_t column = 0; column < column_descriptors_.size(); ++column)
    if (column_descriptors_[column].field == source)
      aliases_.push_back({static_cast<std::uint32_t>(column), id});
  if (field.parent != id) ++num_children_[field.parent];
  fields_.push_back(std::move(field));
  inner_levels_.push_back(0);
  num_children_.push_back(0);
}

void OutputSchema::add_projection(const ColumnInfo& column, std::uint32_t list, std::uint32_t member) {
  const std::string scalar_name = scalar_type_name(column.type.scalar);
  FieldDescriptor field = field_of(column);
  field.parent = next_field();
  std::uint32_t source = list;
  for (int depth = column.type.depth; depth > 0; --depth) {
    field.role = FieldRole::kCollection;
    field.type_name = vector_of(scalar_name, depth);
    const std::uint32_t id = next_field();
    add_projected(std::move(field), source);
    field = FieldDescriptor{};
    field.parent = id;
    field.name = "_0";
    source = member++;
  }
  field.type_name = scalar_name;
  add_projected(std::move(field), source);
}

void OutputSchema::add_cardinality(const ColumnInfo& column, std::uint32_t list) {
  FieldDescriptor field = field_of(column);
  field.parent = next_field();
  field.type_name = "ROOT::RNTupleCardinality<std::uint32_t>";
  add_projected(std::move(field), list);
}

void OutputSchema::add_field(FieldDescriptor field, const std::vector<PageEncoding>& columns) {
  const std::uint32_t id = next_field();
  const bool is_top_level = field.parent == id;
  if (!is_legal_name(field.name)) throw SchemaError("\"" + field.name + "\" cannot be the name of a field");
  if (is_top_level && !names_.insert(field.name).second)
    throw SchemaError("two columns would be written as field \"" + field.name + "\"");
  std::size_t level = level_of(field);
  for (const PageEncoding& encoding : columns) {
    const std::size_t column = add_column(id, encoding, level);
    if (columns_[column].kind == ColumnKind::kEnds)
      columns_[column].inner_level = level = add_level({LevelKind::kCollection, level, column});
  }
  if (!is_top_level) ++num_children_[field.parent];
  fields_.push_back(std::move(field));
  inner_levels_.push_back(level);
  num_children_.push_back(0);
}

// The level of a field's own columns.
std::size_t OutputSchema::level_of(const FieldDescriptor& field) {
  std::size_t level = 0;
  if (field.parent < fields_.size()) {
    level = inner_levels_[field.parent];
    if (fields_[field.parent].role == FieldRole::kVariant) {
      const auto is_switch = [&](const ColumnDescriptor& column) { return column.field == field.parent; };
      const auto found = std::find_if(column_descriptors_.begin(), column_descriptors_.end(), is_switch);
      const auto column = static_cast<std::size_t>(found - column_descriptors_.begin());
      level = add_level({LevelKind::kAlternative, level, column, 1, num_children_[field.parent] + 1});
    }
  }
  if (field.repetition && !field.source_field)
    level = add_level({LevelKind::kArray, level, 0, *field.repetition, 0});
  return level;
}

std::size_t OutputSchema::add_level(ElementLevel level) {
  levels_.push_back(level);
  return levels_.size() - 1;
}

std::size_t OutputSchema::add_column(std::uint32_t field, const PageEncoding& encoding, std::size_t level) {
  ColumnDescriptor descriptor;
  descriptor.type = encoding.type;
  descriptor.bits_on_storage = encoding.bits;
  descriptor.field = field;
  descriptor.value_min = encoding.value_min;
  descriptor.value_max = encoding.value_max;
  column_descriptors_.push_back(descriptor);
  OutputColumn column;
  column.encoding = encoding;
  column.kind = is_index_type(encoding.type)           ? ColumnKind::kEnds
                : encoding.type == ColumnType::kSwitch ? ColumnKind::kSwitch
                                                       : ColumnKind::kValues;
  column.level = level;
  column.element_size = raw_element_size(encoding);
  columns_.push_back(column);
  return columns_.size() - 1;
}

}  // namespace skimline::io
