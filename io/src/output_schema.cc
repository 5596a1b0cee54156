// SPDX-License-Identifier: BSD-3-Clause
#include "output_schema.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline::io {

bool is_legal_name(const std::string& name) {
  const auto is_illegal = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '.' || c == '/' || c == '\\' || c == 0x7f;
  };
  return !name.empty() && std::none_of(name.begin(), name.end(), is_illegal);
}

OutputSchema::OutputSchema(const Schema& schema, bool is_compressed) : is_compressed_(is_compressed) {
  for (const ColumnInfo& column : schema.columns()) add(column);
}

void OutputSchema::add(const ColumnInfo& column) {
  std::string name = column.name;
  std::replace(name.begin(), name.end(), '.', '_');
  if (!is_legal_name(name)) throw SchemaError("\"" + name + "\" cannot be the name of a field");
  if (!names_.insert(name).second)
    throw SchemaError("two columns would be written as field \"" + name + "\"");
  const std::string scalar(name_of(column.type.scalar));
  const auto id = static_cast<std::uint32_t>(fields_.size());
  if (column.type.is_jagged()) {
    add_field(id, FieldRole::kCollection, name, "std::vector<" + scalar + ">", column.description);
    add_column(id, default_index_encoding(is_compressed_), sizeof(std::uint64_t));
    add_field(id, FieldRole::kPlain, "_0", scalar, "");
  } else {
    add_field(id, FieldRole::kPlain, name, scalar, column.description);
  }
  add_column(static_cast<std::uint32_t>(fields_.size() - 1),
             default_encoding(column.type.scalar, is_compressed_), size_of(column.type.scalar));
}

void OutputSchema::add_field(std::uint32_t parent, FieldRole role, std::string name, std::string type,
                             std::string description) {
  FieldDescriptor field;
  field.parent = parent;
  field.role = role;
  field.name = std::move(name);
  field.type_name = std::move(type);
  field.description = std::move(description);
  fields_.push_back(std::move(field));
}

void OutputSchema::add_column(std::uint32_t field, const PageEncoding& encoding, std::size_t element_size) {
  ColumnDescriptor column;
  column.type = encoding.type;
  column.bits_on_storage = encoding.bits;
  column.field = field;
  column_descriptors_.push_back(column);
  columns_.push_back({encoding, element_size});
}

}  // namespace skimline::io
