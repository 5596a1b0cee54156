// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/carried_fields.h"

#include "rntuple/type_infos.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace skimline::io {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The columns of a field: by position among those of one representation, the representations.
using ColumnsOfField = std::vector<std::vector<std::uint32_t>>;

std::vector<std::vector<std::uint32_t>> children_of(const RNTupleDescriptor& descriptor) {
  std::vector<std::vector<std::uint32_t>> children(descriptor.fields.size());
  for (std::uint32_t id = 0; id < descriptor.fields.size(); ++id)
    if (!descriptor.is_top_level(id)) children[descriptor.fields[id].parent].push_back(id);
  return children;
}

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

std::map<std::string, std::uint32_t> ids_by_path(const std::vector<std::string>& paths) {
  std::map<std::string, std::uint32_t> ids;
  for (std::uint32_t id = 0; id < paths.size(); ++id) ids.emplace(paths[id], id);
  return ids;
}

// How the fields of a schema hang together and, by their paths, where they are.
struct FieldIndex {
  explicit FieldIndex(const RNTupleDescriptor& descriptor)
      : paths(descriptor.field_paths()),
        ids(ids_by_path(paths)),
        children(children_of(descriptor)),
        columns(columns_of(descriptor)) {}

  std::vector<std::string> paths;
  std::map<std::string, std::uint32_t> ids;
  std::vector<std::vector<std::uint32_t>> children;
  std::vector<ColumnsOfField> columns;
};

// The fields of one file.
struct FileFields {
  FileFields(const RNTupleDescriptor& of_file, std::string path_of_file,
             std::shared_ptr<const FieldIndex> index_of_file)
      : descriptor(of_file),
        file(std::move(path_of_file)),
        index(std::move(index_of_file)),
        paths(index->paths),
        ids(index->ids),
        children(index->children),
        columns(index->columns) {}

  const RNTupleDescriptor& descriptor;
  std::string file;
  std::shared_ptr<const FieldIndex> index;  // that of another file with the same schema, too
  const std::vector<std::string>& paths;
  const std::map<std::string, std::uint32_t>& ids;
  const std::vector<std::vector<std::uint32_t>>& children;
  const std::vector<ColumnsOfField>& columns;
};

std::vector<FileFields> fields_of_files(const std::vector<RNTupleDescriptor>& descriptors,
                                        const std::vector<std::string>& paths) {
  std::vector<FileFields> files;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const bool is_as_before = i > 0 && descriptors[i].fields == descriptors[i - 1].fields &&
                              descriptors[i].columns == descriptors[i - 1].columns;
    files.emplace_back(
        descriptors[i], paths[i],
        is_as_before ? files.back().index : std::make_shared<const FieldIndex>(descriptors[i]));
  }
  return files;
}

// ---- which fields

// Whether a record of the first file has members that only another file's has.
bool has_more_members(const FileFields& other, const FileFields& first, std::uint32_t record) {
  const std::vector<std::uint32_t>& members = other.children[other.ids.at(first.paths[record])];
  return std::any_of(members.begin(), members.end(),
                     [&](std::uint32_t member) { return !first.ids.contains(other.paths[member]); });
}

// Whether another file calls the class of a record otherwise, or the type of a collection of such records.
bool has_other_names(const FileFields& other, const FileFields& first, std::uint32_t record) {
  for (std::uint32_t id = record;;) {
    const FieldDescriptor& field = first.descriptor.fields[id];
    const auto found = other.ids.find(first.paths[id]);
    if (found == other.ids.end() || other.descriptor.fields[found->second].role != field.role) return false;
    if (other.descriptor.fields[found->second].type_name != field.type_name) return true;
    if (first.descriptor.is_top_level(id)) return false;
    id = field.parent;
    if (first.descriptor.fields[id].role != FieldRole::kCollection) return false;
  }
}

bool is_record_in(const FileFields& file, const std::string& path) {
  const auto found = file.ids.find(path);
  return found != file.ids.end() && file.descriptor.fields[found->second].role == FieldRole::kRecord;
}

bool is_another_record(const FileFields& other, const FileFields& first, std::uint32_t record) {
  return is_record_in(other, first.paths[record]) &&
         (has_more_members(other, first, record) || has_other_names(other, first, record));
}

class FieldSelection {
 public:
  explicit FieldSelection(const RNTupleDescriptor& descriptor)
      : descriptor_(descriptor),
        children_(children_of(descriptor)),
        is_kept_(descriptor.fields.size()),
        is_untyped_(descriptor.fields.size()),
        differs_elsewhere_(descriptor.fields.size()) {}

  /// To be called before keep(): a record that is of another class in another file, or has more members
  /// there, is untyped.
  void compare_records(const std::vector<FileFields>& files) {
    const FileFields& first = files.front();
    for (std::uint32_t id = 0; id < is_kept_.size(); ++id)
      differs_elsewhere_[id] = field(id).role == FieldRole::kRecord &&
                               std::any_of(files.begin() + 1, files.end(), [&](const FileFields& other) {
                                 return is_another_record(other, first, id);
                               });
  }

  void keep(const std::vector<std::uint32_t>& fields) {
    for (const std::uint32_t id : fields) keep_whole(id);
    // Members are dropped outermost last: keeping a whole field can only complete others.
    for (bool is_stable = false; !is_stable;) {
      is_stable = true;
      for (std::uint32_t id = 0; id < is_kept_.size(); ++id)
        if (differs(id) && !is_untyped(id) && !make_untyped(id)) {
          differs_elsewhere_[id] = false;
          is_stable = false;
        }
    }
  }

  bool is_kept(std::uint32_t id) const { return is_kept_[id]; }
  bool is_untyped(std::uint32_t id) const { return is_untyped_[id]; }
  bool differs(std::uint32_t id) const {
    return is_kept_[id] &&
           (differs_elsewhere_[id] || std::any_of(children_[id].begin(), children_[id].end(),
                                                  [&](std::uint32_t child) { return !is_kept_[child]; }));
  }

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
  std::vector<bool> differs_elsewhere_;
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

std::string quoted(const std::string& path) { return "field \"" + path + "\""; }

// Elements that each entry has, 0 if collections or variants decide.
std::uint64_t elements_per_entry(const FileFields& file, std::uint32_t id) {
  const SharedList<FieldDescriptor>& fields = file.descriptor.fields;
  std::uint64_t count = fields[id].repetition.value_or(1);
  for (std::uint32_t inner = id; !file.descriptor.is_top_level(inner);) {
    inner = fields[inner].parent;
    if (fields[inner].role != FieldRole::kPlain && fields[inner].role != FieldRole::kRecord) return 0;
    if (__builtin_mul_overflow(count, fields[inner].repetition.value_or(1), &count))
      throw FileError(file.file, quoted(file.paths[id]) + " has more elements than there can be");
  }
  return count;
}

// ---- the same field in several files

// The fields that a field shows, itself or columns of theirs.
std::set<std::string> projected_paths(const FileFields& file, std::uint32_t id) {
  std::set<std::string> paths;
  if (!file.descriptor.fields[id].source_field) return paths;
  paths.insert(file.paths[*file.descriptor.fields[id].source_field]);
  for (const AliasColumn& alias : file.descriptor.aliases)
    if (alias.field == id) paths.insert(file.paths[file.descriptor.columns[alias.physical_column].field]);
  return paths;
}

// Whether a field of the first file, taken whole or without some of its members, is a field of another.
bool is_same_field(const FileFields& first, std::uint32_t id, const FileFields& other, std::uint32_t other_id,
                   const FieldSelection& selection) {
  const FieldDescriptor& a = first.descriptor.fields[id];
  const FieldDescriptor& b = other.descriptor.fields[other_id];
  return a.role == b.role && a.repetition == b.repetition &&
         first.columns[id].size() == other.columns[other_id].size() &&
         (selection.is_untyped(id) || a.type_name == b.type_name) &&
         (selection.differs(id) || first.children[id].size() == other.children[other_id].size()) &&
         projected_paths(first, id) == projected_paths(other, other_id);
}

// The ids, by file, of a field of the first file.
std::vector<std::uint32_t> find_in_all(const std::vector<FileFields>& files, std::uint32_t id,
                                       const FieldSelection& selection) {
  const FileFields& first = files.front();
  std::vector<std::uint32_t> ids;
  for (const FileFields& file : files) {
    const auto found = file.ids.find(first.paths[id]);
    if (found == file.ids.end() || !is_same_field(first, id, file, found->second, selection))
      throw SchemaError(quoted(first.paths[id]) + " is not the same in " + first.file + " and " + file.file);
    ids.push_back(found->second);
  }
  return ids;
}

// ---- the same column in several files

// The columns at one position of a field, in all files and representations.
struct ColumnUses {
  const std::vector<FileFields>& files;
  const std::vector<std::uint32_t>& ids;  // of the field, by file
  std::size_t position;

  const std::string& path() const { return files.front().paths[ids.front()]; }
  const std::vector<std::uint32_t>& columns(std::size_t file) const {
    return files[file].columns[ids[file]][position];
  }
  std::vector<PageEncoding> encodings() const {
    std::vector<PageEncoding> all;
    for (std::size_t file = 0; file < files.size(); ++file)
      for (const std::uint32_t column : columns(file))
        all.push_back(encoding_of(files[file].descriptor.columns[column]));
    return all;
  }
};

bool are_equal_in_meaning(const std::vector<PageEncoding>& encodings) {
  return std::all_of(encodings.begin(), encodings.end(), [&](const PageEncoding& each) {
    return meaning_of(each) == meaning_of(encodings.front());
  });
}

// Whether elements of all these encodings are read as what they are: raw, or as numbers of one type.
bool must_be_raw(const std::vector<PageEncoding>& encodings) {
  if (!is_plain_when_raw(meaning_of(encodings.front()))) return true;
  return std::any_of(encodings.begin(), encodings.end(), [&](const PageEncoding& each) {
    return element_type(each) != element_type(encodings.front());
  });
}

// The numbers that elements of unequal meaning stand for.
ScalarType common_scalar(const std::string& path, const std::string& type_name) {
  if (const std::optional<ScalarType> scalar = scalar_of(type_name)) return *scalar;
  throw SchemaError(quoted(path) + " is stored in different ways, which cannot be put together");
}

// Elements that are not stored because their column was added late are zeros in memory.
void check_deferred(const FileFields& file, const Stream& stream) {
  constexpr std::uint64_t kMaxEntryBytes = 16 * 1024 * 1024;
  const auto is_deferred = [&](std::uint32_t id) {
    const ColumnDescriptor& column = file.descriptor.columns[id];
    return column.is_deferred && !column.is_suppressed_deferred;
  };
  if (std::none_of(stream.columns.begin(), stream.columns.end(), is_deferred)) return;
  if (stream.per_entry == 0)
    throw SchemaError(quoted(stream.name) + " has a deferred column inside a collection");
  if (stream.per_entry > kMaxEntryBytes / stream.element_size)
    throw SchemaError(quoted(stream.name) + " has a deferred column of more than " +
                      std::to_string(kMaxEntryBytes) + " bytes an entry");
}

// Zeros that are not stored would become the smallest number of a range, whose bits are 0.
bool are_zeros_of_a_range(const ColumnUses& uses) {
  for (std::size_t file = 0; file < uses.files.size(); ++file)
    for (const std::uint32_t id : uses.columns(file)) {
      const ColumnDescriptor& column = uses.files[file].descriptor.columns[id];
      if (column.type == ColumnType::kReal32Quant && column.is_deferred && !column.is_suppressed_deferred)
        return true;
    }
  return false;
}

CarriedColumn make_column(const ColumnUses& uses) {
  CarriedColumn column;
  Stream stream;
  stream.name = uses.path();
  stream.num_keepers = 1;
  const std::vector<PageEncoding> encodings = uses.encodings();
  if (are_equal_in_meaning(encodings) && !are_zeros_of_a_range(uses)) {
    column.encoding = encodings.front();
    stream.is_raw = must_be_raw(encodings);
    if (!stream.is_raw) stream.scalar = element_type(column.encoding);
  } else {
    const FieldDescriptor& field = uses.files.front().descriptor.fields[uses.ids.front()];
    stream.scalar = common_scalar(stream.name, field.type_name);
    column.encoding = default_encoding(stream.scalar, true);
  }
  stream.is_index = is_index_type(column.encoding.type);
  stream.element_size = raw_element_size(column.encoding);
  for (std::size_t file = 0; file < uses.files.size(); ++file) {
    stream.columns = uses.columns(file);
    stream.per_entry = uses.position > 0 ? 0 : elements_per_entry(uses.files[file], uses.ids[file]);
    check_deferred(uses.files[file], stream);
    const bool is_as_before = !column.streams.empty() && *column.streams.back() == stream;
    column.streams.push_back(is_as_before ? column.streams.back() : std::make_shared<const Stream>(stream));
  }
  return column;
}

// ---- fields of the skim

std::vector<std::uint32_t> number_kept(const FieldSelection& selection, std::size_t num_fields) {
  std::vector<std::uint32_t> numbers(num_fields, kNone);
  std::uint32_t next = 0;
  for (std::uint32_t id = 0; id < num_fields; ++id)
    if (selection.is_kept(id)) numbers[id] = next++;
  return numbers;
}

FieldDescriptor renumbered(FieldDescriptor field, const std::vector<std::uint32_t>& new_ids) {
  field.parent = new_ids[field.parent];
  if (field.source_field) field.source_field = new_ids[*field.source_field];
  return field;
}

FieldDescriptor without_type(FieldDescriptor field) {
  field.type_name.clear();
  field.type_alias.clear();
  field.type_version = 0;
  field.type_checksum.reset();
  return field;
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

std::vector<bool> fields_in_records(const RNTupleDescriptor& descriptor) {
  std::vector<std::uint32_t> outermost(descriptor.fields.size());
  std::vector<bool> has_records(descriptor.fields.size());
  for (std::uint32_t id = 0; id < outermost.size(); ++id) {
    const FieldDescriptor& field = descriptor.fields[id];
    outermost[id] = descriptor.is_top_level(id) ? id : outermost[field.parent];
    const bool is_record = field.role == FieldRole::kRecord && !field.type_name.starts_with("std::");
    if (is_record) has_records[outermost[id]] = true;
  }
  for (std::uint32_t id = 0; id < outermost.size(); ++id)
    if (const auto source = descriptor.fields[id].source_field)
      if (has_records[outermost[*source]]) has_records[outermost[id]] = true;
  std::vector<bool> is_in_record(outermost.size());
  for (std::uint32_t id = 0; id < outermost.size(); ++id) is_in_record[id] = has_records[outermost[id]];
  return is_in_record;
}

CarriedFields::CarriedFields(const std::vector<RNTupleDescriptor>& descriptors,
                             const std::vector<std::string>& paths, const std::vector<std::uint32_t>& kept) {
  const std::vector<FileFields> files = fields_of_files(descriptors, paths);
  const RNTupleDescriptor& first = descriptors.front();
  FieldSelection selection(first);
  selection.compare_records(files);
  selection.keep(kept);
  const std::vector<std::uint32_t> new_ids = number_kept(selection, first.fields.size());

  std::vector<std::uint32_t> new_columns(first.columns.size(), kNone);
  for (std::uint32_t id = 0; id < first.fields.size(); ++id) {
    if (!selection.is_kept(id)) continue;
    const FieldDescriptor descriptor = renumbered(first.fields[id], new_ids);
    const ColumnsOfField& columns = files.front().columns[id];
    fields_.push_back(
        {selection.is_untyped(id) ? without_type(descriptor) : descriptor, columns_.size(), columns.size()});
    const std::vector<std::uint32_t> ids = find_in_all(files, id, selection);
    for (std::size_t position = 0; position < columns.size(); ++position) {
      for (const std::uint32_t column : columns[position])
        new_columns[column] = static_cast<std::uint32_t>(columns_.size());
      columns_.push_back(make_column({files, ids, position}));
    }
  }
  add_aliases(first.aliases, new_columns, new_ids);
  const auto is_streamed = [](const Field& field) { return field.descriptor.role == FieldRole::kStreamer; };
  if (std::any_of(fields_.begin(), fields_.end(), is_streamed)) {
    TypeInfos infos;
    for (const RNTupleDescriptor& descriptor : descriptors) infos.add(descriptor.extra_type_info);
    extra_type_info_ = infos.united();
  }

  OutputSchema schema;
  add_to(schema);
  levels_ = schema.levels();
  output_columns_ = schema.columns();
}

// All representations of a column become one.
void CarriedFields::add_aliases(const SharedList<AliasColumn>& aliases,
                                const std::vector<std::uint32_t>& new_columns,
                                const std::vector<std::uint32_t>& new_ids) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const AliasColumn& alias : aliases) {
    const AliasColumn added{new_columns[alias.physical_column], new_ids[alias.field]};
    if (added.field != kNone && seen.emplace(added.physical_column, added.field).second)
      aliases_.push_back(added);
  }
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
