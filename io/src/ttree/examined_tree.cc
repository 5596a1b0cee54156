// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/examined_tree.h"

#include "ttree/class_trial.h"
#include "ttree/clones_classes.h"
#include "ttree/tree_columns.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/io/compression.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace skimline::io {
namespace {

// Entries that a byte of a file can stand for, at most: each has a byte or more, of its own or of its
// offset.
constexpr std::uint64_t kMaxEntriesPerByte = kMaxExpansion;
// A tree of which no branch can be read may have any number of entries; more could not be looped over.
constexpr std::uint64_t kMaxUncheckedEntries = std::uint64_t{1} << 32;

// Baskets may lie in the same bytes, so that all of them together are compared with the file.
std::string impossible_size(const BranchData& branch, std::uint64_t file_bytes) {
  const auto refuse = [](const std::string& what, std::uint64_t num_entries) {
    return what + " cannot hold the " + std::to_string(num_entries) + " entries that the tree says";
  };
  for (std::size_t i = 0; i < branch.baskets.size(); ++i)
    if (branch.baskets[i].num_entries / kMaxEntriesPerByte > branch.baskets[i].size)
      return refuse("its basket " + std::to_string(i), branch.baskets[i].num_entries);
  if (branch.num_entries / kMaxEntriesPerByte > file_bytes) return refuse("the file", branch.num_entries);
  return {};
}

class TreeExamination {
 public:
  TreeExamination(TreeDescriptor& tree, const RootFile& root, const BasketFetcher& fetcher)
      : tree_(tree), root_(root), fetcher_(fetcher) {}

  ExaminedTree result(TreeChain& chain) {
    find_clones_classes(tree_, fetcher_);
    const std::shared_ptr<TreeKind> kind = chain.kinds->find(tree_);
    if (chain.counted.insert(kind).second) made_.bytes_of_kind = kind->bytes_in_memory();
    const TreeColumns& all = kind->columns();
    count_entries(all);
    made_.columns = kind->read_columns(verdict_on(all, chain.known));
    if (made_.columns->found.columns.empty() && made_.num_entries > kMaxUncheckedEntries)
      throw FileError(root_.path(), "TTree \"" + tree_.path + "\" has no branch that can be read");
    return std::move(made_);
  }

 private:
  void count_entries(const TreeColumns& all) {
    for (const TreeColumn& column : all.columns)
      made_.num_entries = std::max(made_.num_entries, tree_.branch_data[column.branch].num_entries);
    made_.num_entries =
        all.columns.empty() ? tree_.num_entries : std::min(made_.num_entries, tree_.num_entries);
    if (made_.num_entries < tree_.num_entries)
      made_.differences.push_back("TTree \"" + tree_.path + "\" of " + root_.path() + " says that it has " +
                                  std::to_string(tree_.num_entries) + " entries, but its branches have " +
                                  std::to_string(made_.num_entries) + ": only those are read");
    if (tree_.weight != 1)
      made_.differences.push_back("TTree \"" + tree_.path + "\" of " + root_.path() + " has the weight " +
                                  significant_digits(tree_.weight, 6) +
                                  " (TTree::SetWeight), which is not applied");
    if (root_.was_never_closed())
      made_.differences.push_back(
          root_.path() + " was never closed: only the entries that TTree \"" + tree_.path +
          "\" had when it was last saved are read; \"skimline recover\" finds those behind");
  }

  ColumnVerdict verdict_on(const TreeColumns& all, KnownClasses& known) {
    ColumnVerdict verdict;
    std::map<std::uint32_t, std::string> problems;  // by branch
    for (const DoubtfulBranch& branch : all.doubtful) {
      TrialResult trial = try_branch(branch, fetcher_, known);
      if (trial.is_proven) verdict.proven.insert(branch.branch);
      problems[branch.branch] = std::move(trial.problem);
    }
    for (std::size_t number = 0; number < all.columns.size(); ++number) {
      const std::uint32_t branch = all.columns[number].branch;
      std::string problem = impossible_size(tree_.branch_data[branch], root_.input().size());
      if (const auto tried = problems.find(branch); problem.empty() && tried != problems.end())
        problem = tried->second;
      if (problem.empty()) problem = compare_entries(branch);
      if (!problem.empty()) verdict.problems[number] = std::move(problem);
    }
    return verdict;
  }

  // Returns what is wrong with a branch that has fewer entries than the tree.
  std::string compare_entries(std::uint32_t number) {
    const std::uint64_t num_entries = tree_.branch_data[number].num_entries;
    // Those with branches below them need none, but for the sizes of a collection.
    if (num_entries > 0 && tree_.branch_data[number].baskets.empty()) return "it has no baskets";
    if (num_entries < made_.num_entries)
      return "it has " + std::to_string(num_entries) + " entries, the tree " +
             std::to_string(made_.num_entries);
    if (num_entries > made_.num_entries)
      made_.differences.push_back("branch \"" + tree_.branches[number].name + "\" of " + root_.path() +
                                  " has " + std::to_string(num_entries) +
                                  " entries: only those of the tree, " + std::to_string(made_.num_entries) +
                                  ", are read");
    return {};
  }

  TreeDescriptor& tree_;
  const RootFile& root_;
  const BasketFetcher& fetcher_;
  ExaminedTree made_;
};

}  // namespace

ExaminedTree examine(TreeDescriptor& tree, const RootFile& root, const BasketFetcher& fetcher,
                     TreeChain& chain) {
  return TreeExamination(tree, root, fetcher).result(chain);
}

}  // namespace skimline::io
