// SPDX-License-Identifier: BSD-3-Clause
#include "field_columns.h"

#include "output_schema.h"

#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace skimline::io {
namespace {

constexpr int kMaxNesting = 64;
// A longer description is not repeated for every member that has none.
constexpr std::size_t kMaxSharedDescription = 1000;
constexpr std::string_view kCardinality = "ROOT::RNTupleCardinality<";

// Where in the tree of fields the walk is.
struct Place {
  std::string name;
  std::string field_type;
  std::string description;
  std::optional<std::size_t> index;
  std::uint32_t collection = 0;  // physical field that owns the index, if there is one
  bool is_hidden = false;        // member of an unnamed collection: shown only if no projection shows it
  int nesting = 0;
};

class FieldWalk {
 public:
  explicit FieldWalk(const RNTupleDescriptor& descriptor)
      : descriptor_(descriptor), children_(descriptor.fields.size()), columns_(descriptor.fields.size()) {
    for (std::uint32_t id = 0; id < descriptor.fields.size(); ++id)
      if (!descriptor.is_top_level(id)) children_[descriptor.fields[id].parent].push_back(id);
    for (std::uint32_t id = 0; id < descriptor.columns.size(); ++id)
      columns_[descriptor.columns[id].field].push_back(id);
    for (const AliasColumn& alias : descriptor.aliases) {
      columns_[alias.field].push_back(alias.physical_column);
      projected_.insert(alias.physical_column);
    }
  }

  FieldColumns walk() {
    for (std::uint32_t id = 0; id < descriptor_.fields.size(); ++id)
      if (descriptor_.is_top_level(id)) visit_top_level(id);
    return std::move(found_);
  }

 private:
  const FieldDescriptor& field(std::uint32_t id) const { return descriptor_.fields[id]; }

  void visit_top_level(std::uint32_t id) {
    Place place;
    place.name = field(id).name;
    place.field_type = field(id).type_name;
    place.description = field(id).description;
    place.is_hidden = field(id).type_name.empty() && field(id).name.starts_with("_collection");
    visit(id, place);
  }

  void reject(std::uint32_t id, const Place& place, std::string reason) {
    found_.unsupported.push_back({place.name, place.field_type, std::move(reason), id});
  }

  void visit(std::uint32_t id, const Place& place) {
    const FieldDescriptor& here = field(id);
    if (place.nesting > kMaxNesting) return reject(id, place, "fields nested too deeply");
    if (here.repetition) return reject(id, place, "fixed-size array");
    if (here.type_name.starts_with(kCardinality)) return add_cardinality(id, place);
    switch (here.role) {
      case FieldRole::kPlain:
        return visit_plain(id, place);
      case FieldRole::kCollection:
        return visit_collection(id, place);
      case FieldRole::kRecord:
        return visit_record(id, place);
      case FieldRole::kVariant:
        return reject(id, place, "variant");
      case FieldRole::kStreamer:
        return reject(id, place, "object streamed by ROOT");
    }
    reject(id, place, "unknown kind of field");
  }

  void visit_plain(std::uint32_t id, const Place& place) {
    if (here_is_wrapper(id)) {
      Place inner = place;
      ++inner.nesting;
      return visit(children_[id].front(), inner);
    }
    if (field(id).type_name == "std::string") return reject(id, place, "string");
    const std::optional<ScalarType> scalar = scalar_of(field(id).type_name);
    if (!scalar) return reject(id, place, "not a number");
    add_values(id, *scalar, place);
  }

  bool here_is_wrapper(std::uint32_t id) const { return columns_[id].empty() && children_[id].size() == 1; }

  void visit_record(std::uint32_t id, const Place& place) {
    const std::size_t num_before = found_.columns.size() + found_.unsupported.size();
    for (const std::uint32_t child : children_[id]) {
      Place member = place;
      ++member.nesting;
      const bool is_base_class = field(child).name.starts_with(":_");
      if (!is_base_class) member.name += "." + field(child).name;
      member.field_type = field(child).type_name;
      if (!field(child).description.empty() || place.description.size() > kMaxSharedDescription)
        member.description = field(child).description;
      visit(child, member);
    }
    const bool is_base_class = field(id).name.starts_with(":_");
    const bool is_empty = found_.columns.size() + found_.unsupported.size() == num_before;
    if (is_empty && !is_base_class && !place.is_hidden) reject(id, place, "record without members");
  }

  void visit_collection(std::uint32_t id, const Place& place) {
    if (place.index) return reject(id, place, "list of lists");
    if (children_[id].size() != 1) return reject(id, place, "collection without items");
    Stream stream;
    stream.is_index = true;
    stream.name = place.name;
    const std::optional<std::string> problem = set_columns(id, 0, nullptr, stream);
    if (problem) return reject(id, place, *problem);
    Place item = place;
    ++item.nesting;
    item.collection = descriptor_.columns[stream.columns.front()].field;
    item.index = stream_number(std::move(stream));
    visit(children_[id].front(), item);
  }

  void add_cardinality(std::uint32_t id, const Place& place) {
    if (place.index) return reject(id, place, "count of a list inside a list");
    Stream stream;
    stream.is_index = true;
    stream.name = place.name;
    const std::optional<std::string> problem = set_columns(id, 0, nullptr, stream);
    if (problem) return reject(id, place, *problem);
    const bool is_wide = field(id).type_name.find("64") != std::string::npos;
    FieldColumn column = start(id, place, flat(is_wide ? ScalarType::kUInt64 : ScalarType::kUInt32));
    column.index = stream_number(std::move(stream));
    add(std::move(column));
  }

  void add_values(std::uint32_t id, ScalarType scalar, const Place& place) {
    Stream stream;
    stream.scalar = scalar;
    stream.element_size = size_of(scalar);
    stream.per_entry = place.index ? 0 : 1;
    stream.name = place.name;
    const std::uint32_t* collection = place.index ? &place.collection : nullptr;
    const std::optional<std::string> problem = set_columns(id, place.index ? 1 : 0, collection, stream);
    if (problem) return reject(id, place, *problem);
    if (place.is_hidden && projected_.contains(stream.columns.front())) return;
    FieldColumn column = start(id, place, place.index ? jagged(scalar) : flat(scalar));
    column.index = place.index;
    column.values = stream_number(std::move(stream));
    add(std::move(column));
  }

  // Finds the columns of a stream by representation; returns what prevents reading them.
  std::optional<std::string> set_columns(std::uint32_t id, int depth, const std::uint32_t* collection,
                                         Stream& stream) const {
    std::set<std::uint16_t> representations;
    for (const std::uint32_t column : columns_[id])
      if (representations.insert(descriptor_.columns[column].representation).second)
        stream.columns.push_back(column);
    if (stream.columns.empty()) return "no columns";
    if (stream.columns.size() != columns_[id].size()) return "several columns";
    for (const std::uint32_t column : stream.columns)
      if (auto problem = column_problem(column, depth, collection, stream)) return problem;
    return std::nullopt;
  }

  std::optional<std::string> column_problem(std::uint32_t id, int depth, const std::uint32_t* collection,
                                            const Stream& stream) const {
    const ColumnDescriptor& column = descriptor_.columns[id];
    if (stream.is_index != is_index_type(column.type)) return "stored as " + column_type_name(column.type);
    if (!is_inside(column.field, depth, collection)) return "projection of another kind of field";
    if (depth > 0 && column.is_deferred && !column.is_suppressed_deferred)
      return "deferred column inside a list";
    try {
      if (is_floating(element_type({column.type, column.bits_on_storage})) && !is_floating(stream.scalar))
        return "integers stored as " + column_type_name(column.type);
    } catch (const FormatError&) {
      return "stored as " + column_type_name(column.type);
    }
    return std::nullopt;
  }

  // Whether a physical field lies in exactly `depth` collections, the given one if any, and in no array or
  // variant.
  bool is_inside(std::uint32_t id, int depth, const std::uint32_t* collection) const {
    int found = 0;
    while (!descriptor_.is_top_level(id)) {
      id = field(id).parent;
      const FieldRole role = field(id).role;
      if (field(id).repetition || role == FieldRole::kVariant || role == FieldRole::kStreamer) return false;
      if (role != FieldRole::kCollection) continue;
      ++found;
      if (collection != nullptr && *collection != id) return false;
    }
    return found == depth;
  }

  static FieldColumn start(std::uint32_t id, const Place& place, Type type) {
    FieldColumn column;
    column.field = id;
    column.name = place.name;
    column.type = type;
    column.field_type = place.field_type;
    column.description = place.description;
    return column;
  }

  void add(FieldColumn column) {
    if (!names_.insert(column.name).second)
      found_.unsupported.push_back(
          {column.name, column.field_type, "another field has this name", column.field});
    else
      found_.columns.push_back(std::move(column));
  }

  std::size_t stream_number(Stream stream) { return io::stream_number(found_, std::move(stream)); }

  const RNTupleDescriptor& descriptor_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::vector<std::uint32_t>> columns_;  // by field, of projections those they project
  std::unordered_set<std::uint32_t> projected_;
  std::unordered_set<std::string> names_;
  FieldColumns found_;
};

}  // namespace

std::optional<ScalarType> scalar_of(std::string_view type_name) {
  constexpr std::pair<std::string_view, ScalarType> kOtherNames[] = {{"char", ScalarType::kInt8},
                                                                     {"std::byte", ScalarType::kUInt8}};
  for (std::size_t i = 0; i < kNumScalarTypes; ++i)
    if (name_of(static_cast<ScalarType>(i)) == type_name) return static_cast<ScalarType>(i);
  for (const auto& [name, scalar] : kOtherNames)
    if (name == type_name) return scalar;
  return std::nullopt;
}

std::size_t stream_number(FieldColumns& fields, Stream stream) {
  const std::uint32_t first_column = stream.columns.front();
  const auto [begin, end] = fields.stream_numbers.equal_range(first_column);
  for (auto candidate = begin; candidate != end; ++candidate) {
    Stream& known = fields.streams[candidate->second];
    const bool is_same = known.columns == stream.columns && known.is_raw == stream.is_raw &&
                         (stream.is_raw || known.scalar == stream.scalar);
    if (!is_same) continue;
    known.keeps_stored |= stream.keeps_stored;
    return candidate->second;
  }
  fields.stream_numbers.emplace(first_column, fields.streams.size());
  fields.streams.push_back(std::move(stream));
  return fields.streams.size() - 1;
}

FieldColumns find_field_columns(const RNTupleDescriptor& descriptor) { return FieldWalk(descriptor).walk(); }

}  // namespace skimline::io
