// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/united_fields.h"

#include "skimline/framework/number_text.h"

#include <algorithm>

namespace skimline::io {
namespace {

ColumnStorage storage_of(const ColumnDescriptor& column) {
  return {column.type, column.bits_on_storage, column.value_min, column.value_max};
}

// Of reals that take fewer bits: their only column.
const ColumnStorage* reduced(const Representation& columns) {
  const ColumnType type = columns.empty() ? ColumnType::kReal32 : std::get<ColumnType>(columns.front());
  return type == ColumnType::kReal32Trunc || type == ColumnType::kReal32Quant ? &columns.front() : nullptr;
}

std::string shown_storage(const ColumnStorage& storage) {
  const auto& [type, bits, min, max] = storage;
  std::string text = "in " + std::to_string(bits) + " bits";
  if (type != ColumnType::kReal32Quant) return text;
  return text + " of the range " + significant_digits(min, 6) + " to " + significant_digits(max, 6);
}

// The field whose columns a projected field shows.
std::vector<std::uint32_t> shown_fields(const RNTupleDescriptor& descriptor) {
  std::vector<std::uint32_t> shown(descriptor.fields.size(), kNoField);
  for (const AliasColumn& alias : descriptor.aliases)
    shown[alias.field] = descriptor.columns[alias.physical_column].field;
  return shown;
}

std::string shown_type(const FieldDescriptor& field) {
  if (field.source_field) return "a projection";
  if (!field.type_name.empty()) return field.type_name;
  return field.role == FieldRole::kCollection ? "an untyped collection" : "an untyped record";
}

}  // namespace

std::vector<std::vector<Representation>> representations_of(const RNTupleDescriptor& descriptor) {
  std::vector<std::vector<Representation>> all(descriptor.fields.size());
  for (const ColumnDescriptor& column : descriptor.columns) {
    std::vector<Representation>& of_field = all[column.field];
    if (of_field.size() <= column.representation) of_field.resize(std::size_t{column.representation} + 1);
    of_field[column.representation].push_back(storage_of(column));
  }
  return all;
}

UnitedFields::UnitedFields(const std::vector<AddedSchema>& added) : added_(added) {
  for (std::size_t schema = 0; schema < added_.size(); ++schema) add(schema);
}

void UnitedFields::add(std::size_t schema) {
  const RNTupleDescriptor& here = descriptor(schema);
  const std::vector<std::vector<Representation>> representations = representations_of(here);
  const std::vector<std::uint32_t> shown = shown_fields(here);
  const std::map<std::uint32_t, std::uint32_t> known = fields_of_collections(schema);
  std::vector<std::uint32_t>& numbers = numbers_.emplace_back(here.fields.size(), kNoField);
  for (std::uint32_t id = 0; id < here.fields.size(); ++id) {
    const auto renamed = known.find(id);
    numbers[id] = renamed != known.end() ? renamed->second : find_or_add(schema, id);
    UnitedField& field = fields_[numbers[id]];
    if (field.schemas.insert(schema).second && field.first_schema != schema)
      compare(field, schema, id, representations[id]);
    for (const Representation& representation : representations[id])
      add_representation(field, schema, representation);
  }
  // Sources may come behind their projections.
  for (std::uint32_t id = 0; id < here.fields.size(); ++id)
    if (here.fields[id].source_field)
      connect(fields_[numbers[id]], schema, numbers[*here.fields[id].source_field],
              shown[id] == kNoField ? kNoField : numbers[shown[id]]);
}

std::uint32_t UnitedFields::find_or_add(std::size_t schema, std::uint32_t id) {
  const RNTupleDescriptor& here = descriptor(schema);
  const bool is_top = here.is_top_level(id);
  const std::uint32_t parent = is_top ? kNoField : numbers_.back()[here.fields[id].parent];
  const auto [found, is_new] =
      by_name_.try_emplace({parent, here.fields[id].name}, static_cast<std::uint32_t>(fields_.size()));
  if (is_new) {
    UnitedField& field = fields_.emplace_back();
    field.descriptor = here.fields[id];
    field.descriptor.parent = is_top ? found->second : parent;
    field.path = (is_top ? "" : fields_[parent].path + ".") + here.fields[id].name;
    field.first_schema = schema;
  }
  return found->second;
}

// The fields of untyped collections in terms of the whole, by the projected fields that show them.
std::map<std::uint32_t, std::uint32_t> UnitedFields::fields_of_collections(std::size_t schema) const {
  std::map<std::uint32_t, std::uint32_t> known;
  if (schema == 0) return known;
  const RNTupleDescriptor& here = descriptor(schema);
  std::map<std::uint32_t, std::uint32_t> projections;  // that are known
  for (std::uint32_t id = 0; id < here.fields.size(); ++id) {
    const FieldDescriptor& field = here.fields[id];
    if (!field.source_field) continue;
    const auto outer = projections.find(field.parent);
    if (!here.is_top_level(id) && outer == projections.end()) continue;
    const auto same = by_name_.find({here.is_top_level(id) ? kNoField : outer->second, field.name});
    if (same == by_name_.end() || fields_[same->second].source == kNoField) continue;
    projections[id] = same->second;
    identify(here, *field.source_field, fields_[same->second].source, known);
  }
  return known;
}

// A field and one of the whole that are the same, and what they are in, as far as names do not matter:
// within an untyped collection.
void UnitedFields::identify(const RNTupleDescriptor& here, std::uint32_t id, std::uint32_t number,
                            std::map<std::uint32_t, std::uint32_t>& known) const {
  if (!is_in_untyped_collection(here, id)) return;
  for (;;) {
    const bool is_top = here.is_top_level(id);
    if (is_top != (fields_[number].descriptor.parent == number)) return;
    if (here.fields[id].role != fields_[number].descriptor.role || !known.emplace(id, number).second) return;
    if (is_top) return;
    id = here.fields[id].parent;
    number = fields_[number].descriptor.parent;
  }
}

bool UnitedFields::is_in_untyped_collection(const RNTupleDescriptor& here, std::uint32_t id) {
  while (!here.is_top_level(id)) id = here.fields[id].parent;
  return here.fields[id].role == FieldRole::kCollection && here.fields[id].type_name.empty();
}

void UnitedFields::compare(UnitedField& field, std::size_t schema, std::uint32_t id,
                           const std::vector<Representation>& representations) const {
  if (!field.difference.empty()) return;
  const FieldDescriptor& a = field.descriptor;
  const FieldDescriptor& b = descriptor(schema).fields[id];
  const auto width = [](const std::vector<Representation>& all) {
    return all.empty() ? 0 : all.front().size();
  };
  if (shown_type(a) != shown_type(b))
    differ(field, schema, "is " + shown_type(a), shown_type(b));
  else if (a.type_version != b.type_version)
    differ(field, schema, "has version " + std::to_string(a.type_version) + " of its type",
           "version " + std::to_string(b.type_version));
  else if (a.type_checksum && b.type_checksum && a.type_checksum != b.type_checksum)
    differ(field, schema, "has other members of its class", "the same name");
  else if (a.role != b.role || a.repetition != b.repetition || a.is_soa != b.is_soa ||
           width(field.representations) != width(representations))
    differ(field, schema, "is structured otherwise", "there");
}

void UnitedFields::differ(UnitedField& field, std::size_t schema, const std::string& here,
                          const std::string& there) const {
  field.difference =
      here + " in " + added_[field.first_schema].file + " and " + there + " in " + added_[schema].file;
}

// ROOT takes the bits and the range of the first representation for all of them: those of reduced reals
// must be the same, and the first.
void UnitedFields::add_representation(UnitedField& field, std::size_t schema,
                                      const Representation& representation) const {
  std::vector<Representation>& known = field.representations;
  if (std::find(known.begin(), known.end(), representation) != known.end()) return;
  const ColumnStorage* storage = reduced(representation);
  known.insert(storage && !field.reduced ? known.begin() : known.end(), representation);
  if (storage && !field.reduced) {
    field.reduced = *storage;
    field.reduced_schema = schema;
  } else if (storage && field.reduced_schema != schema && field.difference.empty()) {
    field.difference = "is stored " + shown_storage(*field.reduced) + " in " +
                       added_[field.reduced_schema].file + " and " + shown_storage(*storage) + " in " +
                       added_[schema].file +
                       ", which ROOT cannot read in one file: skimline convert writes both anew";
  }
}

void UnitedFields::connect(UnitedField& field, std::size_t schema, std::uint32_t source,
                           std::uint32_t shown) const {
  if (field.source == kNoField) {
    field.source = source;
    field.shown = shown;
  } else if ((field.source != source || field.shown != shown) && field.difference.empty()) {
    differ(field, schema, "shows " + fields_[field.source].path, fields_[source].path);
  }
}

}  // namespace skimline::io
