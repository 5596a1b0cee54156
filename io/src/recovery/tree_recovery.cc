// SPDX-License-Identifier: BSD-3-Clause
#include "recovery/tree_recovery.h"

#include "recovery/namesakes.h"
#include "recovery/tree_chains.h"
#include "ttree/tree_outline.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

constexpr int kClones = 3, kCollection = 4;  // types of branches with data of their own beside children
constexpr std::size_t kNamedBranches = 5;

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return decimal(count) + " " + (count == 1 ? one : many);
}

// As that of a clone with fewer entries, which ROOT gives the index of the original.
bool leads_outside(const TreeIndex& index, std::uint64_t num_entries) {
  return std::any_of(index.entries.begin(), index.entries.end(), [&](std::int64_t entry) {
    return entry < 0 || static_cast<std::uint64_t>(entry) >= num_entries;
  });
}

// Recovers one tree.
class TreeRecovery {
 public:
  TreeRecovery(const FoundFile& found, const RootKey& key)
      : found_(found), key_(key), namesakes_(namesakes_of(found, key)) {
    recovered_.pattern = read_outlined_tree(*found.file, key, recovered_.outline);
    recovered_.num_listed = recovered_.pattern.num_entries;
    check_branches();
  }

  RecoveredTree recover() {
    follow_chains();
    const std::uint64_t num_entries = whole_entries();
    say_what_is_lost(num_entries);
    make_input(num_entries);
    return std::move(recovered_);
  }

 private:
  const SharedList<TreeBranch>& branches() const { return recovered_.pattern.branches; }

  // Branches of split objects have their data in their children.
  bool has_data(std::uint32_t number) const {
    const TreeBranch& branch = branches()[number];
    const bool has_children = number + 1 < branches().size() && branches()[number + 1].parent == number;
    return !recovered_.pattern.branch_data[number].baskets.empty() || !has_children ||
           branch.type == kClones || branch.type == kCollection;
  }

  void check_branches() const {
    for (std::uint32_t i = 0; i < branches().size(); ++i) {
      const TreeBranch& branch = branches()[i];
      const auto fail = [&](const std::string& problem) {
        throw FormatError("branch \"" + branch.path + "\": " + problem);
      };
      if (!branch.problem.empty()) fail(branch.problem);
      const std::uint64_t num_entries = recovered_.pattern.branch_data[i].num_entries;
      if (has_data(i) && num_entries != recovered_.num_listed)
        fail("it has " + decimal(num_entries) + " entries and the tree " + decimal(recovered_.num_listed));
    }
    if (branches().empty()) throw FormatError("it has no branches");
  }

  void follow_chains() {
    TreeChains chains(found_.file->input(), found_.records, recovered_.pattern, namesakes_);
    chains_.resize(branches().size());
    oneapi::tbb::parallel_for(std::uint32_t{0}, static_cast<std::uint32_t>(branches().size()),
                              [&](std::uint32_t i) {
                                if (has_data(i)) chains_[i] = chains.follow(i);
                              });
  }

  // The entries that all branches have. What cannot be cut inside a basket is cut in front of it.
  std::uint64_t whole_entries() const {
    std::uint64_t num_entries = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < chains_.size(); ++i)
      if (has_data(i)) num_entries = std::min(num_entries, chains_[i].num_entries());
    for (bool is_cut = true; is_cut;) {
      is_cut = false;
      for (const BasketChain& chain : chains_) {
        const auto behind =
            std::partition_point(chain.baskets.begin(), chain.baskets.end(),
                                 [&](const TreeBasket& basket) { return basket.end_entry() <= num_entries; });
        if (behind == chain.baskets.end() || behind->first_entry >= num_entries) continue;
        if (chain.can_be_cut[static_cast<std::size_t>(behind - chain.baskets.begin())]) continue;
        num_entries = behind->first_entry;
        is_cut = true;
      }
    }
    return num_entries;
  }

  void lose(std::string sentence) { recovered_.losses.push_back(std::move(sentence)); }

  void say_what_is_lost(std::uint64_t num_entries) {
    const std::uint64_t listed = recovered_.num_listed;
    if (num_entries < listed)
      lose("entries " + decimal(num_entries) + " to " + decimal(listed - 1) + " of the " + decimal(listed) +
           " that it says it has");
    say_which_end(num_entries);
    if (const std::uint64_t unused = unused_records(num_entries); unused > 0)
      lose(counted(unused, "basket", "baskets") + " of entries that other branches do not have");
    for (std::string& part : recovered_.pattern.other_parts) lose(part);
    recovered_.pattern.other_parts.clear();
    if (recovered_.pattern.index &&
        (num_entries != listed || leads_outside(*recovered_.pattern.index, listed))) {
      recovered_.pattern.index.reset();
      lose("its index, which is of other entries");
    }
  }

  // Which branches end first, and why any ends where it does.
  void say_which_end(std::uint64_t num_entries) {
    std::string names;
    std::size_t count = 0, num_with_data = 0;
    for (std::uint32_t i = 0; i < chains_.size(); ++i) {
      if (!has_data(i)) continue;
      ++num_with_data;
      const BasketChain& chain = chains_[i];
      if (!chain.end.empty())
        lose("branch \"" + branches()[i].path + "\" from entry " + decimal(chain.num_entries()) +
             " on: " + chain.end);
      if (chain.num_entries() != num_entries) continue;
      if (++count <= kNamedBranches) names += (names.empty() ? "\"" : ", \"") + branches()[i].path + "\"";
    }
    if (count == 0 || count == num_with_data) return;
    if (count > kNamedBranches) names += " and " + decimal(count - kNamedBranches) + " more";
    lose("what other branches have behind entry " + decimal(num_entries) + ", where " + names +
         (count == 1 ? " ends" : " end"));
  }

  // Records of baskets with the names of the tree that are not used at all.
  std::uint64_t unused_records(std::uint64_t num_entries) const {
    std::unordered_set<std::uint64_t> used = namesakes_.baskets;
    for (const BasketChain& chain : chains_)
      for (const TreeBasket& basket : chain.baskets)
        if (basket.first_entry < num_entries && !basket.is_embedded) used.insert(basket.offset);
    std::uint64_t unused = 0;
    const std::string& name = recovered_.pattern.name;
    for (auto owned = found_.records.baskets.lower_bound({name, ""});
         owned != found_.records.baskets.end() && owned->first.first == name; ++owned)
      for (const FoundBasket& basket : owned->second) unused += used.contains(basket.offset) ? 0 : 1;
    return unused;
  }

  void make_input(std::uint64_t num_entries) {
    auto input = std::make_shared<TreeInput>();
    input->file = std::make_unique<InputFile>(found_.file->path());
    input->class_name = key_.class_name;
    input->tree = recovered_.pattern;
    TreeDescriptor& tree = input->tree;
    tree.num_entries = num_entries;
    for (std::uint32_t i = 0; i < chains_.size(); ++i) set_baskets(i, tree);
    set_clusters(tree);
    recovered_.input = std::move(input);
  }

  void set_baskets(std::uint32_t number, TreeDescriptor& tree) {
    BranchData& branch = tree.branch_data[number];
    const BasketChain& chain = chains_[number];
    branch.num_entries = tree.num_entries;
    branch.baskets.clear();
    for (TreeBasket basket : chain.baskets) {
      if (basket.first_entry >= tree.num_entries) break;
      basket.num_entries = std::min(basket.end_entry(), tree.num_entries) - basket.first_entry;
      branch.baskets.push_back(basket);
    }
    branch.maximum = std::max(branch.maximum, chain.largest_count);
    for (const std::uint32_t leaf : tree.branches[number].leaves) {
      LeafData& values = tree.leaf_data[leaf];
      values.maximum = std::max(values.maximum, chain.largest_count);
      values.text_room = std::max(values.text_room, chain.text_room);
    }
  }

  // Behind the last one that the tree knows, all branches begin baskets together where a cluster begins.
  void set_clusters(TreeDescriptor& tree) const {
    std::vector<std::uint64_t>& begins = tree.cluster_begins;
    std::erase_if(begins, [&](std::uint64_t begin) { return begin >= tree.num_entries; });
    std::set<std::uint64_t> common;
    bool is_first = true;
    for (const BranchData& branch : tree.branch_data) {
      if (branch.baskets.empty()) continue;
      std::set<std::uint64_t> own;
      for (const TreeBasket& basket : branch.baskets)
        if (basket.first_entry >= recovered_.num_listed && (is_first || common.contains(basket.first_entry)))
          own.insert(basket.first_entry);
      common = std::move(own);
      is_first = false;
    }
    for (const std::uint64_t begin : common)
      if (begins.empty() || begin > begins.back()) begins.push_back(begin);
    if (begins.empty() && tree.num_entries > 0) begins.push_back(0);
  }

  const FoundFile& found_;
  const RootKey& key_;
  const Namesakes namesakes_;
  RecoveredTree recovered_;
  std::vector<BasketChain> chains_;  // by branch
};

}  // namespace

RecoveredTree recover_tree(const FoundFile& found, const RootKey& key) {
  return TreeRecovery(found, key).recover();
}

}  // namespace skimline::io
