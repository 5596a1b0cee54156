// SPDX-License-Identifier: BSD-3-Clause
#include "expression/collections.h"

#include "expression/binder.h"
#include "expression/combinations.h"
#include "expression/conversions.h"
#include "expression/given_values.h"
#include "expression/inner_names.h"
#include "expression/object_syntax.h"
#include "expression/simplification.h"
#include "expression/sized_lists.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"
#include "skimline/framework/index_names.h"
#include "skimline/framework/mentioned_names.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <utility>

namespace skimline {
namespace {

// Definitions of definitions are followed by recursion.
constexpr std::size_t kMaxDefinitions = 64;
// Combinations of combinations have the members of all.
constexpr std::size_t kMaxCombined = 3;

// The member that every collection has: where its objects are in the collection of the input.
constexpr std::string_view kIndexMember = "index_";

bool is_separator(char letter) { return letter == '.' || letter == '_'; }

// "muon1" of "muonIdx1", "genPartMother" of "genPartIdxMother"; empty for what is no index.
std::string reference_of(std::string_view member) {
  constexpr std::string_view kIndex = "Idx";
  const std::size_t at = member.rfind(kIndex);
  if (at == std::string_view::npos || at == 0) return {};
  return std::string(member.substr(0, at)) + std::string(member.substr(at + kIndex.size()));
}

bool is_same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string> mentioned_members(const ObjectDefinition& definition) {
  return definition.where.empty() ? std::vector<std::string>{} : mentioned_names(definition.where);
}

bool can_refer(Type indexes, Type values) {
  return indexes.depth == 1 && is_integer(indexes.scalar) && values.depth == 1 && is_number(values.scalar);
}

// What a member of no object is.
Constant missing_value(ScalarType scalar) {
  if (scalar == ScalarType::kFloat) return Constant::of(std::numeric_limits<float>::quiet_NaN());
  if (scalar == ScalarType::kDouble) return Constant::of(std::numeric_limits<double>::quiet_NaN());
  if (scalar == ScalarType::kBool) return Constant::of(false);
  return Constant::of(std::int32_t{0});
}

}  // namespace

// The members of a collection, then all other names.
class Collections::Scope : public InnerNames {
 public:
  Scope(Collections& collections, Entry& entry, NameTable& outer, Graph& graph)
      : InnerNames(outer), collections_(collections), entry_(entry), graph_(graph) {}

  std::optional<NodeId> find(std::string_view name) override {
    if (const auto member = collections_.member(entry_, name, outer(), graph_)) return member;
    return outer().find(name);
  }
  std::vector<std::string> candidates_for(std::string_view name) override {
    std::vector<std::string> names = collections_.members_of(entry_);
    const std::vector<std::string> others = outer().candidates_for(name);
    names.insert(names.end(), others.begin(), others.end());
    return names;
  }
  std::vector<std::string> matching(std::string_view pattern) const override {
    return outer().matching(pattern);
  }
  const Schema::Unusable* unusable_match(std::string_view pattern) const override {
    return outer().unusable_match(pattern);
  }
  std::optional<std::string> counted_member(std::string_view collection) const override {
    const auto own = collections_.counted_path(entry_, collection);
    return own ? own : outer().counted_member(collection);
  }

 private:
  Collections& collections_;
  Entry& entry_;
  Graph& graph_;
};

// While one lasts names mean the same.
class Collections::Request {
 public:
  explicit Request(Collections& collections) : collections_(collections) {
    if (collections_.num_requests_++ == 0) collections_.bound_.clear();
  }
  ~Request() { --collections_.num_requests_; }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

 private:
  Collections& collections_;
};

void Collections::check_new(const std::string& name) const {
  if (entries_.contains(name)) throw SchemaError("there is a collection \"" + name + "\" already");
}

void Collections::add(MemberColumns collection) {
  check_new(collection.name);
  if (collection.is_certain)
    for (const auto& [member, column] : collection.columns) certain_.emplace(column, collection.name);
  Entry entry;
  for (auto& [member, column] : collection.columns)
    if (entry.columns.emplace(member, std::move(column)).second) entry.order.push_back(std::move(member));
  names_.push_back(collection.name);
  entries_.emplace(std::move(collection.name), std::move(entry));
}

void Collections::add(const ObjectDefinition& definition) {
  check_new(definition.name);
  Entry entry;
  entry.definition = definition;
  entry.definition.from = add_source(definition);
  const Entry& from = entries_.find(entry.definition.from)->second;
  entry.depth = from.depth + 1;
  entry.num_combined = from.num_combined;
  names_.push_back(definition.name);
  entries_.emplace(definition.name, std::move(entry));
}

// Returns the name of what a definition chooses from.
std::string Collections::add_source(const ObjectDefinition& definition) {
  const auto from = entries_.find(definition.from);
  if (from == entries_.end() && definition.from.find('(') != std::string::npos) {
    std::vector<std::string> merged = merged_objects(definition.from);
    return merged.empty() ? add_combined(definition) : add_merged(definition, std::move(merged));
  }
  if (from == entries_.end())
    throw SchemaError("unknown collection \"" + definition.from + "\"" +
                      did_you_mean(definition.from, names_));
  if (!definition.fields.empty())
    throw ExpressionError(definition.from, 0, definition.from.size(),
                          "\"fields\" are the names of the members of combinations: this is a collection");
  if (from->second.depth == kMaxDefinitions)
    throw SchemaError("more than " + std::to_string(kMaxDefinitions) +
                      " collections are made of one another");
  return definition.from;
}

// All combinations, of which a definition may choose some, have a name that no expression has.
std::string Collections::add_combined(const ObjectDefinition& definition) {
  Entry entry;
  entry.combined = combined_objects(definition.from, definition.fields);
  for (const std::string& part : entry.combined.parts) add_part(part, definition.from, entry);
  ++entry.num_combined;
  return add_made(std::move(entry), definition);
}

void Collections::add_part(const std::string& part, const std::string& text, Entry& entry) const {
  const auto found = entries_.find(part);
  if (found == entries_.end())
    throw ExpressionError(text, text.find(part, text.find('(')), part.size(),
                          "unknown collection \"" + part + "\"" + did_you_mean(part, names_));
  entry.depth = std::max(entry.depth, found->second.depth + 1);
  entry.num_combined = std::max(entry.num_combined, found->second.num_combined);
}

// Returns the name of objects that are made of others.
std::string Collections::add_made(Entry entry, const ObjectDefinition& definition) {
  const auto fail = [&](const std::string& problem) {
    throw ExpressionError(definition.from, 0, definition.from.size(), problem);
  };
  if (entry.num_combined > kMaxCombined)
    fail("more than " + std::to_string(kMaxCombined) + " combinations are made of one another");
  if (entry.depth >= kMaxDefinitions)
    fail("more than " + std::to_string(kMaxDefinitions) + " collections are made of one another");
  const bool has_all = definition.where.empty() && definition.sort.empty();
  entry.text = definition.from;
  entry.owner = has_all ? definition.name : definition.from;
  return entries_.emplace(definition.name + "()", std::move(entry)).first->first;
}

bool Collections::are_defined(const std::string& name) const {
  const auto found = entries_.find(name);
  return found != entries_.end() && !found->second.definition.name.empty();
}

const Collections::Entry& Collections::columns_of(const Entry& entry) const {
  const Entry* found = &entry;
  while (!found->definition.from.empty()) found = &entries_.find(found->definition.from)->second;
  return *found;
}

// Wherever the name of a collection may end, the longest first.
std::vector<Collections::Place> Collections::places_of(std::string_view name) {
  std::vector<Place> places;
  for (std::size_t end = name.size(); end-- > 1;) {
    if (!is_separator(name[end]) || end + 1 == name.size()) continue;
    const auto found = entries_.find(name.substr(0, end));
    if (found != entries_.end()) places.push_back({&found->second, name.substr(end + 1)});
  }
  return places;
}

std::optional<Collections::Member> Collections::find(std::string_view name, NameTable& outer, Graph& graph) {
  const Request request(*this);
  for (const Place& place : places_of(name))
    if (const auto found = member(*place.entry, place.member, outer, graph))
      return Member{*found, place.entry->definition.name};
  return std::nullopt;
}

std::optional<NodeId> Collections::member(Entry& entry, std::string_view name, NameTable& outer,
                                          Graph& graph) {
  if (entry.definition.from.empty()) return member_of_all(entry, name, outer, graph);
  if (is_quantity_of_chosen(entry, name)) {
    const auto momenta = member(entry, kMomentumMember, outer, graph);
    return momenta ? std::optional(quantity_of(*momenta, name, outer, graph)) : std::nullopt;
  }
  const auto values = member(entries_.find(entry.definition.from)->second, name, outer, graph);
  if (!values) return std::nullopt;
  const std::size_t num_known = graph.size();
  const NodeId node = chosen(entry, *values, outer, graph);
  if (node != *values) owners_.emplace(node, entry.definition.name);
  if (node >= num_known) graph.name(node, entry.definition.name + "." + std::string(name));
  return node;
}

std::optional<NodeId> Collections::member_of_all(Entry& entry, std::string_view name, NameTable& outer,
                                                 Graph& graph) {
  if (!entry.text.empty()) {
    const std::size_t num_known = graph.size();
    const auto found = entry.merged.empty() ? member_of_combined(entry, name, outer, graph)
                                            : member_of_merged(entry, name, outer, graph);
    if (found) owners_.emplace(*found, entry.owner);
    if (found && *found >= num_known) graph.name(*found, entry.owner + "." + std::string(name));
    return found;
  }
  auto column = entry.columns.find(name);
  if (column == entry.columns.end()) column = entry.columns.find(with_underscores(name));
  if (column != entry.columns.end()) return outer.find(column->second);
  if (name == kIndexMember) return indexes(entry, outer, graph);
  return referred(entry, name, outer, graph);
}

// "a.pt" is what the first members have, "mass" is of all members together.
std::optional<NodeId> Collections::member_of_combined(const Entry& entry, std::string_view name,
                                                      NameTable& outer, Graph& graph) {
  const CombinedObjects& combined = entry.combined;
  for (std::size_t i = 0; i < combined.fields.size(); ++i) {
    const std::string& field = combined.fields[i];
    const bool is_of_it =
        name.starts_with(field) && name.size() > field.size() + 1 && is_separator(name[field.size()]);
    if (!is_of_it) continue;
    auto values = member_of_part(combined.parts[i], name.substr(field.size() + 1), outer, graph);
    if (!values) continue;
    const NodeId objects = *outer.find(*counted_member(combined.parts[i]));
    values = sized(*values, objects, entry.owner + "." + std::string(name), graph);
    GivenValues given({{"values", *values}, {"indexes", combined_indexes(entry, i, outer, graph)}}, outer);
    return bind_expression("Take(values, indexes)", given, graph);
  }
  if (name == kIndexMember) {
    GivenValues given({{"values", combined_indexes(entry, 0, outer, graph)}}, outer);
    return bind_expression("Enumerate(values)", given, graph);
  }
  if (name == kMomentumMember) return momenta_of_combined(entry, outer, graph);
  if (!is_combined_quantity(name)) return std::nullopt;
  const auto momenta = momenta_of_combined(entry, outer, graph);
  return momenta ? std::optional(quantity_of(*momenta, name, outer, graph)) : std::nullopt;
}

NodeId Collections::quantity_of(NodeId momenta, std::string_view quantity, NameTable& outer, Graph& graph) {
  GivenValues given({{"momenta", momenta}}, outer);
  return bind_expression(std::string(quantity) + "(momenta)", given, graph);
}

// Whether a quantity of combinations is computed for the chosen ones alone: it is there for all where the
// choice asks for it.
bool Collections::is_quantity_of_chosen(const Entry& entry, std::string_view name) const {
  if (!is_combined_quantity(name) || columns_of(entry).combined.is_empty()) return false;
  const auto asks_for_it = [&](const std::string& text) {
    const std::vector<std::string> names = text.empty() ? std::vector<std::string>{} : mentioned_names(text);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Entry* each = &entry; !each->definition.from.empty();
       each = &entries_.find(each->definition.from)->second)
    if (asks_for_it(each->definition.where) || asks_for_it(each->definition.sort)) return false;
  return true;
}

// The sums of the members' momenta, from the first on.
std::optional<NodeId> Collections::momenta_of_combined(const Entry& entry, NameTable& outer, Graph& graph) {
  std::map<std::string, NodeId, std::less<>> momenta;
  std::string sum;
  for (const std::string& field : entry.combined.fields) {
    const auto found = member_of_combined(entry, field + "." + std::string(kMomentumMember), outer, graph);
    if (!found) return std::nullopt;
    const std::string name = "p" + std::to_string(momenta.size());
    sum += (momenta.empty() ? "" : " + ") + name;
    momenta.emplace(name, *found);
  }
  GivenValues given(std::move(momenta), outer);
  const NodeId node = bind_expression(sum, given, graph);
  graph.name(node, entry.owner + ".p4()");
  return node;
}

// Momenta are made before they are combined: there are fewer of them.
std::optional<NodeId> Collections::member_of_part(const std::string& part, std::string_view name,
                                                  NameTable& outer, Graph& graph) {
  Entry& entry = entries_.find(part)->second;
  if (name != kMomentumMember || !columns_of(entry).combined.is_empty())
    return member(entry, name, outer, graph);
  if (!momentum_members(part, outer)) return std::nullopt;
  return bind_expression(in_expression(part) + ".p4()", outer, graph);
}

NodeId Collections::combined_indexes(const Entry& entry, std::size_t member, NameTable& outer, Graph& graph) {
  const CombinedObjects& combined = entry.combined;
  std::map<std::string, NodeId, std::less<>> lists;
  std::string names;
  for (std::size_t i = 0; i < (combined.is_of_one ? 1 : combined.parts.size()); ++i) {
    const std::string name = "part" + std::to_string(i);
    lists.emplace(name, *outer.find(*counted_member(combined.parts[i])));
    names += (i == 0 ? "" : ", ") + name;
  }
  NodeId node = lists.begin()->second;
  if (combined.is_of_one) {
    const auto count = static_cast<std::int64_t>(combined.parts.size());
    node = indexes_of_subsets(node, count, static_cast<std::int64_t>(member), graph);
  } else {
    GivenValues given(std::move(lists), outer);
    node = bind_expression("Combinations(" + names + ")[" + std::to_string(member) + "]", given, graph);
  }
  graph.name(node, "indexes of " + entry.owner + "." + combined.fields[member]);
  std::vector<NodeId> arguments = graph[node].inputs;
  arguments.pop_back();
  combined_.emplace(std::move(arguments), entry.owner);
  return node;
}

std::optional<NodeId> Collections::indexes(const Entry& entry, NameTable& outer, Graph& graph) {
  for (const std::string& member : entry.order) {
    const auto values = outer.find(entry.columns.find(member)->second);
    if (!values || graph[*values].type.depth != 1) continue;
    GivenValues given({{"values", *values}}, outer);
    return bind_expression("Enumerate(values)", given, graph);
  }
  return std::nullopt;
}

// "muon1.pt" of jets with "muonIdx1".
std::optional<NodeId> Collections::referred(Entry& entry, std::string_view name, NameTable& outer,
                                            Graph& graph) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const auto& [index, column] : entry.columns) {
    if (reference_of(index) != name.substr(0, dot)) continue;
    Entry* target = target_of(index, column);
    const auto values = target ? member(*target, name.substr(dot + 1), outer, graph) : std::nullopt;
    const auto indexes = outer.find(column);
    if (!values || !indexes || !can_refer(graph[*indexes].type, graph[*values].type)) continue;
    const NodeId missing = add_constant(graph, missing_value(graph[*values].type.scalar), "missing");
    GivenValues given({{"values", *values}, {"indexes", *indexes}, {"missing", missing}}, outer);
    return bind_expression("Take(values, indexes, missing)", given, graph);
  }
  return std::nullopt;
}

Collections::Entry* Collections::target_of(std::string_view index, std::string_view column) {
  if (const std::string_view unusual = unusual_target_of(column); !unusual.empty()) return called(unusual);
  Entry* target = called(index.substr(0, index.rfind("Idx")));
  return target ? target : called(abbreviated_target_of(column));
}

// Collections whose name differs in the case of letters only: "Muon" for "muon".
Collections::Entry* Collections::called(std::string_view reference) {
  for (auto& [name, entry] : entries_)
    if (entry.definition.from.empty() && is_same_word(name, reference)) return &entry;
  return nullptr;
}

NodeId Collections::bind(Entry& entry, const std::string& expression, NameTable& outer, Graph& graph) {
  const std::pair<const std::string*, const NameTable*> key(&expression, &outer);
  if (const auto known = bound_.find(key); known != bound_.end()) return known->second;
  const NodeId node = bind_new(entry, expression, outer, graph);
  bound_.emplace(key, node);
  return node;
}

NodeId Collections::bind_new(Entry& entry, const std::string& expression, NameTable& outer, Graph& graph) {
  if (std::exchange(entry.is_bound, true))
    throw ExpressionError(expression, 0, expression.size(),
                          "the objects \"" + entry.definition.name + "\" are defined by themselves");
  Scope scope(*this, entries_.find(entry.definition.from)->second, outer, graph);
  try {
    const NodeId node = bind_expression(expression, scope, graph);
    entry.is_bound = false;
    return node;
  } catch (...) {
    entry.is_bound = false;
    throw;
  }
}

NodeId Collections::bind_mask(Entry& entry, NameTable& outer, Graph& graph) {
  return bind_list(entry, entry.definition.where, "the condition must be a list with a bool for each object",
                   is_integer, outer, graph);
}

NodeId Collections::bind_keys(Entry& entry, NameTable& outer, Graph& graph) {
  return bind_list(entry, entry.definition.sort, "objects are sorted by a list with a number for each",
                   is_number, outer, graph);
}

NodeId Collections::bind_list(Entry& entry, const std::string& text, const char* what,
                              bool (*is_right)(ScalarType), NameTable& outer, Graph& graph) {
  const NodeId node = bind(entry, text, outer, graph);
  const Type type = graph[node].type;
  if (type.depth == 1 && is_right(type.scalar)) return node;
  throw ExpressionError(text, 0, text.size(), std::string(what) + ": this is " + name_of(type));
}

NodeId Collections::chosen(Entry& entry, NodeId values, NameTable& outer, Graph& graph) {
  const ObjectDefinition& definition = entry.definition;
  const bool is_sorted = !definition.sort.empty();
  std::map<std::string, NodeId, std::less<>> operands{{"values", values}};
  if (is_sorted) operands["keys"] = bind_keys(entry, outer, graph);
  if (!definition.where.empty()) {
    operands["mask"] = bind_mask(entry, outer, graph);
    GivenValues given(std::move(operands), outer);
    return bind_expression(is_sorted ? "Take(values[mask], Argsort(keys[mask]))" : "values[mask]", given,
                           graph);
  }
  if (!is_sorted) return values;
  // Take would leave out objects that have no key.
  operands["values"] = sized(values, operands["keys"], "sort of " + definition.name, graph);
  GivenValues given(std::move(operands), outer);
  return bind_expression("Take(values, Argsort(keys))", given, graph);
}

std::optional<std::string> Collections::counted_member(std::string_view collection) const {
  if (const auto found = entries_.find(collection); found != entries_.end()) {
    const auto path = counted_path(found->second, "");
    return path ? std::optional(std::string(collection) + "." + *path) : std::nullopt;
  }
  for (std::size_t end = collection.size(); end-- > 1;) {
    const auto found = collection[end] == '.' ? entries_.find(collection.substr(0, end)) : entries_.end();
    if (found == entries_.end()) continue;
    const auto path = counted_path(found->second, collection.substr(end + 1));
    if (path) return std::string(collection.substr(0, end + 1)) + *path;
  }
  return std::nullopt;
}

// A member of the objects at the end of a path of members of combinations, with the path in front; nothing if
// the path leads to none.
std::optional<std::string> Collections::counted_path(const Entry& entry, std::string_view path) const {
  const Entry& columns = columns_of(entry);
  const CombinedObjects& combined = columns.combined;
  for (std::size_t i = 0; i < combined.parts.size(); ++i) {
    const std::string& field = combined.fields[i];
    const bool is_whole = path.empty() || path == field;
    if (!is_whole && !path.starts_with(field + ".")) continue;
    const Entry& part = entries_.find(combined.parts[i])->second;
    const auto rest = counted_path(part, is_whole ? std::string_view() : path.substr(field.size() + 1));
    return rest ? std::optional(field + "." + *rest) : std::nullopt;
  }
  if (!columns.merged.empty() && !path.empty()) return counted_path_of_merged(columns, path);
  if (!path.empty() || columns.order.empty()) return std::nullopt;
  // One that the condition reads anyway.
  for (const Entry* each = &entry; !each->definition.from.empty();
       each = &entries_.find(each->definition.from)->second)
    for (const std::string& name : mentioned_members(each->definition))
      if (columns.columns.contains(name)) return name;
  return columns.columns.contains("pt") ? "pt" : columns.order.front();
}

std::vector<std::string> Collections::sources_of(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.definition.from.empty()) return {};
  const std::string& from = found->second.definition.from;
  const Entry& source = entries_.find(from)->second;
  if (!source.merged.empty()) return source.merged;
  return source.combined.is_empty() ? std::vector{from} : source.combined.parts;
}

void Collections::check(const std::string& name, NameTable& outer, Graph& graph) {
  const Request request(*this);
  Entry& entry = entries_.find(name)->second;
  if (!entry.definition.where.empty()) static_cast<void>(bind_mask(entry, outer, graph));
  if (!entry.definition.sort.empty()) static_cast<void>(bind_keys(entry, outer, graph));
  if (const auto counted = counted_member(name)) static_cast<void>(find(*counted, outer, graph));
}

std::string Collections::sized_like(NodeId value, const Graph& graph, const Schema& schema) const {
  std::set<NodeId> seen;
  std::set<std::string> found;
  for (std::vector<NodeId> pending{value}; !pending.empty();) {
    const NodeId id = pending.back();
    pending.pop_back();
    const Node& node = graph[id];
    if (node.type.depth != 1 || !seen.insert(id).second) continue;
    if (const std::string owner = owner_of(id, graph, schema); !owner.empty())
      found.insert(owner);
    else if (node.kind == NodeKind::kLoop)  // All lists of a loop have equal sizes.
      pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  return found.size() == 1 ? *found.begin() : "";
}

// The collection that a list is a member of, or that was computed with its members at once; empty if there is
// none.
std::string Collections::owner_of(NodeId value, const Graph& graph, const Schema& schema) const {
  const Node& node = graph[value];
  if (node.kind == NodeKind::kColumn) {
    const auto known = certain_.find(schema[node.column].name);
    return known == certain_.end() ? "" : known->second;
  }
  if (const auto known = owners_.find(value); known != owners_.end()) return known->second;
  const auto combined = combined_.find(combinations_in(node));
  return combined == combined_.end() ? "" : combined->second;
}

std::vector<std::string> Collections::members_of(const Entry& entry) const {
  const Entry& columns = columns_of(entry);
  if (columns.combined.is_empty()) return columns.order;
  std::vector<std::string> members = combined_quantities();
  for (std::size_t i = 0; i < columns.combined.parts.size(); ++i)
    for (const std::string& member : members_of(entries_.find(columns.combined.parts[i])->second))
      members.push_back(columns.combined.fields[i] + "." + member);
  return members;
}

std::vector<std::string> Collections::names() const {
  std::vector<std::string> names = names_;
  for (const std::string& name : names_) {
    const Entry& entry = entries_.find(name)->second;
    if (entry.definition.from.empty()) continue;
    for (const std::string& member : members_of(entry)) names.push_back(name + "." + member);
  }
  return names;
}

}  // namespace skimline
