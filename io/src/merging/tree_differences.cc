// SPDX-License-Identifier: BSD-3-Clause
#include "merging/tree_differences.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace skimline::io {
namespace {

constexpr char kBetween = '\n';  // in no name that counts

std::string in_quotes(const std::string& name) { return "\"" + name + "\""; }

// How ROOT writes the types of leaves: "F", and small letters for integers without signs.
std::string leaf_code(const TreeLeaf& leaf) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kLong = {
      {{"TLeafF16", "f"}, {"TLeafD32", "d"}, {"TLeafElement", ""}, {"TLeafObject", ""}}};
  for (const auto& [name, code] : kLong)
    if (leaf.class_name == name) return code;
  std::string code = leaf.class_name.starts_with("TLeaf") ? leaf.class_name.substr(5) : leaf.class_name;
  if (leaf.is_unsigned && code.size() == 1) code[0] = static_cast<char>(code[0] - 'A' + 'a');
  return code;
}

std::string shown_branch(const TreeDescriptor& tree, const TreeBranch& branch) {
  if (!branch.object_class.empty()) return branch.object_class;
  std::string text;
  for (const std::uint32_t number : branch.leaves) {
    const TreeLeaf& leaf = tree.leaves[number];
    text += (text.empty() ? "" : ":") + leaf.title + "/" + leaf_code(leaf);
  }
  return text.empty() ? branch.class_name : text;
}

// A branch by its name, and by which of that name it is: ROOT lets several have one.
std::vector<std::string> names_of_branches(const TreeDescriptor& tree) {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> counts;
  for (const TreeBranch& branch : tree.branches) {
    const std::size_t count = ++counts[branch.path];
    names.push_back(in_quotes(branch.path) + (count > 1 ? " (number " + std::to_string(count) + ")" : ""));
  }
  return names;
}

// What readers need to be equal: everything but what each basket says itself. ROOT takes the features of one
// basket for those of the next.
std::string stored_branch(const TreeDescriptor& tree, const TreeBranch& branch,
                          const std::vector<std::string>& names) {
  std::string text = branch.class_name;
  const auto add = [&](const std::string& part) { (text += kBetween) += part; };
  add(branch.parent ? names[*branch.parent] : "");
  for (const std::string& part : {branch.object_class, branch.clones_class}) add(part);
  for (const std::int64_t number : {std::int64_t{branch.checksum}, std::int64_t{branch.id},
                                    std::int64_t{branch.type}, std::int64_t{branch.streamer_type}})
    add(std::to_string(number));
  add(branch.count_branch ? names[*branch.count_branch] : "");
  add(branch.has_offsets ? "offsets" : "");
  add(std::to_string(branch.features));
  for (const std::uint32_t number : branch.leaves) {
    const TreeLeaf& leaf = tree.leaves[number];
    for (const std::string& part : {leaf.name, leaf.title, leaf.class_name}) add(part);
    add(leaf.is_unsigned ? "unsigned" : "");
    if (leaf.counter) add(names[tree.leaves[*leaf.counter].branch] + "." + tree.leaves[*leaf.counter].name);
  }
  return text;
}

std::string relations_of(const TreeDescriptor& tree) {
  std::string text;
  const auto add = [&](const std::string& part) { (text += part) += kBetween; };
  for (const TreeAlias& alias : tree.aliases) {
    add(alias.name);
    add(alias.expression);
  }
  add("");
  for (const TreeFriend& other : tree.friends) {
    add(other.alias);
    add(other.tree);
  }
  add(tree.index ? tree.index->major : "");
  add(tree.index ? tree.index->minor : "");
  add(all_bits(tree.weight));
  return text;
}

}  // namespace

void TreeDifferences::begin(const TreeDescriptor& tree, const std::string& file) {
  first_file_ = file;
  relations_ = relations_of(tree);
  const std::vector<std::string> names = names_of_branches(tree);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TreeBranch& branch = tree.branches[i];
    branches_.push_back({names[i], stored_branch(tree, branch, names), shown_branch(tree, branch), {}});
    numbers_.emplace(names[i], static_cast<std::uint32_t>(i));
  }
}

std::vector<std::uint32_t> TreeDifferences::compare(const TreeDescriptor& tree, const std::string& file) {
  check(tree, file);
  compare_relations(tree, file);
  std::vector<std::uint32_t> numbers;
  std::vector<bool> is_there(branches_.size());
  const std::vector<std::string> names = names_of_branches(tree);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = numbers_.find(names[i]);
    if (found == numbers_.end()) {
      note(names[i] + " is missing in " + first_file_ + ", and is in ", file);
      continue;
    }
    numbers.push_back(found->second);
    Known& first = branches_[found->second];
    const TreeBranch& branch = tree.branches[i];
    if (stored_branch(tree, branch, names) != first.stored)
      note_difference(first, shown_branch(tree, branch), file);
    compare_entries(first, tree, i, file);
    is_there[found->second] = true;
  }
  for (std::size_t i = 0; i < branches_.size(); ++i)
    if (!is_there[i]) note(branches_[i].name + " is missing in ", file);
  return numbers;
}

void TreeDifferences::compare_classes(const StoredClasses& classes, const std::string& file) {
  if (!empty()) return;
  for (const auto& [name, members] : classes) {
    const auto [known, is_new] = classes_.emplace(name, members);
    if (!is_new && known->second != members)
      note("class " + name + " has other members than in files before, in ", file);
  }
}

void TreeDifferences::note_friend_of_other_length(const std::string& alias, const std::string& file) {
  note("the friend " + in_quotes(alias) +
           " has not as many entries as the tree, so that those of the next file would go with others, in ",
       file);
}

std::vector<std::string> TreeDifferences::sentences() const {
  std::vector<std::string> texts;
  for (const std::string& sentence : sentences_) {
    const Files& files = by_sentence_.at(sentence);
    texts.push_back(sentence + files.first +
                    (files.more > 0 ? " and " + std::to_string(files.more) + " more" : ""));
  }
  return texts;
}

void TreeDifferences::note(const std::string& sentence, const std::string& file) {
  const auto [entry, is_new] = by_sentence_.try_emplace(sentence, Files{file, 0});
  if (is_new)
    sentences_.push_back(sentence);
  else
    ++entry->second.more;
}

void TreeDifferences::check(const TreeDescriptor& tree, const std::string& file) {
  for (const std::string& part : tree.other_parts)
    note(part + " cannot be merged: the tree has it in ", file);
  for (const TreeFriend& other : tree.friends)
    if (!other.path.empty())
      note("the friend " + in_quotes(other.alias) + " lies in another file, " + other.path +
               ", whose entries would not follow: the tree has it in ",
           file);
  for (std::size_t i = 0; i < tree.branches.size(); ++i) check_branch(tree, i, file);
}

void TreeDifferences::check_branch(const TreeDescriptor& tree, std::size_t number, const std::string& file) {
  const TreeBranch& branch = tree.branches[number];
  const BranchData& data = tree.branch_data[number];
  if (!branch.problem.empty())
    note(in_quotes(branch.path) + " cannot be merged, " + branch.problem + ", in ", file);
  else if (!data.baskets.empty() && data.num_entries != tree.num_entries)
    note(in_quotes(branch.path) + " has " + std::to_string(data.num_entries) + " of " +
             std::to_string(tree.num_entries) + " entries in ",
         file);
}

void TreeDifferences::compare_relations(const TreeDescriptor& tree, const std::string& file) {
  if (relations_of(tree) != relations_)
    note("weight, aliases, friends or index are not those of " + first_file_ + " in ", file);
}

// Entries of the files before would be lacking in front of those of a branch that they did not fill.
void TreeDifferences::compare_entries(Known& first, const TreeDescriptor& tree, std::size_t number,
                                      const std::string& file) {
  const BranchData& data = tree.branch_data[number];
  const bool is_filled = !data.baskets.empty();
  if (tree.num_entries == 0 || (data.num_entries > 0 && !is_filled)) return;
  if (first.is_filled.value_or(is_filled) != is_filled)
    note(first.name + (is_filled ? " is filled, as in no file before, in "
                                 : " was never filled, as it was in files before, in "),
         file);
  first.is_filled = is_filled;
}

void TreeDifferences::note_difference(const Known& first, const std::string& shown, const std::string& file) {
  if (shown == first.shown)
    note(first.name + " (" + shown + ") is stored otherwise in " + first_file_ + " than in ", file);
  else
    note(first.name + " is " + first.shown + " in " + first_file_ + " and " + shown + " in ", file);
}

}  // namespace skimline::io
