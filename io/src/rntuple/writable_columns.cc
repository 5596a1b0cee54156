// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/writable_columns.h"

#include "compression/compression_choice.h"

#include "skimline/framework/error.h"

#include <set>

namespace skimline::io {
namespace {

ColumnType column_type_of(RealReduction::Kind kind) {
  switch (kind) {
    case RealReduction::Kind::kHalf:
      return ColumnType::kReal16;
    case RealReduction::Kind::kTruncated:
      return ColumnType::kReal32Trunc;
    case RealReduction::Kind::kQuantized:
      break;
  }
  return ColumnType::kReal32Quant;
}

PageEncoding encoding_of_scalar(const FieldType& type, bool is_compressed) {
  const std::optional<RealReduction>& reduction = type.reduction();
  if (!reduction) return default_encoding(type.scalar(), is_compressed);
  return {.type = column_type_of(reduction->kind),
          .bits = static_cast<std::uint16_t>(reduction->bits),
          .value_min = reduction->minimum,
          .value_max = reduction->maximum};
}

}  // namespace

WritableColumns::WritableColumns(const std::vector<OutputField>& fields,
                                 std::optional<CompressionSetting> compression) {
  if (fields.empty()) throw SchemaError("an RNTuple must have fields");
  for (const OutputField& field : fields)
    add(field.type,
        {schema_.next_field(), field.name, field.name, field.name, field.description, compression});
}

void WritableColumns::add(const FieldType& type, const Place& outer) {
  Place place = outer;
  if (type.compression()) place.compression = type.compression();
  const bool is_compressed = may_compress(place.compression);
  const std::uint32_t id = schema_.next_field();
  const std::size_t column = columns_.size();
  switch (type.kind()) {
    case FieldType::Kind::kScalar:
      values_[place.values_name] = column;
      add_field(place, FieldRole::kPlain, type.type_name(), {encoding_of_scalar(type, is_compressed)},
                {type.scalar()});
      break;
    case FieldType::Kind::kString:
      strings_[place.values_name] = column;
      add_field(place, FieldRole::kPlain, type.type_name(),
                {default_index_encoding(is_compressed), {.type = ColumnType::kChar, .bits = 8}},
                {ScalarType::kUInt64, ScalarType::kInt8});
      break;
    case FieldType::Kind::kRecord:
      add_field(place, FieldRole::kRecord, "", {}, {});
      add_members(type, place, id);
      break;
    case FieldType::Kind::kVector:
      if (!lists_.emplace(place.list_name, column).second)
        throw SchemaError("two columns of lists would be called \"" + place.list_name + "\"");
      add_field(place, FieldRole::kCollection, type.type_name(), {default_index_encoding(is_compressed)},
                {ScalarType::kUInt64});
      const bool is_nested = type.item().kind() == FieldType::Kind::kVector;
      add(type.item(), {id, "_0", is_nested ? place.list_name + "._0" : place.list_name, place.values_name,
                        "", place.compression});
      break;
  }
}

void WritableColumns::add_members(const FieldType& type, const Place& place, std::uint32_t parent) {
  std::set<std::string> names;
  for (const OutputField& member : type.members()) {
    if (!names.insert(member.name).second)
      throw SchemaError("\"" + place.values_name + "\" has two members \"" + member.name + "\"");
    const std::string name = place.values_name + "." + member.name;
    add(member.type, {parent, member.name, name, name, member.description, place.compression});
  }
}

void WritableColumns::add_field(const Place& place, FieldRole role, std::string type_name,
                                const std::vector<PageEncoding>& encodings,
                                const std::vector<ScalarType>& scalars) {
  FieldDescriptor field;
  field.parent = place.parent;
  field.role = role;
  field.name = place.name;
  field.type_name = std::move(type_name);
  field.description = place.description;
  schema_.add_field(std::move(field), encodings);
  for (const ScalarType scalar : scalars) columns_.push_back({place.values_name, scalar, place.compression});
}

std::size_t WritableColumns::find(const Names& names, std::string_view name, const char* what) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  std::vector<std::string> candidates;
  for (const auto& [known, column] : names) candidates.push_back(known);
  throw SchemaError("there is no column of " + std::string(what) + " \"" + std::string(name) + "\"" +
                    did_you_mean(name, candidates));
}

}  // namespace skimline::io
