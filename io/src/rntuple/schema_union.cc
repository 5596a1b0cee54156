// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/schema_union.h"

#include "rntuple/page_list.h"
#include "rntuple/rntuple_serialization.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/framework/several_problems.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::uint32_t kNoField = std::numeric_limits<std::uint32_t>::max();

// One column of a representation.
using Storage = std::tuple<ColumnType, std::uint16_t, double, double>;
using Representation = std::vector<Storage>;

Storage storage_of(const ColumnDescriptor& column) {
  return {column.type, column.bits_on_storage, column.value_min, column.value_max};
}

// Of reals that take fewer bits: their only column.
const Storage* reduced(const Representation& columns) {
  const ColumnType type = columns.empty() ? ColumnType::kReal32 : std::get<ColumnType>(columns.front());
  return type == ColumnType::kReal32Trunc || type == ColumnType::kReal32Quant ? &columns.front() : nullptr;
}

std::string shown_storage(const Storage& storage) {
  const auto& [type, bits, min, max] = storage;
  std::string text = "in " + std::to_string(bits) + " bits";
  if (type != ColumnType::kReal32Quant) return text;
  return text + " of the range " + significant_digits(min, 6) + " to " + significant_digits(max, 6);
}

std::vector<std::vector<Representation>> representations_of(const RNTupleDescriptor& descriptor) {
  std::vector<std::vector<Representation>> all(descriptor.fields.size());
  for (const ColumnDescriptor& column : descriptor.columns) {
    std::vector<Representation>& of_field = all[column.field];
    if (of_field.size() <= column.representation) of_field.resize(std::size_t{column.representation} + 1);
    of_field[column.representation].push_back(storage_of(column));
  }
  return all;
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

// A field of the whole.
struct UnitedField {
  FieldDescriptor descriptor;  // of the first file that has it; its parent is a number of the whole
  std::string path;
  std::uint32_t shown = kNoField;   // of a projected field: whose columns it shows
  std::uint32_t source = kNoField;  // of a projected field
  std::vector<Representation> representations;
  std::optional<Storage> reduced;  // that of its representations, if there is one
  std::size_t reduced_schema = 0;  // that has it first
  std::size_t first_schema = 0;
  std::set<std::size_t> schemas;  // that have it
  std::string difference;         // with another file, in words
  bool is_left_out = false;
};

class SchemaUniter {
 public:
  SchemaUniter(const std::vector<AddedSchema>& added, MissingFields missing)
      : added_(added), missing_(missing) {}

  UnitedSchema unite() {
    for (std::size_t schema = 0; schema < added_.size(); ++schema) add(schema);
    judge();
    UnitedSchema united;
    united.left_out = std::move(left_out_);
    build(united);
    for (std::size_t schema = 0; schema < added_.size(); ++schema)
      united.columns.push_back(columns_of(schema));
    return united;
  }

 private:
  const RNTupleDescriptor& descriptor(std::size_t schema) const { return added_[schema].descriptor; }

  // ---- collecting fields

  void add(std::size_t schema) {
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

  std::uint32_t find_or_add(std::size_t schema, std::uint32_t id) {
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
  std::map<std::uint32_t, std::uint32_t> fields_of_collections(std::size_t schema) const {
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
  void identify(const RNTupleDescriptor& here, std::uint32_t id, std::uint32_t number,
                std::map<std::uint32_t, std::uint32_t>& known) const {
    if (!is_in_untyped_collection(here, id)) return;
    for (;;) {
      const bool is_top = here.is_top_level(id);
      if (is_top != (fields_[number].descriptor.parent == number)) return;
      if (here.fields[id].role != fields_[number].descriptor.role || !known.emplace(id, number).second)
        return;
      if (is_top) return;
      id = here.fields[id].parent;
      number = fields_[number].descriptor.parent;
    }
  }

  static bool is_in_untyped_collection(const RNTupleDescriptor& here, std::uint32_t id) {
    while (!here.is_top_level(id)) id = here.fields[id].parent;
    return here.fields[id].role == FieldRole::kCollection && here.fields[id].type_name.empty();
  }

  void compare(UnitedField& field, std::size_t schema, std::uint32_t id,
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

  void differ(UnitedField& field, std::size_t schema, const std::string& here,
              const std::string& there) const {
    field.difference =
        here + " in " + added_[field.first_schema].file + " and " + there + " in " + added_[schema].file;
  }

  // ROOT takes the bits and the range of the first representation for all of them: those of reduced reals
  // must be the same, and the first.
  void add_representation(UnitedField& field, std::size_t schema,
                          const Representation& representation) const {
    std::vector<Representation>& known = field.representations;
    if (std::find(known.begin(), known.end(), representation) != known.end()) return;
    const Storage* storage = reduced(representation);
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

  void connect(UnitedField& field, std::size_t schema, std::uint32_t source, std::uint32_t shown) const {
    if (field.source == kNoField) {
      field.source = source;
      field.shown = shown;
    } else if ((field.source != source || field.shown != shown) && field.difference.empty()) {
      differ(field, schema, "shows " + fields_[field.source].path, fields_[source].path);
    }
  }

  // ---- fields that are not alike

  bool is_missing_somewhere(const UnitedField& field) const { return field.schemas.size() < added_.size(); }
  bool is_top(std::uint32_t number) const { return fields_[number].descriptor.parent == number; }

  // Whether a field can be there or not, whatever else its parent has.
  bool is_optional(std::uint32_t number) const {
    if (is_top(number)) return true;
    const UnitedField& parent = fields_[fields_[number].descriptor.parent];
    return parent.descriptor.role == FieldRole::kRecord && parent.descriptor.type_name.empty();
  }

  // Fields in which the files differ, outermost only; what projections show decides about them.
  void judge() {
    std::vector<std::string> problems;
    for (std::uint32_t number = 0; number < fields_.size(); ++number) {
      UnitedField& field = fields_[number];
      if (!is_top(number) && fields_[field.descriptor.parent].is_left_out) field.is_left_out = true;
      if (field.is_left_out || is_inside_missing(number)) continue;
      const std::string problem = problem_of(number);
      if (!problem.empty()) settle(number, problem, problems);
    }
    for (std::uint32_t number = 0; number < fields_.size(); ++number) leave_out_with_others(number);
    if (!problems.empty()) fail(problems);
  }

  bool is_inside_missing(std::uint32_t number) const {
    const UnitedField& field = fields_[number];
    return !is_top(number) && field.difference.empty() &&
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
    while (!is_top(number)) {
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
    if ((!is_top(number) && is_out(field.descriptor.parent)) || is_out(field.source) || is_out(field.shown)) {
      field.is_left_out = true;
      if (is_top(number)) return;
      for (std::uint32_t outer = number; field.source != kNoField; outer = fields_[outer].descriptor.parent) {
        fields_[outer].is_left_out = true;
        if (is_top(outer)) break;
      }
    }
  }

  [[noreturn]] static void fail(const std::vector<std::string>& problems) {
    throw SeveralProblems<SchemaError>(
        "the fields of the inputs differ:", problems,
        "--missing-fields drop leaves such fields out, and --missing-fields default gives "
        "those that are missing zeros and empty lists");
  }

  // ---- the result

  void build(UnitedSchema& united) {
    RNTupleDescriptor& schema = united.schema;
    schema.description = descriptor(0).description;
    new_ids_.assign(fields_.size(), kNoField);
    add_fields(schema);
    add_columns(schema);
    add_aliases(schema);
    std::set<std::string_view> known;
    for (const AddedSchema& added : added_)
      for (const std::string& info : added.descriptor.extra_type_info)
        if (known.insert(info).second) schema.extra_type_info.push_back(info);
  }

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
    first_columns_.resize(fields_.size());
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

  // By column of a schema: the column of the whole.
  std::vector<std::uint32_t> columns_of(std::size_t schema) const {
    const RNTupleDescriptor& here = descriptor(schema);
    const std::vector<std::vector<Representation>> representations = representations_of(here);
    const std::vector<std::uint32_t> positions = column_positions(here);
    std::vector<std::uint32_t> columns;
    for (std::size_t id = 0; id < here.columns.size(); ++id) {
      const ColumnDescriptor& column = here.columns[id];
      const std::uint32_t number = numbers_[schema][column.field];
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

  const std::vector<AddedSchema>& added_;
  MissingFields missing_;
  std::vector<UnitedField> fields_;                                         // a parent before its children
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_name_;  // by parent and name
  std::vector<std::vector<std::uint32_t>> numbers_;                         // by schema and field
  std::vector<std::uint32_t> new_ids_;                                      // by field of the whole
  std::vector<std::vector<std::uint32_t>> first_columns_;                   // by field and representation
  std::vector<std::string> left_out_;
};

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

UnitedSchema SchemaUnion::unite(MissingFields missing) const { return SchemaUniter(added_, missing).unite(); }

std::vector<ElementsOf> elements_of_columns(const RNTupleDescriptor& schema) {
  const std::vector<std::uint32_t> positions = column_positions(schema);
  std::vector<ElementsOf> elements;
  for (std::size_t column = 0; column < schema.columns.size(); ++column) {
    std::uint32_t id = schema.columns[column].field;
    ElementsOf& of = elements.emplace_back();
    if (positions[column] > 0) {
      of.field = id;
      continue;
    }
    of.count = schema.fields[id].repetition.value_or(1);
    for (; !schema.is_top_level(id); id = schema.fields[id].parent) {
      const FieldDescriptor& parent = schema.fields[schema.fields[id].parent];
      if (parent.role != FieldRole::kPlain && parent.role != FieldRole::kRecord) {
        of.is_alternative = parent.role == FieldRole::kVariant;
        of.field = of.is_alternative ? id : schema.fields[id].parent;
        break;
      }
      if (__builtin_mul_overflow(of.count, parent.repetition.value_or(1), &of.count))
        throw FormatError("field \"" + schema.fields[id].name + "\" has more elements than there can be");
    }
  }
  return elements;
}

}  // namespace skimline::io
