// SPDX-License-Identifier: BSD-3-Clause
#include "carried_fields.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace skimline::io {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::vector<std::vector<std::uint32_t>> children_of(const RNTupleDescriptor& descriptor) {
  std::vector<std::vector<std::uint32_t>> children(descriptor.fields.size());
  for (std::uint32_t id = 0; id < descriptor.fields.size(); ++id)
    if (!descriptor.is_top_level(id)) children[descriptor.fields[id].parent].push_back(id);
  return children;
}

// The columns of each field: by position among those of one representation, the representations.
using ColumnsOfField = std::vector<std::vector<std::uint32_t>>;

std::vector<ColumnsOfField> columns_of(const RNTupleDescriptor& descriptor) {
  std::vector<ColumnsOfField> columns(descriptor.fields.size());
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::size_t> counts;
  for (std::uint32_t id = 0; id < descriptor.columns.size(); ++id) {
    const ColumnDescriptor& column = descriptor.columns[id];
    ColumnsOfField& of_field = columns[column.field];
    const std::size_t position = counts[{column.field, column.representation}]++;
    if (position >= of_field.size()) of_field.resize(position + 1);
    of_field[position].push_back(id);
  }
  return columns;
}

// ---- which fields

class FieldSelection {
 public:
  explicit FieldSelection(const RNTupleDescriptor& descriptor)
      : descriptor_(descriptor),
        children_(children_of(descriptor)),
        is_kept_(descriptor.fields.size()),
        is_untyped_(descriptor.fields.size()) {}

  void keep(const std::vector<std::uint32_t>& fields) {
    for (const std::uint32_t id : fields) keep_whole(id);
    // Members are dropped outermost last: keeping a whole field can only complete others.
    for (bool is_stable = false; !is_stable;) {
      is_stable = true;
      for (std::uint32_t id = 0; id < is_kept_.size(); ++id)
        if (lacks_members(id) && !make_untyped(id)) is_stable = false;
    }
  }

  bool is_kept(std::uint32_t id) const { return is_kept_[id]; }
  bool is_untyped(std::uint32_t id) const { return is_untyped_[id]; }

 private:
  const FieldDescriptor& field(std::uint32_t id) const { return descriptor_.fields[id]; }

  // Keeps a field, all it is in, and what these are projections of.
  void keep_with_outer(std::uint32_t id) {
    for (; !is_kept_[id]; id = field(id).parent) {
      is_kept_[id] = true;
      if (!field(id).source_field) continue;
      keep_with_outer(*field(id).source_field);
      for (const AliasColumn& alias : descriptor_.aliases)
        if (alias.field == id) keep_with_outer(descriptor_.columns[alias.physical_column].field);
    }
  }

  void keep_whole(std::uint32_t id) {
    keep_with_outer(id);
    for (const std::uint32_t child : children_[id]) keep_whole(child);
  }

  bool lacks_members(std::uint32_t id) const {
    return is_kept_[id] && !is_untyped_[id] &&
           std::any_of(children_[id].begin(), children_[id].end(),
                       [&](std::uint32_t child) { return !is_kept_[child]; });
  }

  // Whether readers need no name of the type to make sense of the field.
  bool can_be_untyped(std::uint32_t id) const {
    const FieldDescriptor& here = field(id);
    const auto is_base_class = [&](std::uint32_t child) { return field(child).name.starts_with(":_"); };
    if (here.role == FieldRole::kRecord)
      return !here.type_name.starts_with("std::") &&
             std::none_of(children_[id].begin(), children_[id].end(), is_base_class);
    return here.role == FieldRole::kCollection && !here.is_soa &&
           (here.type_name.empty() || here.type_name.starts_with("std::vector<") ||
            here.type_name.starts_with("ROOT::VecOps::RVec<"));
  }

  // Takes the names of the types of a field and of all it is in, or keeps the outermost one whole if that
  // cannot be; returns whether it could.
  bool make_untyped(std::uint32_t id) {
    std::uint32_t outer = id;
    bool is_possible = can_be_untyped(id);
    for (; !descriptor_.is_top_level(outer); is_possible = is_possible && can_be_untyped(outer))
      outer = field(outer).parent;
    if (!is_possible) {
      keep_whole(outer);
      return false;
    }
    for (; id != outer; id = field(id).parent) is_untyped_[id] = true;
    is_untyped_[outer] = true;
    return true;
  }

  const RNTupleDescriptor& descriptor_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<bool> is_kept_;
  std::vector<bool> is_untyped_;
};

// ---- how columns are stored

// What raw elements mean: those of equal meaning can be copied from one column to another.
using Meaning = std::tuple<ColumnKind, int, std::uint16_t, double, double>;

Meaning meaning_of(const PageEncoding& encoding) {
  enum { kOther, kInteger, kReal, kHalf, kTruncated, kQuantised };
  if (is_index_type(encoding.type)) return {ColumnKind::kEnds, kInteger, 64, 0, 0};
  switch (encoding.type) {
    case ColumnType::kSwitch:
      return {ColumnKind::kSwitch, kOther, 0, 0, 0};
    case ColumnType::kBit:
      return {ColumnKind::kValues, kOther, 1, 0, 0};
    case ColumnType::kReal16:
    case ColumnType::kSplitReal16:
      return {ColumnKind::kValues, kHalf, 16, 0, 0};
    case ColumnType::kReal32Trunc:
      return {ColumnKind::kValues, kTruncated, encoding.bits, 0, 0};
    case ColumnType::kReal32Quant:
      return {ColumnKind::kValues, kQuantised, encoding.bits, encoding.value_min, encoding.value_max};
    default:
      return {ColumnKind::kValues, is_floating(element_type(encoding)) ? kReal : kInteger, encoding.bits, 0,
              0};
  }
}

PageEncoding encoding_of(const ColumnDescriptor& column) {
  return {column.type, column.bits_on_storage, column.value_min, column.value_max};
}

// Whether raw elements are what decoding to the element type gives.
bool is_plain_when_raw(const Meaning& meaning) {
  const auto& [kind, what, bits, min, max] = meaning;
  return kind == ColumnKind::kEnds || (kind == ColumnKind::kValues && what < 3);
}

// Elements that each entry has, 0 if collections or variants decide.
std::uint64_t elements_per_entry(const RNTupleDescriptor& descriptor, std::uint32_t id) {
  std::uint64_t count = descriptor.fields[id].repetition.value_or(1);
  while (!descriptor.is_top_level(id)) {
    id = descriptor.fields[id].parent;
    const FieldRole role = descriptor.fields[id].role;
    if (role != FieldRole::kPlain && role != FieldRole::kRecord) return 0;
    count *= descriptor.fields[id].repetition.value_or(1);
  }
  return count;
}

bool is_same_kind(const FieldDescriptor& a, const FieldDescriptor& b, bool is_untyped) {
  return a.role == b.role && a.repetition == b.repetition &&
         a.source_field.has_value() == b.source_field.has_value() &&
         (is_untyped || a.type_name == b.type_name);
}

// The encodings a column has in all files and representations.
struct ColumnUses {
  std::vector<PageEncoding> encodings;
  std::vector<std::vector<std::uint32_t>> ids;  // by file, by representation
};

bool are_equal_in_meaning(const std::vector<PageEncoding>& encodings) {
  return std::all_of(encodings.begin(), encodings.end(), [&](const PageEncoding& each) {
    return meaning_of(each) == meaning_of(encodings.front());
  });
}

// How the elements of a column are read where encodings of several kinds occur: as the numbers they mean.
ScalarType common_scalar(const std::string& path, const std::string& type_name) {
  if (const std::optional<ScalarType> scalar = scalar_of(type_name)) return *scalar;
  throw SchemaError("field \"" + path + "\" is stored in different ways, which cannot be put together");
}

void check_not_deferred(const RNTupleDescriptor& descriptor, const std::vector<std::uint32_t>& columns,
                        const std::string& path) {
  for (const std::uint32_t id : columns)
    if (descriptor.columns[id].is_deferred && !descriptor.columns[id].is_suppressed_deferred)
      throw SchemaError("field \"" + path + "\" has a deferred column inside a collection");
}

}  // namespace

std::vector<std::uint32_t> counts_without_items(const RNTupleDescriptor& descriptor,
                                                const std::vector<std::uint32_t>& kept,
                                                const std::vector<std::uint32_t>& counts) {
  FieldSelection selection(descriptor);
  selection.keep(kept);
  const std::vector<std::vector<std::uint32_t>> children = children_of(descriptor);
  std::vector<std::uint32_t> without;
  for (const std::uint32_t count : counts)
    for (const AliasColumn& alias : descriptor.aliases) {
      if (alias.field != count) continue;
      const std::vector<std::uint32_t>& items = children[descriptor.columns[alias.physical_column].field];
      if (std::none_of(items.begin(), items.end(), [&](std::uint32_t id) { return selection.is_kept(id); }))
        without.push_back(count);
    }
  return without;
}

CarriedFields::CarriedFields(const std::vector<RNTupleDescriptor>& descriptors,
                             const std::vector<std::string>& files, const std::vector<std::uint32_t>& kept) {
  const RNTupleDescriptor& first = descriptors.front();
  FieldSelection selection(first);
  selection.keep(kept);

  std::vector<std::map<std::string, std::uint32_t>> ids_by_path(descriptors.size());
  std::vector<std::vector<ColumnsOfField>> columns(descriptors.size());
  for (std::size_t file = 0; file < descriptors.size(); ++file) {
    const std::vector<std::string> paths = descriptors[file].field_paths();
    for (std::uint32_t id = 0; id < paths.size(); ++id) ids_by_path[file].emplace(paths[id], id);
    columns[file] = columns_of(descriptors[file]);
  }
  const std::vector<std::string> paths = first.field_paths();
  std::vector<std::uint32_t> new_ids(first.fields.size(), kNone);
  std::vector<std::uint32_t> new_columns(first.columns.size(), kNone);
  std::uint32_t next = 0;
  for (std::uint32_t id = 0; id < first.fields.size(); ++id)
    if (selection.is_kept(id)) new_ids[id] = next++;

  for (std::uint32_t id = 0; id < first.fields.size(); ++id) {
    if (!selection.is_kept(id)) continue;
    take_field(first, id, selection.is_untyped(id), new_ids, paths[id]);
    Field& field = fields_.back();
    field.first_column = columns_.size();
    field.num_columns = columns[0][id].size();
    std::vector<std::uint32_t> id_in(descriptors.size());
    for (std::size_t file = 0; file < descriptors.size(); ++file) {
      const auto found = ids_by_path[file].find(paths[id]);
      if (found == ids_by_path[file].end() ||
          !is_same_kind(first.fields[id], descriptors[file].fields[found->second],
                        selection.is_untyped(id)) ||
          columns[file][found->second].size() != field.num_columns)
        throw SchemaError("field \"" + paths[id] + "\" is not the same in " + files[0] + " and " +
                          files[file]);
      id_in[file] = found->second;
    }
    for (std::size_t position = 0; position < field.num_columns; ++position) {
      CarriedColumn& column = columns_.emplace_back();
      std::vector<PageEncoding> encodings;
      for (std::size_t file = 0; file < descriptors.size(); ++file)
        for (const std::uint32_t each : columns[file][id_in[file]][position])
          encodings.push_back(encoding_of(descriptors[file].columns[each]));
      new_columns[columns[0][id][position].front()] = static_cast<std::uint32_t>(columns_.size() - 1);
      Stream stream;
      stream.name = paths[id];
      stream.is_index = is_index_type(encodings.front().type);
      stream.keeps_stored = true;
      if (are_equal_in_meaning(encodings)) {
        column.encoding = encodings.front();
        stream.is_raw = !is_plain_when_raw(meaning_of(column.encoding));
        const auto has_other_type = [&](const PageEncoding& each) {
          return element_type(each) != element_type(encodings.front());
        };
        stream.is_raw = stream.is_raw || std::any_of(encodings.begin(), encodings.end(), has_other_type);
        if (!stream.is_raw) stream.scalar = element_type(column.encoding);
      } else {
        stream.scalar = common_scalar(paths[id], first.fields[id].type_name);
        column.encoding = default_encoding(stream.scalar, true);
      }
      stream.element_size = raw_element_size(column.encoding);
      for (std::size_t file = 0; file < descriptors.size(); ++file) {
        stream.columns = columns[file][id_in[file]][position];
        stream.per_entry = position > 0 ? 0 : elements_per_entry(descriptors[file], id_in[file]);
        if (stream.per_entry == 0) check_not_deferred(descriptors[file], stream.columns, paths[id]);
        column.streams.push_back(stream);
      }
    }
  }
  for (const AliasColumn& alias : first.aliases)
    if (new_ids[alias.field] != kNone)
      aliases_.push_back({new_columns[alias.physical_column], new_ids[alias.field]});
  const auto is_streamed = [](const Field& field) { return field.descriptor.role == FieldRole::kStreamer; };
  if (std::any_of(fields_.begin(), fields_.end(), is_streamed)) extra_type_info_ = first.extra_type_info;

  OutputSchema schema;
  add_to(schema);
  levels_ = schema.levels();
  output_columns_ = schema.columns();
}

void CarriedFields::take_field(const RNTupleDescriptor& from, std::uint32_t id, bool is_untyped,
                               const std::vector<std::uint32_t>& new_ids, const std::string& path) {
  Field field;
  field.descriptor = from.fields[id];
  field.path = path;
  field.descriptor.parent = new_ids[field.descriptor.parent];
  if (field.descriptor.source_field) field.descriptor.source_field = new_ids[*field.descriptor.source_field];
  if (is_untyped) {
    field.descriptor.type_name.clear();
    field.descriptor.type_alias.clear();
    field.descriptor.type_version = 0;
    field.descriptor.type_checksum.reset();
  }
  fields_.push_back(std::move(field));
}

void CarriedFields::add_to(OutputSchema& schema) const {
  for (const Field& field : fields_) {
    std::vector<PageEncoding> encodings;
    for (std::size_t i = 0; i < field.num_columns; ++i)
      encodings.push_back(columns_[field.first_column + i].encoding);
    schema.add_field(field.descriptor, encodings);
  }
  for (const AliasColumn& alias : aliases_) schema.add_alias(alias);
}

}  // namespace skimline::io
