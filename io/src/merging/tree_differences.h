// SPDX-License-Identifier: BSD-3-Clause
// In what the trees of several files differ, and what of them cannot be merged.
#pragma once

#include "merging/stored_classes.h"

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::io {

class TreeDifferences {
 public:
  /// Others are compared with this one, which must have all that merges need.
  void begin(const TreeDescriptor& tree, const std::string& file);

  /// Returns for each branch of a tree the number of that in the first; not of use if there are differences.
  std::vector<std::uint32_t> compare(const TreeDescriptor& tree, const std::string& file);

  /// Objects say the version of their class: its members must be those that it has in the files before. Says
  /// nothing where branches differ.
  void compare_classes(const StoredClasses& classes, const std::string& file);

  /// Notes that a friend in the same file has another number of entries, and that those of others follow.
  void note_friend_of_other_length(const std::string& alias, const std::string& file);

  bool empty() const { return sentences_.empty(); }
  /// A sentence for each, which names the first file and how many more there are.
  std::vector<std::string> sentences() const;

 private:
  struct Known {
    std::string name;    // as it is said
    std::string stored;  // all that must be equal
    std::string shown;
    std::optional<bool> is_filled;  // of the files so far that have entries
  };
  struct Files {
    std::string first;
    std::uint64_t more = 0;
  };
  void note(const std::string& sentence, const std::string& file);
  void check(const TreeDescriptor& tree, const std::string& file);
  void check_branch(const TreeDescriptor& tree, std::size_t number, const std::string& file);
  void compare_relations(const TreeDescriptor& tree, const std::string& file);
  void compare_entries(Known& first, const TreeDescriptor& tree, std::size_t number, const std::string& file);
  void note_difference(const Known& first, const std::string& shown, const std::string& file);

  std::string first_file_;
  std::vector<Known> branches_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // by name
  std::string relations_;
  StoredClasses classes_;  // of the files so far
  std::map<std::string, Files> by_sentence_;
  std::vector<std::string> sentences_;  // in the order in which they were found
};

}  // namespace skimline::io
