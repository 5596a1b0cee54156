// SPDX-License-Identifier: BSD-3-Clause
// Objects of several collections as one: `Concatenate(electrons, muons)`.
#include "expression/binder.h"
#include "expression/collections.h"
#include "expression/given_values.h"
#include "expression/sized_lists.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace skimline {
namespace {

// The member that says which of the collections an object is of, from 0.
constexpr std::string_view kPartMember = "part_";

[[noreturn]] void fail(const std::string& text, const std::string& problem) {
  throw ExpressionError(text, 0, text.size(), problem);
}

NodeId repeated(std::size_t number, NodeId objects, NameTable& outer, Graph& graph) {
  GivenValues given({{"objects", objects}}, outer);
  return bind_expression("RVecI(size(objects), " + std::to_string(number) + ")", given, graph);
}

}  // namespace

// What is merged, of which a definition may choose some, has a name that no expression has.
std::string Collections::add_merged(const ObjectDefinition& definition, std::vector<std::string> parts) {
  const std::string& text = definition.from;
  if (!definition.fields.empty())
    fail(text, "\"fields\" are the names of the members of combinations: these are objects of one kind");
  Entry entry;
  for (const std::string& part : parts) add_part(part, text, entry);
  for (const std::string& member : members_of(entries_.find(parts.front())->second))
    if (std::all_of(std::next(parts.begin()), parts.end(),
                    [&](const std::string& part) { return has_member(part, member); })) {
      entry.columns.emplace(member, std::string());
      entry.order.push_back(member);
    }
  if (entry.order.empty()) fail(text, "these collections have no member in common");
  entry.merged = std::move(parts);
  return add_made(std::move(entry), definition);
}

bool Collections::has_member(const std::string& collection, const std::string& member) const {
  const std::vector<std::string> members = members_of(entries_.find(collection)->second);
  return std::find(members.begin(), members.end(), member) != members.end();
}

// The member of the objects of all parts, one part after the other; nothing if one lacks it.
std::optional<NodeId> Collections::member_of_merged(const Entry& entry, std::string_view name,
                                                    NameTable& outer, Graph& graph) {
  std::vector<NodeId> lists;
  for (const std::string& part : entry.merged) {
    const NodeId objects = *outer.find(*counted_member(part));
    const auto values = name == kPartMember ? std::optional(repeated(lists.size(), objects, outer, graph))
                                            : member(entries_.find(part)->second, name, outer, graph);
    if (!values || !is_number(graph[*values].type.scalar)) return std::nullopt;
    lists.push_back(sized(*values, objects, part + "." + std::string(name), graph));
    const Type first = graph[lists.front()].type, type = graph[lists.back()].type;
    if (first.depth != type.depth)
      fail(entry.text, "\"" + std::string(name) + "\" is " + name_of(first) + " in \"" +
                           entry.merged.front() + "\" and " + name_of(type) + " in \"" + part + "\"");
  }
  NodeId all = lists.front();
  for (std::size_t i = 1; i < lists.size(); ++i) {
    GivenValues given({{"first", all}, {"second", lists[i]}}, outer);
    all = bind_expression("Concatenate(first, second)", given, graph);
  }
  return all;
}

// A member of the members of combinations: "lead.pt" of "lead".
std::optional<std::string> Collections::counted_path_of_merged(const Entry& entry, std::string_view path) {
  const std::string front = std::string(path) + ".";
  for (const std::string& member : entry.order)
    if (member.starts_with(front)) return member;
  return std::nullopt;
}

}  // namespace skimline
