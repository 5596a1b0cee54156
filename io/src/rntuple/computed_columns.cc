// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/computed_columns.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <string_view>

namespace skimline::io {
namespace {

void append_ends(GatheredLevel& level, const std::uint32_t* offsets, std::size_t count) {
  CollectionEnds& ends = *level.ends;
  const std::size_t before = ends.size();
  ends.resize(before + count);
  for (std::size_t i = 0; i < count; ++i) ends[before + i] = level.count + offsets[i + 1];
  level.count += offsets[count];
}

void append_values(const ColumnView& column, ElementBytes& elements) {
  const std::byte* values = column.data<std::byte>();
  elements.insert(elements.end(), values, values + column.num_values() * size_of(column.type.scalar));
}

void append_strings(const ColumnView& column, GatheredLevel& level, ElementBytes& characters) {
  for (const std::string_view text : std::span(column.data<std::string_view>(), column.num_values())) {
    const auto bytes = std::as_bytes(std::span(text));
    characters.insert(characters.end(), bytes.begin(), bytes.end());
    level.ends->push_back(level.count += text.size());
  }
}

// What a member is called inside its collection.
std::string member_name(const Collection& collection, const std::string& column) {
  return column.substr(collection.name.size() + 1);
}

// Whether the columns of a collection can be its members, and its own name is free.
bool can_be_collection(const Collection& collection, const Schema& columns) {
  const auto is_member = [&](const std::string& name) {
    const auto column = columns.find(name);
    return column && columns[*column].type.is_jagged() && name.size() > collection.name.size() + 1 &&
           name.starts_with(collection.name) && is_legal_name(member_name(collection, name));
  };
  return !columns.find(collection.name) && is_legal_name(collection.name) &&
         std::all_of(collection.columns.begin(), collection.columns.end(), is_member);
}

// What of a collection is written.
Collection written_part(Collection collection, const Schema& columns) {
  std::erase_if(collection.columns, [&](const std::string& name) { return !columns.find(name); });
  const auto count = collection.count.empty() ? std::nullopt : columns.find(collection.count);
  if (!count || columns[*count].type.is_jagged() || !is_integer(columns[*count].type.scalar))
    collection.count.clear();
  return collection;
}

template <typename T>
bool are_sizes(const T* counts, const std::uint32_t* offsets, std::size_t length) {
  bool is_equal = true;
  for (std::size_t i = 0; i < length; ++i)
    is_equal &= static_cast<std::uint64_t>(counts[i]) == offsets[i + 1] - offsets[i];
  return is_equal;
}

}  // namespace

ComputedColumns::ComputedColumns(const Schema& columns, const std::vector<Collection>& collections,
                                 bool is_compressed, OutputSchema& schema)
    : is_compressed_(is_compressed), columns_(columns.size()) {
  std::vector<Collection> written;
  std::vector<bool> is_member(columns.size());
  for (const Collection& collection : collections) {
    Collection part = written_part(collection, columns);
    if (part.columns.empty() || !can_be_collection(part, columns)) continue;
    for (const std::string& name : part.columns) is_member[*columns.find(name)] = true;
    if (!part.count.empty()) is_member[*columns.find(part.count)] = true;
    written.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns_[i].name = columns[i].name;
    if (is_member[i]) continue;
    const std::size_t first = schema.columns().size();
    schema.add(columns[i], is_compressed);
    find_places(first, schema, columns_[i]);
  }
  for (const Collection& collection : written) add_collection(columns, collection, schema);
  for (const Collection& collection : written) add_projections(columns, collection, schema);
}

// The physical columns of one column follow each other: ends from the outermost lists on, then values.
void ComputedColumns::find_places(std::size_t first_column, const OutputSchema& schema,
                                  Column& column) const {
  std::vector<std::size_t> levels;
  for (std::size_t i = first_column; i < schema.columns().size(); ++i)
    if (schema.columns()[i].kind == ColumnKind::kEnds) levels.push_back(schema.columns()[i].inner_level);
  column.values = schema.columns().size() - 1;
  if (column.with) levels.insert(levels.begin(), columns_[*column.with].lists[0]);
  std::copy_n(levels.begin(), std::min(levels.size(), column.lists.size()), column.lists.begin());
  const std::size_t own = schema.columns()[column.values].level;
  column.characters = own;  // of numbers it is not used
}

void ComputedColumns::add_collection(const Schema& columns, const Collection& collection,
                                     OutputSchema& schema) {
  const std::uint32_t list = schema.next_field();
  FieldDescriptor field;
  field.parent = list;
  field.name = collection.name;
  field.description = collection.description;
  field.role = FieldRole::kCollection;
  schema.add_field(field, {default_index_encoding(is_compressed_)});
  const std::size_t lists = schema.columns().back().inner_level;
  FieldDescriptor item;
  item.parent = list;
  item.name = "_0";
  item.role = FieldRole::kRecord;
  const std::uint32_t record = schema.next_field();
  schema.add_field(item, {});
  std::optional<std::size_t> first;
  for (const std::string& name : collection.columns) {
    const std::size_t number = *columns.find(name);
    ColumnInfo member = columns[number];
    member.name = member_name(collection, name);
    --member.type.depth;
    const std::size_t first_column = schema.columns().size();
    schema.add(member, is_compressed_, record);
    if (!first) {
      first = number;
      columns_[number].lists[0] = lists;
    } else {
      columns_[number].with = first;
    }
    Column column = columns_[number];
    if (!column.with) column.with = number;
    find_places(first_column, schema, column);
    column.with = columns_[number].with;
    columns_[number] = column;
  }
  if (collection.count.empty()) return;
  Column& count = columns_[*columns.find(collection.count)];
  count.is_count = true;
  count.with = first;
}

void ComputedColumns::add_projections(const Schema& columns, const Collection& collection,
                                      OutputSchema& schema) {
  const auto list = static_cast<std::uint32_t>(std::find_if(schema.fields().begin(), schema.fields().end(),
                                                            [&](const FieldDescriptor& field) {
                                                              return field.name == collection.name &&
                                                                     field.role == FieldRole::kCollection &&
                                                                     field.type_name.empty();
                                                            }) -
                                               schema.fields().begin());
  std::uint32_t member = list + 2;
  for (const std::string& name : collection.columns) {
    const ColumnInfo& column = columns[*columns.find(name)];
    schema.add_projection(column, list, member);
    member += static_cast<std::uint32_t>(column.type.depth);
  }
  if (!collection.count.empty()) schema.add_cardinality(columns[*columns.find(collection.count)], list);
}

void ComputedColumns::check_sizes(const Column& column, const ColumnView& view,
                                  const ColumnView& first) const {
  const bool is_equal = column.is_count
                            ? visit_scalar(view.type.scalar,
                                           [&](auto tag) {
                                             return are_sizes(view.data<typename decltype(tag)::type>(),
                                                              first.offsets, view.length);
                                           })
                            : std::equal(view.offsets, view.offsets + view.length + 1, first.offsets);
  if (!is_equal)
    throw SchemaError("\"" + column.name + "\" and \"" + columns_[*column.with].name +
                      "\" belong to one collection, but have different sizes in some entries");
}

void ComputedColumns::append(std::span<const ColumnView> columns, GatheredEntries& entries) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& to = columns_[i];
    const ColumnView& column = columns[i];
    if (to.with) check_sizes(to, column, columns[*to.with]);
    if (to.is_count) continue;
    for (int level = to.with ? 1 : 0; level < column.type.depth; ++level)
      append_ends(entries.levels[to.lists[level]], column.offsets_at(level), column.num_elements(level));
    ElementBytes& elements = *entries.columns[to.values].elements;
    if (column.type.scalar == ScalarType::kString)
      append_strings(column, entries.levels[to.characters], elements);
    else
      append_values(column, elements);
  }
}

}  // namespace skimline::io
