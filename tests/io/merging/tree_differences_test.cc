// SPDX-License-Identifier: BSD-3-Clause
#include "merging/tree_differences.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

using namespace skimline;
using namespace skimline::io;

namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

void add_branch(TreeDescriptor& tree, const std::string& name, const std::string& leaf_class) {
  const auto number = static_cast<std::uint32_t>(tree.branches.size());
  TreeBranch branch;
  branch.name = branch.path = name;
  branch.class_name = "TBranch";
  branch.leaves = {static_cast<std::uint32_t>(tree.leaves.size())};
  tree.branches.push_back(branch);
  BranchData& data = tree.branch_data.emplace_back();
  data.num_entries = tree.num_entries;
  data.baskets = {{.first_entry = 0, .num_entries = tree.num_entries, .offset = 100, .size = 80}};
  TreeLeaf leaf;
  leaf.name = leaf.title = name;
  leaf.class_name = leaf_class;
  leaf.branch = number;
  tree.leaves.push_back(leaf);
}

TreeDescriptor tree_of(const std::vector<std::pair<std::string, std::string>>& branches) {
  TreeDescriptor tree;
  tree.num_entries = 3;
  for (const auto& [name, leaf_class] : branches) add_branch(tree, name, leaf_class);
  return tree;
}

class TreeDifferencesTest : public testing::Test {
 protected:
  TreeDifferencesTest() { differences.begin(first, "1.root"); }

  TreeDescriptor first = tree_of({{"x", "TLeafF"}, {"y", "TLeafI"}});
  TreeDifferences differences;
};

TEST_F(TreeDifferencesTest, MatchesBranchesInAnyOrder) {
  EXPECT_EQ(differences.compare(first, "1.root"), Numbers({0, 1}));
  EXPECT_EQ(differences.compare(tree_of({{"y", "TLeafI"}, {"x", "TLeafF"}}), "2.root"), Numbers({1, 0}));
  EXPECT_TRUE(differences.empty());
  EXPECT_EQ(differences.sentences(), Texts());
}

TEST_F(TreeDifferencesTest, ListsAllWithFiles) {
  const TreeDescriptor other = tree_of({{"x", "TLeafD"}, {"z", "TLeafI"}});
  differences.compare(other, "2.root");
  differences.compare(other, "3.root");
  EXPECT_EQ(differences.sentences(), Texts({"\"x\" is x/F in 1.root and x/D in 2.root and 1 more",
                                            "\"z\" is missing in 1.root, and is in 2.root and 1 more",
                                            "\"y\" is missing in 2.root and 1 more"}));
}

TEST_F(TreeDifferencesTest, ComparesWhatIsNotShown) {
  const std::vector<std::function<void(TreeBranch&)>> changes{
      [](TreeBranch& branch) { branch.features = 1; },
      [](TreeBranch& branch) { branch.has_offsets = true; },
      [](TreeBranch& branch) { branch.class_name = "TBranchElement"; },
      [](TreeBranch& branch) { branch.clones_class = "Jet"; },
      [](TreeBranch& branch) { branch.checksum = 7; },
      [](TreeBranch& branch) { branch.id = 7; },
      [](TreeBranch& branch) { branch.type = 7; },
      [](TreeBranch& branch) { branch.streamer_type = 7; },
      [](TreeBranch& branch) { branch.count_branch = 1; },
      [](TreeBranch& branch) { branch.parent = 1; }};
  for (const auto& change : changes) {
    TreeDifferences found;
    found.begin(first, "1.root");
    TreeDescriptor other = first;
    change(other.branches.own()[0]);
    found.compare(other, "2.root");
    EXPECT_EQ(found.sentences(), Texts({"\"x\" (x/F) is stored otherwise in 1.root than in 2.root"}));
  }
}

TEST_F(TreeDifferencesTest, ComparesWhatBelongsToTheTree) {
  first.index = TreeIndex{"run", "event", {}, {}, {}};
  first.aliases = {{"twice", "2 * x", ""}};
  first.friends = {{"f", "", "other"}};
  const std::vector<std::function<void(TreeDescriptor&)>> changes{
      [](TreeDescriptor& tree) { tree.weight = 2; },
      [](TreeDescriptor& tree) { tree.index->major = "lumi"; },
      [](TreeDescriptor& tree) { tree.index->minor = "lumi"; },
      [](TreeDescriptor& tree) { tree.index.reset(); },
      [](TreeDescriptor& tree) { tree.aliases[0].expression = "3 * x"; },
      [](TreeDescriptor& tree) { tree.aliases[0].name = "thrice"; },
      [](TreeDescriptor& tree) { tree.friends[0].tree = "another"; },
      [](TreeDescriptor& tree) { tree.friends.clear(); }};
  for (const auto& change : changes) {
    TreeDifferences found;
    found.begin(first, "1.root");
    found.compare(first, "1.root");
    TreeDescriptor other = first;
    change(other);
    found.compare(other, "2.root");
    EXPECT_EQ(found.sentences(),
              Texts({"weight, aliases, friends or index are not those of 1.root in 2.root"}));
  }
}

// Of such a branch the entries of the other file would be those of the first.
TEST_F(TreeDifferencesTest, BranchesAreFilledInAllFilesOrInNone) {
  TreeDescriptor without = first;
  without.branch_data[1].baskets.clear();
  without.branch_data[1].num_entries = 0;
  TreeDescriptor empty = first;
  empty.num_entries = 0;
  for (BranchData& branch : empty.branch_data) branch = {};
  for (const TreeDescriptor& tree : {first, empty, without, without}) differences.compare(tree, "2.root");
  EXPECT_EQ(differences.sentences(), Texts({"\"y\" was never filled, as it was in files before, in 2.root"}));
  TreeDifferences others;
  others.begin(without, "1.root");
  for (const TreeDescriptor& tree : {without, empty, first}) others.compare(tree, "2.root");
  EXPECT_EQ(others.sentences(), Texts({"\"y\" is filled, as in no file before, in 2.root"}));
}

TEST_F(TreeDifferencesTest, RefusesWhatCannotBeMerged) {
  TreeDescriptor other = first;
  other.branches.own()[0].problem = "it has no baskets";
  other.branch_data[1].num_entries = 2;
  other.friends = {{"f", "elsewhere.root", "t"}};
  other.other_parts = {"a list of user's objects (TList)"};
  differences.compare(other, "2.root");
  EXPECT_EQ(
      differences.sentences(),
      Texts({"a list of user's objects (TList) cannot be merged: the tree has it in 2.root",
             "the friend \"f\" lies in another file, elsewhere.root, whose entries would not follow: "
             "the tree has it in 2.root",
             "\"x\" cannot be merged, it has no baskets, in 2.root", "\"y\" has 2 of 3 entries in 2.root",
             "weight, aliases, friends or index are not those of 1.root in 2.root"}));
}

TEST_F(TreeDifferencesTest, PairsBranchesOfOneNameInTheirOrder) {
  const TreeDescriptor twice = tree_of({{"x", "TLeafF"}, {"y", "TLeafI"}, {"x", "TLeafD"}});
  TreeDifferences of_twice;
  of_twice.begin(twice, "1.root");
  EXPECT_EQ(of_twice.compare(tree_of({{"x", "TLeafF"}, {"x", "TLeafD"}, {"y", "TLeafI"}}), "2.root"),
            (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(of_twice.sentences(), Texts());
  of_twice.compare(tree_of({{"x", "TLeafD"}, {"y", "TLeafI"}, {"x", "TLeafF"}}), "3.root");
  of_twice.compare(tree_of({{"x", "TLeafF"}, {"y", "TLeafI"}}), "4.root");
  EXPECT_EQ(of_twice.sentences(), Texts({"\"x\" is x/F in 1.root and x/D in 3.root",
                                         "\"x\" (number 2) is x/D in 1.root and x/F in 3.root",
                                         "\"x\" (number 2) is missing in 4.root"}));
}

}  // namespace
