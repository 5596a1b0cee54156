// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/entry_lists.h"

#include "base/resolved_path.h"
#include "base/text_table.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/io/entry_list.h"
#include "skimline/io/identities.h"
#include "skimline/io/root_file.h"
#include "skimline/io/text_digest.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const ListedEntries> listed(io::EntryNumbers numbers) {
  auto entries = std::make_shared<ListedEntries>();
  entries->numbers = std::move(numbers);
  entries->digest = io::text_digest(entries->numbers.content());
  return entries;
}

std::string chosen_list(const io::RootFile& file, const std::string& name) {
  const std::vector<std::string> names = io::entry_list_names(file);
  const io::RootKey* key = name.empty() ? nullptr : file.find(name);
  if (key != nullptr && !io::is_entry_list_class(key->class_name))
    throw FileError(
        file.path(),
        in_quotes(name) + " is of class " + key->class_name + ", neither TEntryList nor TEventList",
        FileFault::kUnavailable);
  if (key != nullptr) return name;
  if (name.empty() && names.size() == 1) return names.front();
  std::vector<std::string> quoted;
  for (const std::string& each : names) quoted.push_back(in_quotes(each));
  throw FileError(file.path(),
                  !name.empty() ? "contains no list of entries " + in_quotes(name) + did_you_mean(name, names)
                  : names.empty()
                      ? "contains no list of entries, neither TEntryList nor TEventList"
                      : "contains several lists of entries, one must be named: " + first_few(quoted),
                  FileFault::kUnavailable);
}

// What tells a file from others, whatever leads to it.
std::string place_of(const std::string& path) {
  std::error_code ignored;
  return io::is_url(path) ? io::hide_secrets(path) : fs::weakly_canonical(path, ignored).string();
}

// Of an input that has copies, all of them.
std::vector<std::string> places_of(const std::string& path) {
  if (!io::is_url(path)) return {place_of(path)};
  std::vector<std::string> places;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('|', begin), path.size());
    places.push_back(place_of(path.substr(begin, end - begin)));
    begin = end + 1;
  }
  return places;
}

// Lists never have the cycles of trees.
bool is_same(const std::string& tree, const std::string& input) {
  return io::without_cycle(tree) == io::without_cycle(input);
}

// Lists have the names of trees with their directories, or without.
bool may_be(const std::string& tree, const std::string& input) {
  if (tree.empty() || input.empty()) return true;
  return tree.find('/') == std::string::npos && is_same(tree, input.substr(input.rfind('/') + 1));
}

// Gives inputs their entries.
class EntryMatch {
 public:
  EntryMatch(Sample& sample, io::EntryList& list, InputTexts& texts)
      : sample_(sample),
        list_(list),
        texts_(texts),
        is_used_(list.trees.size(), false),
        is_named_(list.trees.size(), false) {
    for (std::size_t i = 0; i < list.trees.size(); ++i)
      if (!list.trees[i].file.empty()) by_place_[place_of(list.trees[i].file)].push_back(i);
  }

  void match() {
    if (list_.trees.size() == 1 && list_.trees.front().file.empty()) return match_only();
    note_named();
    std::vector<std::string> unknown;
    for (Input& input : sample_.inputs)
      if (!match(input)) unknown.push_back(called(input));
    std::vector<std::string> others;
    for (std::size_t i = 0; i < list_.trees.size(); ++i)
      if (!is_used_[i] && list_.trees[i].entries.count() > 0) others.push_back(called(list_.trees[i]));
    if (!others.empty())
      return add("is of entries of " + first_few(others) + ", which the sample does not have");
    if (!unknown.empty())
      texts_.warn(sample_.entry_list->location,
                  "the list of entries " + in_quotes(list_.name) + " does not mention " + first_few(unknown) +
                      ": nothing is taken of " + (unknown.size() == 1 ? "it" : "them"));
  }

 private:
  static std::string called(const io::EntriesOfTree& tree) {
    return in_quotes(tree.file + (tree.tree.empty() ? "" : ":" + tree.tree));
  }

  // With its tree where the sample has several of one file.
  std::string called(const Input& input) const {
    const auto is_of_file = [&](const Input& each) { return each.name == input.name; };
    const auto count = std::count_if(sample_.inputs.begin(), sample_.inputs.end(), is_of_file);
    return in_quotes(count > 1 ? input.name + ":" + input.location.name : input.name);
  }

  void add(const std::string& problem) {
    texts_.add(sample_.entry_list->location, "the list of entries " + in_quotes(list_.name) + " " + problem);
  }

  void match_only() {
    if (sample_.inputs.size() != 1)
      return add("does not say of which file its entries are, and the sample has " +
                 counted(sample_.inputs.size(), "file"));
    sample_.inputs.front().entries = listed(std::move(list_.trees.front().entries));
  }

  // Trees of the list that lie in the file of an input.
  std::vector<std::size_t> trees_beside(const Input& input) const {
    std::vector<std::size_t> trees;
    for (const std::string& place : places_of(input.location.path))
      if (const auto found = by_place_.find(place); found != by_place_.end())
        trees.insert(trees.end(), found->second.begin(), found->second.end());
    return trees;
  }

  // What is an input by its whole name is no other one.
  void note_named() {
    for (const Input& input : sample_.inputs)
      for (const std::size_t tree : trees_beside(input))
        if (is_same(list_.trees[tree].tree, input.location.name)) is_named_[tree] = true;
  }

  std::vector<std::size_t> trees_of(const Input& input) const {
    std::vector<std::size_t> same, others;
    for (const std::size_t tree : trees_beside(input)) {
      const std::string& name = list_.trees[tree].tree;
      if (is_same(name, input.location.name))
        same.push_back(tree);
      else if (!is_named_[tree] && may_be(name, input.location.name))
        others.push_back(tree);
    }
    return same.empty() ? others : same;
  }

  // Returns whether the list mentions it.
  bool match(Input& input) {
    const std::vector<std::size_t> trees = trees_of(input);
    if (trees.size() > 1)
      add("has several trees of " + in_quotes(input.name) + ": say which, as in " +
          in_quotes("file.root:tree"));
    for (const std::size_t tree : trees) {
      if (is_used_[tree])
        add("is of entries of " + called(list_.trees[tree]) + ", which may be several trees of the sample");
      is_used_[tree] = true;
    }
    input.entries = listed(trees.empty() ? io::EntryNumbers() : list_.trees[trees.front()].entries);
    return !trees.empty();
  }

  Sample& sample_;
  io::EntryList& list_;
  InputTexts& texts_;
  std::vector<bool> is_used_;
  std::vector<bool> is_named_;  // by a whole name of an input
  std::map<std::string, std::vector<std::size_t>> by_place_;
};

}  // namespace

void read_entry_list(Sample& sample, InputTexts& texts) {
  io::InputLocation location = io::parse_location(sample.entry_list->value);
  location.path = io::is_url(location.path) ? io::hide_secrets(location.path)
                                            : resolved(texts.folder(), location.path).string();
  try {
    const io::RootFile file(location.path);
    io::EntryList list = io::read_entry_list(file, chosen_list(file, location.name));
    sample.listing_files.push_back(location.path);
    if (list.counts_through)
      sample.entries_through = listed(std::move(list.trees.front().entries));
    else
      EntryMatch(sample, list, texts).match();
  } catch (const FileError& error) {
    texts.add(sample.entry_list->location, error.what());
  }
}

}  // namespace skimline::skims
