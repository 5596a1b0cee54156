// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_metadata.h"

#include "fuzz_time.h"
#include "sample_tree.h"
#include "test_data.h"
#include "tree_promises.h"
#include "wrapped_tree.h"

#include "skimline/framework/error.h"

#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using skimline::testing::FuzzTime;
using skimline::testing::TreePromises;
using skimline::testing::WrappedTree;
using testing::SampleBasket;
using testing::SampleBranch;
using testing::SampleLeaf;
using testing::SampleTree;
using testing::SampleTreeWriter;

constexpr std::uint16_t kKeySize = 64;

std::vector<std::byte> streamed(const SampleTree& tree) { return SampleTreeWriter(kKeySize).write(tree); }

std::vector<char> file_with(const std::vector<std::byte>& object) {
  const std::vector<std::byte> bytes = wrap(WrappedTree{kKeySize, {}, object});
  const char* begin = reinterpret_cast<const char*>(bytes.data());
  return {begin, begin + bytes.size()};
}

TreeDescriptor read(const SampleTree& tree) {
  const TemporaryFile file(file_with(streamed(tree)));
  return read_tree(RootFile(file.path()), "t");
}

SampleBranch simple_branch(const std::string& name, std::int64_t num_entries) {
  const auto count = static_cast<std::int32_t>(num_entries);
  return {name, {{name, name}}, num_entries, {{0, count, 300, 60}}};
}

// Counters before and behind what they count, baskets in the file and in the tree, branches below others.
SampleTree rich_tree() {
  SampleTree tree;
  tree.num_entries = 10;
  SampleBranch jagged{"Jet_pt", {{"Jet_pt", "Jet_pt[nJet]", "TLeafF", 1, "nJet"}}, 10};
  jagged.baskets = {{0, 4, 100, 60}, {4, 3, 160, 60}, {7, 3}};
  SampleBranch matrix{"m", {{"m", "m[k][2][3]", "TLeafI", 6, "k"}}, 10, {{0, 10}}};
  SampleBranch parent{"lead", {}, 10};
  parent.children = {simple_branch("pt", 10), simple_branch("lead.mass", 10), simple_branch("xyz[3]", 10)};
  tree.branches = {jagged, simple_branch("nJet", 10), simple_branch("k", 10), matrix, parent};
  tree.cluster_ranges = {{3, 2}, {5, 10}};
  tree.auto_flush = 3;
  tree.aliases = {{"double_pt", "2 * Jet_pt"}};
  return tree;
}

TEST(TreeMetadata, HasBranchesWithTheirLeavesAndCounters) {
  const TreeDescriptor tree = read(rich_tree());
  EXPECT_EQ(tree.path, "t");
  EXPECT_EQ(tree.name, "t");
  EXPECT_EQ(tree.title, "a tree");
  EXPECT_EQ(tree.num_entries, 10U);
  ASSERT_EQ(tree.branches.size(), 8U);
  ASSERT_EQ(tree.leaves.size(), 7U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(tree.branches[i].leaves, std::vector{static_cast<std::uint32_t>(i)});
  EXPECT_EQ(tree.leaves[0].name, "Jet_pt");
  EXPECT_EQ(tree.leaves[0].counter, 1U);
  EXPECT_EQ(tree.leaves[1].counter, std::nullopt);
  EXPECT_EQ(tree.leaves[3].counter, 2U);
  EXPECT_EQ(tree.leaves[3].length, 6U);
  EXPECT_EQ(tree.leaves[3].dimensions, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(tree.leaves[3].class_name, "TLeafI");
  for (const TreeBranch& branch : tree.branches) EXPECT_EQ(branch.problem, "") << branch.name;
  ASSERT_EQ(tree.aliases.size(), 1U);
  EXPECT_EQ(tree.aliases[0].name, "double_pt");
  EXPECT_EQ(tree.aliases[0].expression, "2 * Jet_pt");
}

TEST(TreeMetadata, HasPathsWithThoseOfParents) {
  const TreeDescriptor tree = read(rich_tree());
  ASSERT_EQ(tree.branches.size(), 8U);
  EXPECT_EQ(tree.branches[4].path, "lead");
  EXPECT_EQ(tree.branches[5].path, "lead.pt");
  EXPECT_EQ(tree.branches[6].path, "lead.mass");
  EXPECT_EQ(tree.branches[7].path, "lead.xyz");
  EXPECT_EQ(tree.branches[7].name, "xyz[3]");
  for (std::size_t i = 5; i < 8; ++i) EXPECT_EQ(tree.branches[i].parent, 4U);
}

TEST(TreeMetadata, HasBasketsInTheFileAndInTheTree) {
  const TreeDescriptor tree = read(rich_tree());
  const std::vector<TreeBasket>& baskets = tree.branch_data[0].baskets;
  ASSERT_EQ(baskets.size(), 3U);
  EXPECT_EQ(baskets[0].first_entry, 0U);
  EXPECT_EQ(baskets[0].num_entries, 4U);
  EXPECT_EQ(baskets[0].offset, 100U);
  EXPECT_EQ(baskets[0].size, 60U);
  EXPECT_EQ(baskets[1].end_entry(), 7U);
  EXPECT_FALSE(baskets[1].is_embedded);
  EXPECT_TRUE(baskets[2].is_embedded);
  EXPECT_EQ(baskets[2].first_entry, 7U);
  // The key's version, behind its size.
  EXPECT_EQ(tree.object[baskets[2].offset + 4], std::byte{1004 >> 8});
  EXPECT_EQ(tree.object[baskets[2].offset + 5], std::byte{1004 & 0xFF});
  EXPECT_TRUE(tree.branch_data[4].baskets.empty());
}

// Those of ROOT 3 have any offset.
TEST(TreeMetadata, HasTheBasketBeingFilled) {
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{64}, std::int64_t{1} << 60}) {
    SampleBranch branch{"pt", {{"pt", "pt"}}, 10};
    branch.baskets = {{0, 4, 100, 60}, {4, 6, offset, -7, true}};
    const TreeDescriptor tree = read({10, {branch}});
    EXPECT_EQ(tree.branches[0].problem, "");
    const std::vector<TreeBasket>& baskets = tree.branch_data[0].baskets;
    ASSERT_EQ(baskets.size(), 2U);
    EXPECT_FALSE(baskets[0].is_embedded);
    EXPECT_TRUE(baskets[1].is_embedded);
    EXPECT_EQ(baskets[1].end_entry(), 10U);
  }
}

TEST(TreeMetadata, HasClusters) {
  EXPECT_EQ(read(rich_tree()).cluster_begins, (std::vector<std::uint64_t>{0, 2, 4, 6, 9}));
  SampleTree tree{1'000'000'000, {}};
  EXPECT_EQ(read(tree).cluster_begins, std::vector<std::uint64_t>{0});
  tree.auto_flush = 1000;
  EXPECT_EQ(read(tree).cluster_begins.size(), 1'000'000U);
  tree.auto_flush = 999;
  EXPECT_EQ(read(tree).cluster_begins, std::vector<std::uint64_t>{0});
  tree.auto_flush = -30'000'000;
  EXPECT_EQ(read(tree).cluster_begins, std::vector<std::uint64_t>{0});
  tree.cluster_ranges = {{5, 2}, {3, 2}};
  EXPECT_EQ(read(tree).cluster_begins, std::vector<std::uint64_t>{0});
  EXPECT_TRUE(read(SampleTree{0, {}}).cluster_begins.empty());
}

// What is wrong with a branch that other branches must not suffer from.
std::string problem_of(const SampleBranch& branch) {
  const TreeDescriptor tree = read({10, {simple_branch("before", 10), branch, simple_branch("behind", 10)}});
  EXPECT_EQ(tree.branches.size(), 3U);
  EXPECT_EQ(tree.branch_data.front().baskets.size(), 1U);
  EXPECT_EQ(tree.branch_data.back().baskets.size(), 1U);
  EXPECT_TRUE(tree.branch_data[1].baskets.empty());
  EXPECT_EQ(tree.branches[1].name, branch.name);
  return tree.branches[1].problem;
}

TEST(TreeMetadata, TellsWhyABranchCannotBeRead) {
  const std::vector<SampleLeaf> leaves{{"x", "x"}};
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 4, 100, 60}, {4, 3}, {8, 2}}}),
            "basket 2 begins at entry 8 and not at 7");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 4, 100, 60}, {4, 3, 160, 60}, {2, 3}}}),
            "basket 1 ends before it begins");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{1, 9, 100, 60}}}), "basket 0 begins at entry 1 and not at 0");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 4}}}), "its baskets have 4 entries and not 10");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 11}}}), "basket 0 has more entries than the branch");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 10, 1'000'000, 60}}}), "basket 0 lies outside the file");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 10, 100, 3}}}), "basket 0 lies outside the file");
  EXPECT_EQ(problem_of({"x", leaves, 10, {{0, 10, -100, 60}}}), "basket 0 lies outside the file");
  EXPECT_EQ(problem_of({"x", leaves, 10}), "it has no baskets");
  EXPECT_EQ(problem_of({"x", leaves, -1}), "its number of entries is negative");
  EXPECT_EQ(problem_of({"x", {{"x", "x", "TLeafF", 0}}, 10, {{0, 10}}}), "leaf \"x\" has the length 0");
  SampleBranch elsewhere{"x", leaves, 10, {{0, 10}}};
  elsewhere.file = "other.root";
  EXPECT_EQ(problem_of(elsewhere), "its data are in another file, other.root");
  SampleBranch unknown{"x", leaves, 10, {{0, 10}}};
  unknown.class_name = "TBranchSTL";
  EXPECT_EQ(problem_of(unknown), "branches of class TBranchSTL are not supported");
}

TEST(TreeMetadata, AcceptsBranchesWithOtherEntriesThanTheTree) {
  const TreeDescriptor tree = read({10, {simple_branch("more", 12), simple_branch("less", 3)}});
  EXPECT_EQ(tree.branch_data[0].num_entries, 12U);
  EXPECT_EQ(tree.branch_data[0].baskets.size(), 1U);
  EXPECT_EQ(tree.branch_data[1].num_entries, 3U);
  EXPECT_EQ(tree.branches[1].problem, "");
}

TEST(TreeMetadata, TakesLengthsThatTitlesDoNotTellAsOneDimension) {
  const auto dimensions = [](const std::string& title, std::int32_t length) {
    SampleBranch branch = simple_branch("x", 10);
    branch.leaves[0] = {"x", title, "TLeafD32", length};
    return read({10, {branch}}).leaves[0].dimensions;
  };
  using Dimensions = std::vector<std::uint64_t>;
  EXPECT_EQ(dimensions("x", 1), Dimensions{});
  EXPECT_EQ(dimensions("x[4]/d[0,10,16]", 4), Dimensions{4});
  EXPECT_EQ(dimensions("x[2][2]/d[-pi,pi]", 4), (Dimensions{2, 2}));
  EXPECT_EQ(dimensions("x[5]", 4), Dimensions{4});
  EXPECT_EQ(dimensions("x[2]", 4), Dimensions{4});
  EXPECT_EQ(dimensions("x[0]", 4), Dimensions{4});
  EXPECT_EQ(dimensions("x[99999999999999999999][4]", 4), Dimensions{4});
  EXPECT_EQ(dimensions("x[4", 4), Dimensions{4});
}

TEST(TreeMetadata, ListsTreesOnly) {
  const TemporaryFile file(file_with(streamed(rich_tree())));
  EXPECT_EQ(tree_names(RootFile(file.path())), std::vector<std::string>{"t"});
  EXPECT_THROW(read_tree(RootFile(file.path()), "other"), FileError);
  EXPECT_TRUE(is_tree_class("TNtupleD"));
  EXPECT_FALSE(is_tree_class("TH1D"));
}

// Reads a damaged tree; a fault is that of the file.
void check(std::vector<std::byte> object) {
  const std::vector<char> content = file_with(object);
  const TemporaryFile file(content);
  const RootFile root_file(file.path());
  try {
    EXPECT_EQ(TreePromises(read_tree(root_file, "t"), content.size()).broken(), "");
  } catch (const FileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(file.path())) << error.what();
  }
}

TEST(TreeMetadata, CutShortAreRefused) {
  const std::vector<std::byte> object = streamed(rich_tree());
  for (std::size_t size = 0; size < object.size(); size += size < 200 ? 1 : 7) {
    const TemporaryFile file(file_with({object.begin(), object.begin() + static_cast<std::ptrdiff_t>(size)}));
    const RootFile root_file(file.path());
    EXPECT_THROW(read_tree(root_file, "t"), FileError) << size;
  }
}

TEST(TreeMetadata, KeepsItsPromisesForDamagedTrees) {
  const std::vector<std::byte> object = streamed(rich_tree());
  for (std::size_t i = 0; i < object.size(); ++i)
    for (const int value : {0, 0x40, 0xFF}) {
      std::vector<std::byte> damaged = object;
      damaged[i] = static_cast<std::byte>(value);
      if (damaged[i] != object[i]) check(std::move(damaged));
    }
}

TEST(TreeMetadata, KeepsItsPromisesForAnyBytes) {
  const std::vector<std::byte> object = streamed(rich_tree());
  std::mt19937 random(1);
  for (const FuzzTime time; time.is_left();) {
    std::vector<std::byte> damaged = object;
    for (std::size_t i = 0, count = 1 + random() % 8; i < count; ++i) {
      const std::size_t place = random() % damaged.size();
      damaged[place] = static_cast<std::byte>(random());
      // Copies of other parts make more sense than single bytes do.
      const std::size_t size = std::min<std::size_t>(random() % 16, damaged.size() - place);
      const std::size_t from = random() % (damaged.size() - size);
      if (random() % 2 == 0)
        std::copy_n(object.begin() + static_cast<std::ptrdiff_t>(from), size,
                    damaged.begin() + static_cast<std::ptrdiff_t>(place));
    }
    check(std::move(damaged));
  }
}

}  // namespace
}  // namespace skimline::io
