// SPDX-License-Identifier: BSD-3-Clause
#include "inputs/chain_source.h"

#include "skimline/framework/schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace skimline::io {
namespace {

std::optional<Type> type_of_both(Type a, Type b) {
  const std::optional<ScalarType> scalar = common_type(a.scalar, b.scalar);
  if (a.depth != b.depth || !scalar) return std::nullopt;
  return Type{*scalar, a.depth};
}

// Reads one slice of a part, under the numbers of the chain.
class ChainSliceReader : public SliceReader {
 public:
  ChainSliceReader(std::unique_ptr<SliceReader> reader, const Schema& schema,
                   const std::vector<ChainColumn>& map, const std::map<std::size_t, ColumnDefault>& defaults)
      : reader_(std::move(reader)), schema_(schema), map_(map), defaults_(defaults) {}

  void load(std::span<const std::size_t> columns) override { reader_->load(in_part(columns)); }
  void prepare(std::span<const std::size_t> columns, EntryRange range) override {
    reader_->prepare(in_part(columns), range);
  }
  ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) override {
    const ChainColumn& from = map_[column];
    if (!from.column) return defaults_.at(column).view(range.count, scratch);
    ColumnView view = reader_->view(*from.column, range, scratch);
    if (from.is_converted) convert_values(column, view);
    return view;
  }
  std::string_view file() const override { return reader_->file(); }

 private:
  const std::vector<std::size_t>& in_part(std::span<const std::size_t> columns) {
    numbers_.clear();
    for (const std::size_t column : columns)
      if (map_[column].column) numbers_.push_back(*map_[column].column);
    return numbers_;
  }

  void convert_values(std::size_t column, ColumnView& view) {
    const Type type = schema_[column].type;
    const std::size_t count = view.num_values();
    void* values = converted_[column].reserve_bytes(count * size_of(type.scalar));
    convert(view.type.scalar, view.values, count, type.scalar, values);
    view.type = type;
    view.values = values;
  }

  std::unique_ptr<SliceReader> reader_;
  const Schema& schema_;
  const std::vector<ChainColumn>& map_;
  const std::map<std::size_t, ColumnDefault>& defaults_;
  std::vector<std::size_t> numbers_;
  std::map<std::size_t, Buffer> converted_;  // by column
};

// A collection of the first part whose lists have sizes of their own in another part has several groups. One
// list by itself is called as it is.
void name_separate_lists(std::vector<Collection>& lists) {
  std::map<std::string, std::size_t> num_groups;
  for (const Collection& each : lists) ++num_groups[each.name];
  for (Collection& each : lists)
    if (num_groups[each.name] > 1 && each.count.empty() && each.columns.size() == 1)
      each.name = each.columns.front();
}

// The lists of a part that have equal sizes, by what they are called.
class CountedLists {
 public:
  struct Place {
    std::size_t list;
    bool is_count;
  };

  CountedLists(const InputSource& part, const SpelledNames& names)
      : names_(names), lists_(part.lists_of_equal_sizes()) {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      if (!lists_[i].count.empty()) places_.emplace(names_.known(lists_[i].count), Place{i, true});
      for (const std::string& column : lists_[i].columns)
        places_.emplace(names_.known(column), Place{i, false});
    }
  }

  const std::vector<Collection>& lists() const { return lists_; }

  std::optional<Place> place_of(const std::string& name) const {
    const auto found = places_.find(names_.known(name));
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  // Columns that have other sizes than the count says, or else than the first of them.
  void leave_out_others(Collection& collection) const {
    std::optional<Place> own = place_of(collection.count);
    for (auto column = collection.columns.begin(); !own && column != collection.columns.end(); ++column)
      own = place_of(*column);
    std::erase_if(collection.columns, [&](const std::string& column) {
      const std::optional<Place> place = place_of(column);
      return place && place->list != own->list;
    });
  }

 private:
  const SpelledNames& names_;
  std::vector<Collection> lists_;
  std::unordered_map<std::string, Place> places_;
};

// What programs write that had nothing to fill in.
bool is_void(const InputSource& part) {
  return part.num_entries() == 0 && part.schema().columns().empty() && part.unsupported_fields().empty();
}

// Friends whose values no default may stand for. Where there are no entries, none are missing.
std::vector<TreeFriend> unread_friends(const InputSource& part) {
  return part.num_entries() == 0 ? std::vector<TreeFriend>() : part.unused_friends();
}

bool may_have(const TreeFriend& other, const std::string& column) {
  return with_underscores(column).starts_with(with_underscores(other.alias + "."));
}

std::string problem_of(const TreeFriend& other, const std::string& path) {
  return "in " + path + ": the friend \"" + other.alias +
         "\", which the tree names, cannot be used: " + other.problem;
}

}  // namespace

ChainSource::ChainSource(std::vector<std::unique_ptr<InputSource>> parts, const InputOptions& options)
    : parts_(std::move(parts)) {
  for (const std::unique_ptr<InputSource>& part : parts_) {
    files_.insert(files_.end(), part->files().begin(), part->files().end());
    first_entries_.push_back(num_entries_);
    num_entries_ += part->num_entries();
  }
  find_kinds();
  find_columns(options);
  add_collections();
  find_slices();
}

void ChainSource::find_kinds() {
  std::map<const void*, std::size_t> known;
  for (const std::unique_ptr<InputSource>& part : parts_) {
    const auto [found, is_new] = known.emplace(part->identity_of_columns(), kinds_.size());
    if (is_new) {
      kinds_.push_back({*part, true});
      names_.add(*part);
    }
    kinds_[found->second].is_void &= is_void(*part);
    ++kinds_[found->second].num_parts;
    kind_of_.push_back(found->second);
  }
}

std::size_t ChainSource::num_kinds_with_columns() const {
  return static_cast<std::size_t>(
      std::count_if(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return !kind.is_void; }));
}

void ChainSource::find_columns(const InputOptions& options) {
  OfferedColumnsBuilder builder(options, parts_.size());
  for (const std::unique_ptr<InputSource>& part : parts_)
    for (const std::string& difference : part->differences()) builder.note(difference);
  std::set<std::string> known;
  for (const Kind& kind : kinds_)
    for (const ColumnInfo& column : kind.first.schema().columns())
      if (known.insert(names_.known(column.name)).second) add(gather(column.name), builder);
  for (const Kind& kind : kinds_)
    for (const UnsupportedField& field : kind.first.unsupported_fields())
      if (known.insert(names_.known(field.name)).second)
        builder.reject({field.name, field.type_name, field.reason});
  for (const Kind& kind : kinds_)
    for (const TreeFriend& other : unread_friends(kind.first))
      for (const auto& [name, value] : options.defaults)
        if (!has_wildcards(name) && may_have(other, name) && known.insert(names_.known(name)).second)
          builder.reject({name, "", problem_of(other, kind.first.files().front().path)});
  offered_ = builder.finish();
  for (Kind& kind : kinds_) kind.map.resize(offered_.schema.size());
}

ChainSource::Gathered ChainSource::gather(const std::string& name) const {
  Gathered gathered;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const InputSource& source = kinds_[kind].first;
    gathered.columns.push_back(names_.find(source.schema(), name));
    if (!gathered.columns.back()) {
      if (!kinds_[kind].is_void) gathered.without.push_back(kind);
    } else if (gathered.info.name.empty()) {
      gathered.info = source.schema()[*gathered.columns.back()];
      gathered.type_name = source.field_type_names()[*gathered.columns.back()];
    } else {
      const ColumnInfo& other = source.schema()[*gathered.columns.back()];
      ColumnInfo& info = gathered.info;
      note_description(other.description, info.description, info.other_descriptions);
      for (const std::string& each : other.other_descriptions)
        note_description(each, info.description, info.other_descriptions);
    }
  }
  unite_types(gathered);
  return gathered;
}

// Reals first, as integers of two types may need one that no real holds: the order of the files must not
// matter.
void ChainSource::unite_types(Gathered& column) const {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    if (column.columns[kind]) kinds.push_back(kind);
  const auto type_in = [&](std::size_t kind) {
    return kinds_[kind].first.schema()[*column.columns[kind]].type;
  };
  std::stable_partition(kinds.begin(), kinds.end(),
                        [&](std::size_t kind) { return is_floating(type_in(kind).scalar); });
  std::optional<Type> united = type_in(kinds.front());
  for (const std::size_t kind : kinds) {
    united = type_of_both(*united, type_in(kind));
    if (united) continue;
    const auto other = *std::find_if(kinds.begin(), kinds.end(), [&](std::size_t each) {
      return !type_of_both(type_in(each), type_in(kind));
    });
    const auto [first, second] = std::minmax(other, kind);
    column.problem = "it is " + name_of(type_in(first)) + " in " + path_of(first) + " and " +
                     name_of(type_in(second)) + " in " + path_of(second);
    return;
  }
  column.info.type = *united;
}

// Values that are there but cannot be read are not missing.
std::string ChainSource::problem_of_missing(const Gathered& column) const {
  for (const std::size_t kind : column.without)
    for (const UnsupportedField& field : kinds_[kind].first.unsupported_fields())
      if (names_.known(field.name) == names_.known(column.info.name))
        return "in " + path_of(kind) + ": " + field.reason;
      else if (column.info.name.starts_with(field.name + "."))
        return "in " + path_of(kind) + ": \"" + field.name + "\": " + field.reason;
  for (const std::size_t kind : column.without)
    for (const TreeFriend& other : unread_friends(kinds_[kind].first))
      if (column.info.name.starts_with(other.alias + ".")) return problem_of(other, path_of(kind));
  return {};
}

FoundColumn ChainSource::found(const Gathered& column) const {
  std::size_t first = 0;
  while (!column.columns[first]) ++first;
  FoundColumn found{column.info, column.type_name, path_of(first)};
  for (const std::size_t kind : column.without) found.num_without += kinds_[kind].num_parts;
  if (!column.without.empty()) found.path_without = path_of(column.without.front());
  found.problem = column.problem.empty() ? problem_of_missing(column) : column.problem;
  return found;
}

void ChainSource::add(const Gathered& column, OfferedColumnsBuilder& builder) {
  if (!builder.add(found(column))) return;
  if (std::string difference = type_difference(column); !difference.empty())
    builder.note(std::move(difference));
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const auto number = column.columns[kind];
    const bool is_converted = number && kinds_[kind].first.schema()[*number].type != column.info.type;
    kinds_[kind].map.push_back({number, is_converted});
  }
}

// What is said of a column that has several types.
std::string ChainSource::type_difference(const Gathered& column) const {
  std::set<std::string> types;
  std::string found;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (!column.columns[kind]) continue;
    const std::string type = name_of(kinds_[kind].first.schema()[*column.columns[kind]].type);
    if (types.insert(type).second) found += (found.empty() ? "" : ", ") + type + " in " + path_of(kind);
  }
  if (types.size() <= 1) return {};
  return "column \"" + column.info.name + "\" is " + found + ": it is read as " + name_of(column.info.type);
}

// Takes out of a collection what one part lacks while it has other columns of it: sizes of defaults are
// others.
void ChainSource::leave_out_missing(const Kind& kind, Collection& collection) const {
  const auto is_missing = [&](const std::string& name) {
    return !kind.map[*offered_.schema.find(name)].column;
  };
  const auto num_missing = std::count_if(collection.columns.begin(), collection.columns.end(), is_missing);
  const bool has_none = static_cast<std::size_t>(num_missing) == collection.columns.size() &&
                        (collection.count.empty() || is_missing(collection.count));
  if (kind.is_void || has_none) return;
  std::erase_if(collection.columns, is_missing);
  if (!collection.count.empty() && is_missing(collection.count)) collection.count.clear();
}

// Those that some part counts otherwise have sizes of their own.
void ChainSource::add_collections() {
  std::vector<CountedLists> counted;
  for (const Kind& kind : kinds_) counted.emplace_back(kind.first, names_);
  std::set<std::string> known;
  for (const Kind& kind : kinds_)
    for (Collection collection : kind.first.collections()) {
      if (!known.insert(collection.name).second) continue;
      std::erase_if(collection.columns,
                    [this](const std::string& name) { return !offered_.schema.find(name); });
      if (!offered_.schema.find(collection.count)) collection.count.clear();
      for (const CountedLists& each : counted) each.leave_out_others(collection);
      for (const Kind& each : kinds_) leave_out_missing(each, collection);
      if (!collection.columns.empty()) collections_.push_back(std::move(collection));
    }
}

std::vector<std::string> ChainSource::columns_with_gaps() const { return names_of_defaults(offered_); }

std::vector<Collection> ChainSource::lists_of_equal_sizes() const {
  std::vector<std::vector<CountedLists::Place>> places(offered_.schema.size());  // by column, in each kind
  std::vector<Collection> first;
  const std::size_t num_kinds = num_kinds_with_columns();
  for (const Kind& kind : kinds_) {
    if (kind.is_void) continue;
    const CountedLists counted(kind.first, names_);
    for (std::size_t column = 0; column < offered_.schema.size(); ++column) {
      const std::optional<std::size_t> number = kind.map[column].column;
      if (!number) continue;
      if (const auto place = counted.place_of(kind.first.schema()[*number].name))
        places[column].push_back(*place);
    }
    if (first.empty()) first = counted.lists();
  }
  std::map<std::vector<std::size_t>, Collection> collections;
  for (std::size_t column = 0; column < offered_.schema.size(); ++column) {
    if (places[column].size() != num_kinds) continue;
    std::vector<std::size_t> numbers;
    std::size_t num_counts = 0;
    for (const CountedLists::Place& place : places[column]) {
      numbers.push_back(place.list);
      if (place.is_count) ++num_counts;
    }
    if (num_counts != 0 && num_counts != num_kinds) continue;
    Collection& collection = collections[numbers];
    const Collection& model = first[numbers.front()];
    collection.name = model.name;
    collection.description = model.description;
    if (num_counts != 0)
      collection.count = offered_.schema[column].name;
    else
      collection.columns.push_back(offered_.schema[column].name);
  }
  std::vector<Collection> found;
  for (auto& [numbers, collection] : collections)
    if (!collection.columns.empty()) found.push_back(std::move(collection));
  name_separate_lists(found);
  return found;
}

std::vector<std::vector<std::string>> ChainSource::names_of_one_field() const {
  std::vector<std::vector<std::size_t>> fields(
      offered_.schema.size());  // by column, in each kind that has several
  for (const Kind& kind : kinds_) {
    std::map<std::string, std::size_t> field_of;
    const std::vector<std::vector<std::string>> several = kind.first.names_of_one_field();
    for (std::size_t field = 0; field < several.size(); ++field)
      for (const std::string& name : several[field]) field_of[name] = field;
    for (std::size_t column = 0; column < fields.size(); ++column) {
      const std::optional<std::size_t> number = kind.map[column].column;
      if (!number) continue;
      const auto found = field_of.find(kind.first.schema()[*number].name);
      // A column with one name may be offered under several, which other parts have.
      fields[column].push_back(found != field_of.end() ? found->second : several.size() + *number);
    }
  }
  std::map<std::vector<std::size_t>, std::vector<std::string>> names;
  for (std::size_t column = 0; column < fields.size(); ++column)
    if (fields[column].size() == num_kinds_with_columns())
      names[fields[column]].push_back(offered_.schema[column].name);
  std::vector<std::vector<std::string>> several;
  for (auto& [field, all] : names)
    if (all.size() > 1) several.push_back(std::move(all));
  return several;
}

std::vector<InputFacts> ChainSource::friend_files() const {
  std::vector<InputFacts> all;
  for (const std::unique_ptr<InputSource>& part : parts_)
    for (InputFacts& file : part->friend_files()) all.push_back(std::move(file));
  return all;
}

std::vector<TreeFriend> ChainSource::unused_friends() const {
  std::vector<TreeFriend> all;
  for (const std::unique_ptr<InputSource>& part : parts_)
    for (TreeFriend& each : part->unused_friends()) all.push_back(std::move(each));
  return all;
}

// Where files differ, the name has no meaning.
std::vector<TreeAlias> ChainSource::aliases() const {
  std::optional<std::vector<TreeAlias>> common;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (kinds_[kind_of_[part]].is_void) continue;
    const std::vector<TreeAlias> here = parts_[part]->aliases();
    if (!common) common = here;
    for (TreeAlias& alias : *common) {
      const auto found = std::find_if(here.begin(), here.end(),
                                      [&](const TreeAlias& each) { return each.name == alias.name; });
      if (found == here.end() || found->expression != alias.expression)
        alias.problem = "it is not the same in " + parts_[part]->files().front().path;
    }
  }
  return common.value_or(std::vector<TreeAlias>());
}

const std::string& ChainSource::name_in(std::size_t part, std::size_t column) const {
  return parts_[part]->schema()[*map_of(part)[column].column].name;
}

void ChainSource::find_slices() {
  slices_.clear();
  places_.clear();
  clusters_.clear();
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::size_t before = clusters_.empty() ? 0 : clusters_.back() + 1;
    for (std::size_t slice = 0; slice < parts_[part]->slices().size(); ++slice) {
      const EntryRange entries = parts_[part]->slices()[slice];
      slices_.push_back({first_entries_[part] + entries.first, entries.count});
      places_.push_back({part, slice});
      clusters_.push_back(before + parts_[part]->cluster_of(slice));
    }
  }
}

void ChainSource::fetch_ahead() {
  for (const std::unique_ptr<InputSource>& part : parts_) part->fetch_ahead();
}

// Parts before that of the first slice are not read any more.
void ChainSource::read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
  if (first_slice >= places_.size()) return;
  const SlicePlace first = places_[first_slice];
  for (std::size_t part = first.part; part < parts_.size(); ++part) {
    std::vector<std::size_t> in_part;
    for (const std::size_t column : columns)
      if (const auto number = map_of(part)[column].column) in_part.push_back(*number);
    parts_[part]->read_ahead(in_part, part == first.part ? first.slice : 0);
  }
}

std::unique_ptr<SliceReader> ChainSource::open_slice(std::size_t slice) {
  const SlicePlace place = places_.at(slice);
  InputSource& part = *parts_[place.part];
  return std::make_unique<ChainSliceReader>(part.open_slice(place.slice), offered_.schema, map_of(place.part),
                                            offered_.defaults);
}

std::uint64_t ChainSource::stored_bytes(std::size_t column) const {
  std::uint64_t bytes = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (const auto number = map_of(part).at(column).column) bytes += parts_[part]->stored_bytes(*number);
  return bytes;
}

FieldSize ChainSource::field_size(const std::string& name) const {
  FieldSize size;
  const std::optional<std::size_t> column = offered_.schema.find(name);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (column && !map_of(part)[*column].column) continue;
    size += parts_[part]->field_size(column ? name_in(part, *column) : name);
  }
  return size;
}

ReadStatistics ChainSource::statistics() const {
  ReadStatistics sum;
  for (const std::unique_ptr<InputSource>& part : parts_) sum += part->statistics();
  return sum;
}

void ChainSource::check_unchanged() const {
  for (const std::unique_ptr<InputSource>& part : parts_) part->check_unchanged();
}

void ChainSource::restrict_to(EntryRange entries) {
  num_entries_ = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::uint64_t begin = first_entries_[part], count = files_[part].num_entries;
    const std::uint64_t first = std::clamp(entries.first, begin, begin + count);
    const std::uint64_t left =
        entries.count - std::min(entries.count, first - std::min(first, entries.first));
    const std::uint64_t end = first + std::min(left, begin + count - first);
    parts_[part]->restrict_to({first - begin, end - first});
    num_entries_ += end - first;
  }
  find_slices();
}

Carrying ChainSource::carry(const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const std::optional<std::size_t> column = offered_.schema.find(name);
    if (!column) throw SchemaError("there is no column \"" + name + "\"");
    columns.push_back(*column);
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    // Fields of RNTuples are not carried beside others: that only takes what is read of them.
    if (parts_[part]->files().front().format != DataFormat::kTTree) continue;
    std::vector<std::string> here;
    for (const std::size_t column : columns)
      if (map_of(part)[column].column) here.push_back(name_in(part, column));
    parts_[part]->carry(here);
  }
  find_slices();
  return {nullptr, names};
}

void ChainSource::expect(const ExpectedReading& reading) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    ExpectedReading here{{}, reading.kept_bytes_per_entry};
    for (const std::size_t column : reading.columns)
      if (const auto number = map_of(part).at(column).column) here.columns.push_back(*number);
    parts_[part]->expect(here);
  }
  find_slices();
}

}  // namespace skimline::io
