// SPDX-License-Identifier: BSD-3-Clause
#include "plan/collections.h"

#include "config/samples/alias_reader.h"
#include "plan/column_patterns.h"

#include "skimline/framework/column_name.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace skimline::skims {
namespace {

struct Membership {
  std::string collection, member;
  bool is_certain = false;
};

bool is_number_per_event(Type type) { return !type.is_jagged() && is_integer(type.scalar); }

// What counts a collection is its name behind this.
constexpr char kCountPrefix = 'n';

bool has_count(const Schema& columns, const std::string& collection) {
  const auto column = columns.find(kCountPrefix + collection);
  return column && is_number_per_event(columns[*column].type);
}

// "Muon" for a number "nMuon".
std::string counted_by(const ColumnInfo& column) {
  const bool is_count = column.name.size() > 1 && column.name.front() == kCountPrefix;
  return is_count && is_number_per_event(column.type) ? column.name.substr(1) : "";
}

std::optional<Membership> member_of_store(const std::string& name) {
  for (const std::string_view store : {"AuxDyn", "Aux"}) {
    const std::size_t at = name.find(store), end = at + store.size();
    if (at == std::string::npos || at == 0 || end + 1 >= name.size()) continue;
    if (name[end] == ':' || name[end] == '.')
      return Membership{name.substr(0, at), name.substr(end + 1), true};
  }
  return std::nullopt;
}

std::optional<Membership> counted_member(const std::string& name, const Schema& columns) {
  for (std::size_t at = name.rfind('_'); at != std::string::npos && at > 0; at = name.rfind('_', at - 1))
    if (at + 1 < name.size() && has_count(columns, name.substr(0, at)))
      return Membership{name.substr(0, at), name.substr(at + 1), true};
  return std::nullopt;
}

std::optional<Membership> member_of_record(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) return std::nullopt;
  return Membership{name.substr(0, dot), name.substr(dot + 1), false};
}

// Collections in the order in which they are met.
class CollectionList {
 public:
  CollectionList(const Schema& columns, const MemberRules& rules)
      : columns_(columns), configured_(rules.collections) {
    for (const Definition& alias : rules.aliases) add_rule(alias);
  }

  void add(const std::string& name, const Type& type) {
    if (!type.is_jagged()) return;
    if (add_configured(name)) return;
    std::optional<Membership> found = member_of_store(name);
    if (!found) found = counted_member(name, columns_);
    if (!found) found = member_of_record(name);
    if (found) add(*found, name);
  }

  // What the names do not say.
  void add(const io::Collection& counted) {
    for (const std::string& column : counted.columns)
      if (known_.insert(column).second && column.size() > counted.name.size() + 1)
        append({counted.name, column.substr(counted.name.size() + 1)}, column);
  }

  bool has(const std::string& collection) const { return places_.contains(collection); }
  std::vector<MemberColumns> take() { return std::move(list_); }

 private:
  // "Muon_*": its names are the members of "Muon".
  void add_rule(const Definition& alias) {
    const std::string& name = alias.name.value;
    if (name.size() > 2 && (name.ends_with("_*") || name.ends_with(".*")))
      configured_.push_back({{name.substr(0, name.size() - 2), alias.name.location}, alias.name});
  }

  bool add_configured(const std::string& name) {
    for (const Definition& rule : configured_)
      if (const auto member = target_of(name, {rule.expression, {"*", {}}})) {
        add({rule.name.value, *member, true}, name);
        return true;
      }
    return false;
  }

  void add(const Membership& membership, const std::string& column) {
    known_.insert(column);
    append(membership, column);
  }

  void append(const Membership& membership, const std::string& column) {
    const auto [place, is_new] = places_.try_emplace(membership.collection, list_.size());
    if (is_new) list_.push_back({membership.collection, membership.is_certain, {}});
    list_[place->second].columns.emplace_back(membership.member, column);
  }

  const Schema& columns_;
  std::vector<Definition> configured_;
  std::map<std::string, std::size_t> places_;
  std::unordered_set<std::string> known_;
  std::vector<MemberColumns> list_;
};

// A member is called as another column is: that would be taken in its place.
void check_name(const Definition& rule, const std::vector<MemberColumns>& collections, const Schema& columns,
                Diagnostics& diagnostics) {
  for (const MemberColumns& each : collections)
    for (const auto& [member, column] : each.columns) {
      if (each.name != rule.name.value) break;
      const std::string name = each.name + "." + member;
      const std::optional<std::size_t> taken = columns.find(name);
      if (!taken || taken == columns.find(column) || with_underscores(column) == with_underscores(name))
        continue;
      return diagnostics.add(rule.name.location, "\"" + each.name + "\" cannot name this collection: \"" +
                                                     name + "\" is the column \"" + columns[*taken].name +
                                                     "\", and would be \"" + column + "\"");
    }
}

auto find_named(std::vector<io::Collection>& collections, const std::string& name) {
  return std::find_if(collections.begin(), collections.end(),
                      [&](const io::Collection& each) { return each.name == name; });
}

// A list of its own is no collection.
std::vector<io::Collection> collections_by_type(const io::InputSource& source) {
  std::vector<io::Collection> collections;
  for (const io::Collection& each : source.lists_of_equal_sizes())
    if (each.name != each.columns.front() && find_named(collections, each.name) == collections.end())
      collections.push_back(each);
  return collections;
}

// Records beside a number that nothing but its name connects with them are counted by it, too.
void add_counted(const Schema& schema, std::vector<io::Collection>& collections) {
  for (const ColumnInfo& column : schema.columns()) {
    const std::string name = counted_by(column);
    if (name.empty()) continue;
    if (const auto known = find_named(collections, name); known != collections.end()) {
      if (known->count.empty()) known->count = column.name;
      continue;
    }
    const auto is_list_of_it = [&](const ColumnInfo& each) {
      return each.type.is_jagged() && begins_as(each.name, name);
    };
    if (std::any_of(schema.columns().begin(), schema.columns().end(), is_list_of_it))
      collections.push_back({name, column.name, column.description, {}});
  }
}

}  // namespace

bool begins_as(const std::string& column, const std::string& collection) {
  const std::string name = with_underscores(column);
  return name.size() > collection.size() + 1 && name.starts_with(with_underscores(collection)) &&
         name[collection.size()] == '_';
}

const io::Collection* longest_with_prefix_of(const std::string& column,
                                             const std::vector<io::Collection>& collections) {
  const io::Collection* found = nullptr;
  for (const io::Collection& each : collections)
    if (begins_as(column, each.name) && (!found || each.name.size() > found->name.size())) found = &each;
  return found;
}

std::vector<io::Collection> stored_collections(const io::InputSource& source) {
  std::vector<io::Collection> collections = collections_by_type(source);
  add_counted(source.schema(), collections);
  std::unordered_set<std::string> members;
  for (const io::Collection& each : collections)
    for (const std::string& column : each.columns) members.insert(with_underscores(column));
  for (const ColumnInfo& column : source.schema().columns()) {
    if (!column.type.is_jagged() || !members.insert(with_underscores(column.name)).second) continue;
    if (const io::Collection* found = longest_with_prefix_of(column.name, collections))
      collections[static_cast<std::size_t>(found - collections.data())].columns.push_back(column.name);
  }
  std::erase_if(collections, [](const io::Collection& each) { return each.columns.empty(); });
  return collections;
}

std::vector<MemberColumns> find_collections(const Schema& columns, const std::vector<io::Collection>& counted,
                                            const MemberRules& rules, Diagnostics& diagnostics) {
  CollectionList list(columns, rules);
  for (const ColumnInfo& column : columns.columns()) list.add(column.name, column.type);
  for (const Schema::Alias& alias : columns.aliases()) list.add(alias.name, columns[alias.column].type);
  for (const io::Collection& each : counted) list.add(each);
  for (const Definition& rule : rules.collections)
    if (!list.has(rule.name.value))
      diagnostics.add_if_everywhere(rule.expression.location,
                                    "no list of the input matches \"" + rule.expression.value + "\"");
  std::vector<MemberColumns> collections = list.take();
  for (const Definition& rule : rules.collections) check_name(rule, collections, columns, diagnostics);
  return collections;
}

ObjectDefinition definition_of(const ObjectConfig& objects) {
  const auto text = [](const std::optional<Text>& given) { return given ? given->value : std::string(); };
  ObjectDefinition definition{objects.name.value, objects.from.value, text(objects.where),
                              text(objects.sort)};
  for (const Text& field : objects.fields) definition.fields.push_back(field.value);
  return definition;
}

}  // namespace skimline::skims
