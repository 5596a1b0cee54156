// SPDX-License-Identifier: BSD-3-Clause
// Columns that have their numbers of elements in common.
#include "ttree/column_list.h"
#include "ttree/leaf_title.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

using Members = std::vector<const TreeColumn*>;

// Members of plain branches, by the leaf that counts them.
std::map<std::uint32_t, Members> members_by_counter(const TreeDescriptor& tree, const ColumnList& list) {
  std::map<std::uint32_t, Members> members;
  for (const TreeColumn& column : list.columns())
    if (column.counter && !tree.branches[column.branch].parent) members[*column.counter].push_back(&column);
  return members;
}

// The longest beginning of all names that ends with '_', with it.
std::string common_prefix(const Members& members) {
  std::string_view prefix = members.front()->name;
  for (const TreeColumn* member : members) {
    const auto [end, other] =
        std::mismatch(prefix.begin(), prefix.end(), member->name.begin(), member->name.end());
    prefix = prefix.substr(0, static_cast<std::size_t>(end - prefix.begin()));
  }
  return std::string(prefix.substr(0, prefix.rfind('_') + 1));
}

Members those_with(const Members& members, std::string_view prefix) {
  Members with;
  for (const TreeColumn* member : members)
    if (member->name.size() > prefix.size() && member->name.starts_with(prefix)) with.push_back(member);
  return with;
}

// "nJet" says that the members begin with "Jet_".
std::string prefix_of(const std::string& count, const Members& members) {
  if (count.size() > 1 && (count.front() == 'n' || count.front() == 'N')) {
    std::string prefix = count.substr(1) + "_";
    if (!those_with(members, prefix).empty()) return prefix;
  }
  return members.size() > 1 ? common_prefix(members) : "";
}

Collection collection_of(const std::string& prefix, const Members& members) {
  Collection collection;
  collection.name = prefix.substr(0, prefix.size() - 1);
  for (const TreeColumn* member : members) collection.columns.push_back(member->name);
  return collection;
}

// The column of the leaf, empty if there is none.
std::string column_of_leaf(const TreeDescriptor& tree, std::uint32_t leaf, const ColumnList& list) {
  const TreeBranch& branch = tree.branches[tree.leaves[leaf].branch];
  const std::string name =
      branch.leaves.size() == 1 ? branch.path : branch.path + "." + tree.leaves[leaf].name;
  return list.has(name) ? name : "";
}

void add_unless_empty(Collection collection, ColumnList& list) {
  if (!collection.name.empty() && !collection.columns.empty() && !list.has(collection.name))
    list.add(std::move(collection));
}

// "Jet" of "nJet"; else the counts have the name of their leaf.
std::string name_by_count(const std::string& count) {
  return count.size() > 1 && count.front() == 'n' ? count.substr(1) : count;
}

// Whatever the lists are called, their counts are those of the file.
void add_equal_sizes(std::string name, std::string count, std::string description, const Members& members,
                     ColumnList& list) {
  Collection lists{std::move(name), std::move(count), std::move(description), {}};
  for (const TreeColumn* member : members) lists.columns.push_back(member->name);
  list.add_equal_sizes(std::move(lists));
}

void find_counted(const TreeDescriptor& tree, ColumnList& list) {
  for (const auto& [counter, members] : members_by_counter(tree, list)) {
    const std::string count = column_of_leaf(tree, counter, list);
    add_equal_sizes(name_by_count(tree.leaves[counter].name), count,
                    description_of(tree, tree.branches[tree.leaves[counter].branch]), members, list);
    const std::string prefix = prefix_of(tree.leaves[counter].name, members);
    if (prefix.size() < 2) continue;
    Collection collection = collection_of(prefix, those_with(members, prefix));
    collection.count = count;
    collection.description = description_of(tree, tree.branches[tree.leaves[counter].branch]);
    add_unless_empty(std::move(collection), list);
  }
}

// ROOT looks for the number of elements of an array by name in the whole tree, and so may take that of
// another object: it is the array's own only if both are members of one object.
bool is_own_master(const TreeDescriptor& tree, std::uint32_t branch, std::uint32_t master) {
  if (tree.branches[branch].parent == tree.branches[master].parent) return true;
  for (auto above = tree.branches[branch].parent; above; above = tree.branches[*above].parent)
    if (*above == master) return true;
  return false;
}

// Those that a writer split into their members.
void find_split(const TreeDescriptor& tree, ColumnList& list) {
  std::map<std::uint32_t, Members> members;
  for (const TreeColumn& column : list.columns())
    if (const auto& master = tree.branches[column.branch].count_branch;
        master && column.type.is_jagged() && is_own_master(tree, column.branch, *master))
      members[*master].push_back(&column);
  for (const auto& [number, all] : members) {
    const TreeBranch& master = tree.branches[number];
    add_equal_sizes(master.path, list.has(master.path + "_") ? master.path + "_" : "",
                    description_of(tree, master), all, list);
    Collection collection = collection_of(master.path + ".", those_with(all, master.path + "."));
    collection.count = list.has(master.path + "_") ? master.path + "_" : "";
    collection.description = description_of(tree, master);
    add_unless_empty(std::move(collection), list);
  }
}

// Those that a writer left in one branch.
void find_whole(const TreeDescriptor& tree, ColumnList& list) {
  std::map<std::pair<std::uint32_t, std::string>, Members> members;
  for (const TreeColumn& column : list.columns())
    if (column.list) members[{column.branch, *column.list}].push_back(&column);
  for (const auto& [place, all] : members)
    add_equal_sizes(place.second, "", description_of(tree, tree.branches[place.first]), all, list);
}

}  // namespace

void find_collections(const TreeDescriptor& tree, ColumnList& list) {
  find_counted(tree, list);
  find_split(tree, list);
  find_whole(tree, list);
}

}  // namespace skimline::io
