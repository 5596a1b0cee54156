// SPDX-License-Identifier: BSD-3-Clause
#include "ttree/tree_kinds.h"

#include "tree_of_leaves.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

// Branches are called by one letter each.
TreeDescriptor flat_tree(std::string_view letters, std::uint64_t num_entries = 3) {
  TreeOfLeaves tree;
  for (const char letter : letters) {
    const std::string name(1, letter);
    TreeLeaf leaf;
    leaf.name = leaf.title = name;
    leaf.class_name = "TLeafF";
    tree.add_branch(name, {leaf});
    BranchData& data = tree.descriptor.branch_data.back();
    data.num_entries = num_entries;
    if (num_entries > 0) data.baskets = {{.num_entries = num_entries, .offset = 100, .size = 80}};
  }
  tree.descriptor.num_entries = num_entries;
  return std::move(tree.descriptor);
}

std::vector<std::string> names_of(const ReadColumns& read) { return read.schema.names(); }

TEST(TreeKinds, TreesWithEqualBranchesShareThem) {
  TreeKinds kinds;
  TreeDescriptor first = flat_tree("xy"), second = flat_tree("xy", 50);
  EXPECT_EQ(kinds.find(first), kinds.find(second));
  EXPECT_EQ(&first.branches[0], &second.branches[0]);
  EXPECT_EQ(&first.leaves[0], &second.leaves[0]);
  EXPECT_EQ(first.classes, second.classes);
  EXPECT_EQ(second.branch_data[0].num_entries, 50u);
  EXPECT_EQ(kinds.find(first)->read_columns({}), kinds.find(second)->read_columns({}));
}

TEST(TreeKinds, OthersDoNot) {
  TreeKinds kinds;
  TreeDescriptor first = flat_tree("xy");
  const auto kind = kinds.find(first);
  TreeDescriptor order = flat_tree("yx");
  EXPECT_NE(kinds.find(order), kind);
  TreeDescriptor type = flat_tree("xy");
  type.leaves.own()[1].class_name = "TLeafD";
  EXPECT_NE(kinds.find(type), kind);
  EXPECT_EQ(first.leaves[1].class_name, "TLeafF");
  TreeDescriptor classes = flat_tree("xy");
  ClassLayouts layouts;
  layouts.add({"A", 1, 7, {}});
  classes.classes = std::make_shared<const ClassLayouts>(std::move(layouts));
  EXPECT_NE(kinds.find(classes), kind);
  TreeDescriptor empty = flat_tree("xy", 0);
  EXPECT_NE(kinds.find(empty), kind);
  TreeDescriptor again = flat_tree("xy");
  EXPECT_EQ(kinds.find(again), kind);
}

TEST(TreeKinds, MoreKindsThanAreComparedAreRightAllTheSame) {
  TreeKinds kinds;
  for (char letter = '0'; letter <= 'z'; ++letter) {
    TreeDescriptor tree = flat_tree({&letter, 1});
    EXPECT_EQ(names_of(*kinds.find(tree)->read_columns({})), std::vector<std::string>{{letter}});
  }
}

TEST(TreeKinds, WhatOneFileLacksIsReadOfOthers) {
  TreeKinds kinds;
  TreeDescriptor tree = flat_tree("xyz");
  const auto kind = kinds.find(tree);
  const auto all = kind->read_columns({});
  const auto some = kind->read_columns({.proven = {}, .problems = {{1, "it is short"}}});
  EXPECT_EQ(names_of(*all), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(names_of(*some), (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(some->num_columns, (std::vector<std::size_t>{1, 0, 1}));
  EXPECT_EQ(some->places, (std::vector<std::size_t>{0, 0}));
  ASSERT_EQ(some->found.unsupported.size(), 1u);
  EXPECT_EQ(some->found.unsupported[0].name, "y");
  EXPECT_EQ(some->found.unsupported[0].reason, "it is short");
  EXPECT_EQ(names_of(*kind->read_columns({})), names_of(*all));
}

}  // namespace
}  // namespace skimline::io
