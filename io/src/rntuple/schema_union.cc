// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/schema_union.h"

#include "columns/described_bits.h"
#include "rntuple/column_elements.h"
#include "rntuple/rntuple_serialization.h"
#include "rntuple/type_infos.h"

#include "skimline/framework/error.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// Decides what becomes of fields that are not alike.
class FieldJudgement {
 public:
  FieldJudgement(UnitedFields& fields, const std::vector<AddedSchema>& added, MissingFields missing)
      : fields_(fields), added_(added), missing_(missing) {}

  // Marks those that are left out, and returns why, a sentence for each. Of fields in which the files differ
  // only the outermost counts; what projections show decides about them.
  std::vector<std::string> judge() {
    std::vector<std::string> problems;
    for (std::uint32_t number = 0; number < fields_.size(); ++number) {
      UnitedField& field = fields_[number];
      if (!fields_.is_top(number) && fields_[field.descriptor.parent].is_left_out) field.is_left_out = true;
      if (field.is_left_out || is_inside_missing(number)) continue;
      const std::string problem = problem_of(number);
      if (!problem.empty()) settle(number, problem, problems);
    }
    for (std::uint32_t number = 0; number < fields_.size(); ++number) leave_out_with_others(number);
    if (!problems.empty()) fail(problems);
    return std::move(left_out_);
  }

 private:
  bool is_missing_somewhere(const UnitedField& field) const { return field.schemas.size() < added_.size(); }

  // Whether a field can be there or not, whatever else its parent has.
  bool is_optional(std::uint32_t number) const {
    if (fields_.is_top(number)) return true;
    const UnitedField& parent = fields_[fields_[number].descriptor.parent];
    return parent.descriptor.role == FieldRole::kRecord && parent.descriptor.type_name.empty();
  }

  bool is_inside_missing(std::uint32_t number) const {
    const UnitedField& field = fields_[number];
    return !fields_.is_top(number) && field.difference.empty() &&
           fields_[field.descriptor.parent].schemas.size() <= field.schemas.size();
  }

  std::string problem_of(std::uint32_t number) const {
    const UnitedField& field = fields_[number];
    if (!field.difference.empty()) return field.difference;
    if (!is_missing_somewhere(field) || field.source != kNoField) return {};
    return "is missing in " + files_without(field);
  }

  std::string files_without(const UnitedField& field) const {
    std::size_t count = 0;
    std::string first;
    for (std::size_t schema = 0; schema < added_.size(); ++schema) {
      if (field.schemas.contains(schema)) continue;
      if (count == 0) first = added_[schema].file;
      count += added_[schema].num_files;
    }
    return count > 1 ? first + " and " + std::to_string(count - 1) + " more" : first;
  }

  void settle(std::uint32_t number, const std::string& problem, std::vector<std::string>& problems) {
    const std::string text = "\"" + fields_[number].path + "\" " + problem;
    if (missing_ == MissingFields::kDefault && fields_[number].difference.empty() && is_optional(number) &&
        is_counted_elsewhere(number))
      return;
    if (missing_ != MissingFields::kDrop) return problems.push_back(text);
    while (!is_optional(number)) number = fields_[number].descriptor.parent;
    fields_[number].is_left_out = true;
    left_out_.push_back(text);
  }

  // Whether each file without the field has another one with as many elements, or the field has those of
  // entries.
  bool is_counted_elsewhere(std::uint32_t number) const {
    const std::uint32_t collection = collection_around(number);
    if (collection == kNoField) return true;
    for (std::size_t schema = 0; schema < added_.size(); ++schema) {
      if (fields_[number].schemas.contains(schema) || !fields_[collection].schemas.contains(schema)) continue;
      bool is_counted = false;
      for (std::uint32_t other = 0; other < fields_.size(); ++other)
        is_counted |= fields_[other].schemas.contains(schema) && !fields_[other].representations.empty() &&
                      !fields_[other].descriptor.repetition && collection_around(other) == collection;
      if (!is_counted) return false;
    }
    return true;
  }

  std::uint32_t collection_around(std::uint32_t number) const {
    while (!fields_.is_top(number)) {
      number = fields_[number].descriptor.parent;
      const FieldRole role = fields_[number].descriptor.role;
      if (role == FieldRole::kCollection || role == FieldRole::kVariant) return number;
    }
    return kNoField;
  }

  // What is inside of what is left out, and what shows it.
  void leave_out_with_others(std::uint32_t number) {
    UnitedField& field = fields_[number];
    const auto is_out = [&](std::uint32_t other) { return other != kNoField && fields_[other].is_left_out; };
    if ((!fields_.is_top(number) && is_out(field.descriptor.parent)) || is_out(field.source) ||
        is_out(field.shown)) {
      field.is_left_out = true;
      if (fields_.is_top(number)) return;
      for (std::uint32_t outer = number; field.source != kNoField; outer = fields_[outer].descriptor.parent) {
        fields_[outer].is_left_out = true;
        if (fields_.is_top(outer)) break;
      }
    }
  }

  [[noreturn]] static void fail(const std::vector<std::string>& problems) {
    throw SeveralProblems<SchemaError>(
        "the fields of the inputs differ:", problems,
        "--missing-fields drop leaves such fields out, and --missing-fields default gives "
        "those that are missing zeros and empty lists");
  }

  UnitedFields& fields_;
  const std::vector<AddedSchema>& added_;
  MissingFields missing_;
  std::vector<std::string> left_out_;
};

// The schema of all fields that are not left out.
class UnionBuilder {
 public:
  UnionBuilder(const UnitedFields& fields, const std::vector<AddedSchema>& added)
      : fields_(fields), added_(added), new_ids_(fields.size(), kNoField), first_columns_(fields.size()) {}

  RNTupleDescriptor schema() {
    RNTupleDescriptor schema;
    schema.description = added_.front().descriptor.description;
    add_fields(schema);
    add_columns(schema);
    add_aliases(schema);
    TypeInfos infos;
    for (const AddedSchema& added : added_) infos.add(added.descriptor.extra_type_info);
    schema.extra_type_info = infos.united();
    return schema;
  }

  // By column of a schema: the column of the whole.
  std::vector<std::uint32_t> columns_of(std::size_t schema) const {
    const RNTupleDescriptor& here = added_[schema].descriptor;
    const std::vector<std::vector<Representation>> representations = representations_of(here);
    const std::vector<std::uint32_t> positions = column_positions(here);
    std::vector<std::uint32_t> columns;
    for (std::size_t id = 0; id < here.columns.size(); ++id) {
      const ColumnDescriptor& column = here.columns[id];
      const std::uint32_t number = fields_.number_of(schema, column.field);
      const UnitedField& field = fields_[number];
      if (field.is_left_out) {
        columns.push_back(kLeftOutColumn);
        continue;
      }
      const auto same = std::find(field.representations.begin(), field.representations.end(),
                                  representations[column.field][column.representation]);
      columns.push_back(
          first_columns_[number][static_cast<std::size_t>(same - field.representations.begin())] +
          positions[id]);
    }
    return columns;
  }

 private:
  void add_fields(RNTupleDescriptor& schema) {
    for (std::uint32_t number = 0; number < fields_.size(); ++number) {
      if (fields_[number].is_left_out) continue;
      new_ids_[number] = static_cast<std::uint32_t>(schema.fields.size());
      FieldDescriptor& field = schema.fields.emplace_back();
      field = fields_[number].descriptor;
      field.parent = new_ids_[field.parent];
    }
    for (std::uint32_t number = 0; number < fields_.size(); ++number)
      if (new_ids_[number] != kNoField && fields_[number].source != kNoField)
        schema.fields.own()[new_ids_[number]].source_field = new_ids_[fields_[number].source];
  }

  void add_columns(RNTupleDescriptor& schema) {
    for (std::uint32_t number = 0; number < fields_.size(); ++number) {
      if (fields_[number].is_left_out) continue;
      std::uint16_t representation = 0;
      for (const Representation& columns : fields_[number].representations) {
        first_columns_[number].push_back(static_cast<std::uint32_t>(schema.columns.size()));
        for (const auto& [type, bits, min, max] : columns) {
          ColumnDescriptor& column = schema.columns.emplace_back();
          column.type = type;
          column.bits_on_storage = bits;
          column.value_min = min;
          column.value_max = max;
          column.field = new_ids_[number];
          column.representation = representation;
        }
        ++representation;
      }
    }
  }

  void add_aliases(RNTupleDescriptor& schema) const {
    for (std::uint32_t number = 0; number < fields_.size(); ++number) {
      const UnitedField& field = fields_[number];
      if (field.is_left_out || field.shown == kNoField) continue;
      for (std::uint32_t column = 0; column < schema.columns.size(); ++column)
        if (schema.columns[column].field == new_ids_[field.shown])
          schema.aliases.push_back({column, new_ids_[number]});
    }
  }

  const UnitedFields& fields_;
  const std::vector<AddedSchema>& added_;
  std::vector<std::uint32_t> new_ids_;                     // by field of the whole
  std::vector<std::vector<std::uint32_t>> first_columns_;  // by field and representation
};

std::vector<std::string> other_bits(const UnitedFields& fields, const std::vector<AddedSchema>& added) {
  DescribedBits bits;
  for (std::size_t schema = 0; schema < added.size(); ++schema) {
    const auto& here = added[schema].descriptor.fields;
    for (std::uint32_t id = 0; id < here.size(); ++id) {
      const UnitedField& field = fields[fields.number_of(schema, id)];
      if (!field.is_left_out && !here[id].description.empty())
        bits.add(field.path, here[id].description, added[schema].file);
    }
  }
  return bits.differences();
}

}  // namespace

std::size_t SchemaUnion::add(const RNTupleDescriptor& descriptor, const std::string& file) {
  RNTupleDescriptor schema = descriptor;
  schema.clusters.clear();
  schema.name.clear();
  schema.writer.clear();
  for (ColumnDescriptor& column : schema.columns.own()) column.is_deferred = false;
  const CompressionSetting none{CompressionAlgorithm::kNone, 0};
  std::vector<std::byte> bytes = make_header(schema, none).bytes;
  for (std::size_t number = 0; number < added_.size(); ++number)
    if (added_[number].bytes == bytes) {
      ++added_[number].num_files;
      return number;
    }
  added_.push_back({std::move(bytes), std::move(schema), file, 1});
  return added_.size() - 1;
}

UnitedSchema SchemaUnion::unite(MissingFields missing) const {
  UnitedSchema united;
  UnitedFields fields(added_);
  united.left_out = FieldJudgement(fields, added_, missing).judge();
  united.other_bits = other_bits(fields, added_);
  UnionBuilder builder(fields, added_);
  united.schema = builder.schema();
  for (std::size_t schema = 0; schema < added_.size(); ++schema)
    united.columns.push_back(builder.columns_of(schema));
  return united;
}

}  // namespace skimline::io
