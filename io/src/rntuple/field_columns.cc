// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/field_columns.h"

#include "columns/hidden_members.h"
#include "rntuple/output_schema.h"

#include "skimline/io/columns_left_out.h"
#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace skimline::io {
namespace {

constexpr int kMaxNesting = 64;
// Arrays with more elements cannot be viewed: offsets count with 31 bits.
constexpr std::uint64_t kMaxArraySize = 0x7fffffff;
// Elements that are not stored because their column was added late are zeros in memory.
constexpr std::uint64_t kMaxDeferredBytes = 16 * 1024;
// A longer description is not repeated for every member that has none.
constexpr std::size_t kMaxSharedDescription = 1000;
constexpr const char* kTooDeep = "lists nested more than three deep";
constexpr std::string_view kCardinality = "ROOT::RNTupleCardinality<";

// What makes lists of elements: a collection, by its physical field, or an array, by its size.
struct Enclosure {
  std::optional<std::uint32_t> collection;
  std::uint64_t array_size = 1;

  friend bool operator==(const Enclosure&, const Enclosure&) = default;
};

// Where in the tree of fields the walk is.
struct Place {
  std::string name;
  std::string field_type;
  std::string description;
  std::vector<ListLevel> levels;
  std::vector<Enclosure> enclosures;  // one for each level
  std::uint64_t per_entry = 1;        // elements of an entry; 0 if collections decide
  bool is_hidden = false;             // member of an unnamed collection: shown only if no projection shows it
  int nesting = 0;

  int depth() const { return static_cast<int>(levels.size()); }
};

// The columns of a field at one position among those of each representation.
struct Position {
  std::size_t number = 0;
  std::size_t count = 1;  // of all positions
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
    found_.unsupported.push_back({place.name, place.field_type, std::move(reason), id, true});
  }

  void visit(std::uint32_t id, const Place& place) {
    const FieldDescriptor& here = field(id);
    if (place.nesting > kMaxNesting) return reject(id, place, "fields nested too deeply");
    if (here.repetition) return visit_array(id, place);
    visit_one(id, place);
  }

  void visit_one(std::uint32_t id, const Place& place) {
    const FieldDescriptor& here = field(id);
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

  void visit_array(std::uint32_t id, const Place& place) {
    const std::uint64_t size = *field(id).repetition;
    if (place.depth() == kMaxDepth) return reject(id, place, kTooDeep);
    if (size == 0) return reject(id, place, "array without elements");
    std::uint64_t around = 1;
    for (const ListLevel& level : place.levels) around *= level.array_size;
    if (size > kMaxArraySize / around)
      return reject(id, place, "array of more than " + std::to_string(kMaxArraySize) + " elements");
    Place item = place;
    item.levels.push_back({std::nullopt, size, {}});
    item.enclosures.push_back({std::nullopt, size});
    item.per_entry *= size;
    visit_one(id, item);
  }

  void visit_plain(std::uint32_t id, const Place& place) {
    if (here_is_wrapper(id)) {
      Place inner = place;
      ++inner.nesting;
      return visit(children_[id].front(), inner);
    }
    if (field(id).type_name == "std::string") return add_string(id, place);
    const bool is_bitset = field(id).repetition && field(id).type_name.starts_with("std::bitset<");
    const std::optional<ScalarType> scalar = is_bitset ? ScalarType::kBool : scalar_of(field(id).type_name);
    if (!scalar) return reject(id, place, "not a number");
    add_values(id, *scalar, place);
  }

  bool here_is_wrapper(std::uint32_t id) const { return columns_[id].empty() && children_[id].size() == 1; }

  void visit_record(std::uint32_t id, const Place& place) {
    const std::size_t num_before = found_.columns.size() + found_.unsupported.size();
    const HiddenNames around = hidden_names_;
    for (const std::uint32_t child : children_[id]) {
      Place member = place;
      ++member.nesting;
      const bool is_base = is_base_class(child);
      if (!is_base) member.name += "." + field(child).name;
      member.field_type = field(child).type_name;
      if (!field(child).description.empty() || place.description.size() > kMaxSharedDescription)
        member.description = field(child).description;
      hidden_names_ = is_base ? hidden_in_bases(id, around) : HiddenNames();
      if (!is_base && around.contains(field(child).name))
        reject(child, member, kHiddenMember);
      else
        visit(child, member);
    }
    hidden_names_ = around;
    const bool is_empty = found_.columns.size() + found_.unsupported.size() == num_before;
    if (is_empty && !is_base_class(id) && !place.is_hidden) reject(id, place, "record without members");
  }

  bool is_base_class(std::uint32_t id) const { return field(id).name.starts_with(":_"); }

  HiddenNames hidden_in_bases(std::uint32_t record, HiddenNames names) const {
    for (const std::uint32_t child : children_[record])
      if (!is_base_class(child)) names.insert(field(child).name);
    return names;
  }

  void visit_collection(std::uint32_t id, const Place& place) {
    if (place.depth() == kMaxDepth) return reject(id, place, kTooDeep);
    if (children_[id].size() != 1) return reject(id, place, "collection without items");
    const std::optional<Stream> index = index_stream(id, {}, place);
    if (!index) return;
    Place item = place;
    ++item.nesting;
    item.enclosures.push_back({descriptor_.columns[index->columns.front()].field, 1});
    item.levels.push_back({stream_number(*index), 1, place.is_hidden ? "" : place.name});
    item.per_entry = 0;
    visit(children_[id].front(), item);
  }

  void add_cardinality(std::uint32_t id, const Place& place) {
    const std::optional<Stream> index = index_stream(id, {}, place);
    if (!index) return;
    const bool is_wide = field(id).type_name.find("64") != std::string::npos;
    FieldColumn column = start(id, place, is_wide ? ScalarType::kUInt64 : ScalarType::kUInt32);
    column.ends = stream_number(*index);
    add(std::move(column));
  }

  void add_values(std::uint32_t id, ScalarType scalar, const Place& place) {
    Stream stream = start_stream(place, scalar);
    if (const auto problem = set_columns(id, {}, place, stream)) return reject(id, place, *problem);
    if (place.is_hidden && projected_.contains(stream.columns.front())) return;
    FieldColumn column = start(id, place, scalar);
    column.values = stream_number(std::move(stream));
    add(std::move(column));
  }

  void add_string(std::uint32_t id, const Place& place) {
    const std::optional<Stream> index = index_stream(id, {0, 2}, place);
    if (!index) return;
    if (place.is_hidden && projected_.contains(index->columns.front())) return;
    Stream characters = start_stream(place, ScalarType::kInt8);
    characters.per_entry = 0;
    if (const auto problem = set_columns(id, {1, 2}, place, characters)) return reject(id, place, *problem);
    FieldColumn column = start(id, place, ScalarType::kString);
    column.ends = stream_number(*index);
    column.values = stream_number(std::move(characters));
    add(std::move(column));
  }

  static Stream start_stream(const Place& place, ScalarType scalar) {
    Stream stream;
    stream.scalar = scalar;
    stream.element_size = size_of(scalar);
    stream.per_entry = place.per_entry;
    stream.name = place.name;
    return stream;
  }

  // The ends of a collection or string; rejects the field if it has none that can be read.
  std::optional<Stream> index_stream(std::uint32_t id, Position position, const Place& place) {
    Stream stream = start_stream(place, ScalarType::kUInt64);
    stream.is_index = true;
    if (const auto problem = set_columns(id, position, place, stream)) {
      reject(id, place, *problem);
      return std::nullopt;
    }
    return stream;
  }

  // Finds the columns of a stream by representation; returns what prevents reading them.
  std::optional<std::string> set_columns(std::uint32_t id, Position position, const Place& place,
                                         Stream& stream) const {
    std::map<std::uint16_t, std::size_t> counts;  // by representation
    for (const std::uint32_t column : columns_[id])
      if (counts[descriptor_.columns[column].representation]++ == position.number)
        stream.columns.push_back(column);
    if (stream.columns.empty()) return "no columns";
    for (const auto& [representation, count] : counts)
      if (count != position.count) return count > position.count ? "several columns" : "too few columns";
    for (const std::uint32_t column : stream.columns)
      if (auto problem = column_problem(column, place, stream)) return problem;
    return std::nullopt;
  }

  std::optional<std::string> column_problem(std::uint32_t id, const Place& place,
                                            const Stream& stream) const {
    const ColumnDescriptor& column = descriptor_.columns[id];
    if (stream.is_index != is_index_type(column.type)) return "stored as " + column_type_name(column.type);
    if (enclosures_of(column.field) != place.enclosures) return "projection of another kind of field";
    if (column.is_deferred && !column.is_suppressed_deferred) {
      if (stream.per_entry == 0) return "deferred column inside a list";
      if (stream.per_entry > kMaxDeferredBytes / stream.element_size)
        return "deferred column of more than " + std::to_string(kMaxDeferredBytes) + " bytes an entry";
    }
    try {
      if (is_floating(element_type({column.type, column.bits_on_storage})) && !is_floating(stream.scalar))
        return "integers stored as " + column_type_name(column.type);
    } catch (const FormatError&) {
      return "stored as " + column_type_name(column.type);
    }
    return std::nullopt;
  }

  // What a physical field lies in, from the outside in; nothing if that is a variant or a streamed object.
  std::optional<std::vector<Enclosure>> enclosures_of(std::uint32_t id) const {
    std::vector<Enclosure> found;
    const auto add_array = [&](std::uint32_t of) {
      if (field(of).repetition) found.push_back({std::nullopt, *field(of).repetition});
    };
    for (add_array(id); !descriptor_.is_top_level(id); add_array(id)) {
      id = field(id).parent;
      const FieldRole role = field(id).role;
      if (role == FieldRole::kVariant || role == FieldRole::kStreamer) return std::nullopt;
      if (role == FieldRole::kCollection) found.push_back({id, 1});
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  static FieldColumn start(std::uint32_t id, const Place& place, ScalarType scalar) {
    FieldColumn column;
    column.field = id;
    column.name = place.name;
    column.type = {scalar, place.depth()};
    column.levels = place.levels;
    column.field_type = place.field_type;
    column.description = place.description;
    return column;
  }

  void add(FieldColumn column) {
    if (!names_.insert(column.name).second)
      found_.unsupported.push_back(
          {column.name, column.field_type, "another field has this name", column.field, true});
    else
      found_.columns.push_back(std::move(column));
  }

  std::size_t stream_number(Stream stream) { return io::stream_number(found_, std::move(stream)); }

  const RNTupleDescriptor& descriptor_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::vector<std::uint32_t>> columns_;  // by field, of projections those they project
  std::unordered_set<std::uint32_t> projected_;
  std::unordered_set<std::string> names_;
  HiddenNames hidden_names_;  // where a base class is visited
  FieldColumns found_;
};

// A description may say anything: what is there is there.
void add_left_out(std::vector<UnsupportedField> left_out, FieldColumns& found) {
  std::set<std::string> names;
  for (const FieldColumn& column : found.columns) names.insert(column.name);
  for (const UnsupportedField& field : found.unsupported) names.insert(field.name);
  for (UnsupportedField& each : left_out)
    if (names.insert(each.name).second) found.unsupported.push_back(std::move(each));
}

}  // namespace

std::optional<ScalarType> scalar_of(std::string_view type_name) {
  constexpr std::pair<std::string_view, ScalarType> kOtherNames[] = {{"char", ScalarType::kInt8},
                                                                     {"std::byte", ScalarType::kUInt8}};
  for (std::uint8_t i = 0; is_number(static_cast<ScalarType>(i)); ++i)
    if (name_of(static_cast<ScalarType>(i)) == type_name) return static_cast<ScalarType>(i);
  for (const auto& [name, scalar] : kOtherNames)
    if (name == type_name) return scalar;
  return std::nullopt;
}

std::vector<std::size_t> FieldColumn::streams() const {
  std::vector<std::size_t> numbers;
  for (const ListLevel& level : levels)
    if (level.index) numbers.push_back(*level.index);
  if (ends) numbers.push_back(*ends);
  if (values) numbers.push_back(*values);
  return numbers;
}

std::size_t stream_number(FieldColumns& fields, Stream stream) {
  const std::uint32_t first_column = stream.columns.front();
  const auto [begin, end] = fields.stream_numbers.equal_range(first_column);
  for (auto candidate = begin; candidate != end; ++candidate) {
    Stream& known = fields.streams[candidate->second];
    const bool is_same = known.columns == stream.columns && known.is_raw == stream.is_raw &&
                         (stream.is_raw || known.scalar == stream.scalar);
    if (!is_same) continue;
    known.num_keepers += stream.num_keepers;
    return candidate->second;
  }
  fields.stream_numbers.emplace(first_column, fields.streams.size());
  fields.streams.push_back(std::move(stream));
  return fields.streams.size() - 1;
}

FieldColumns find_field_columns(const RNTupleDescriptor& descriptor) {
  FieldColumns found = FieldWalk(descriptor).walk();
  for (const std::string& name : descriptor.attribute_sets)
    found.unsupported.push_back(
        {"attribute set " + name, "attribute set", "attributes of ranges of entries are not supported"});
  add_left_out(columns_left_out(descriptor.description), found);
  return found;
}

}  // namespace skimline::io
