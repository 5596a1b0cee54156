// SPDX-License-Identifier: BSD-3-Clause
#include "column_text.h"
#include "tree_of_leaves.h"
#include "ttree/column_search.h"

#include "skimline/io/format_error.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

TreeLeaf leaf(const std::string& title, const std::string& class_name, bool is_unsigned = false) {
  TreeLeaf leaf;
  leaf.name = title.substr(0, title.find_first_of("[/"));
  leaf.title = title;
  leaf.class_name = class_name;
  leaf.is_unsigned = is_unsigned;
  return leaf;
}

TreeLeaf array(TreeLeaf leaf, std::vector<std::uint64_t> dimensions) {
  for (const std::uint64_t dimension : dimensions) leaf.length *= dimension;
  leaf.dimensions = std::move(dimensions);
  return leaf;
}

TreeLeaf counted(TreeLeaf leaf, std::uint32_t counter) {
  leaf.counter = counter;
  return leaf;
}

// The column of a branch with this single leaf.
std::string decoded(const TreeLeaf& leaf, const std::vector<std::string>& entries, bool has_offsets = false) {
  TreeOfLeaves tree;
  tree.add_branch("nb", {io::leaf("nb", "TLeafI")});
  tree.add_branch("b", {leaf});
  return decoded_column(find_tree_columns(tree.descriptor), "b", entries, has_offsets);
}

TEST(LeafColumns, HaveNumbersOfAllTypes) {
  EXPECT_EQ(decoded(leaf("b", "TLeafO"), {"00", "01", "02", "ff"}), "0 1 1 1");
  EXPECT_EQ(decoded(leaf("b", "TLeafB"), {"00", "ff", "80"}), "0 -1 -128");
  EXPECT_EQ(decoded(leaf("b", "TLeafB", true), {"00", "ff"}), "0 255");
  EXPECT_EQ(decoded(leaf("b", "TLeafS"), {"0102", "fffe"}), "258 -2");
  EXPECT_EQ(decoded(leaf("b", "TLeafS", true), {"0102", "fffe"}), "258 65534");
  EXPECT_EQ(decoded(leaf("b", "TLeafI"), {"00010203", "ffffffff"}), "66051 -1");
  EXPECT_EQ(decoded(leaf("b", "TLeafI", true), {"00010203", "ffffffff"}), "66051 4294967295");
  EXPECT_EQ(decoded(leaf("b", "TLeafL"), {"0000000100000000", "ffffffffffffffff"}), "4294967296 -1");
  EXPECT_EQ(decoded(leaf("b", "TLeafG", true), {"ffffffffffffffff"}), "18446744073709551615");
  EXPECT_EQ(decoded(leaf("b", "TLeafF"), {"3fc00000", "c0000000"}), "1.5 -2");
  EXPECT_EQ(decoded(leaf("b", "TLeafD"), {"3ff8000000000000"}), "1.5");
}

TEST(LeafColumns, HaveArraysOfFixedSize) {
  EXPECT_EQ(decoded(array(leaf("b[3]", "TLeafS"), {3}), {"000100020003", "000400050006"}), "[1,2,3] [4,5,6]");
  EXPECT_EQ(decoded(array(leaf("b[2][3]", "TLeafB"), {2, 3}), {"010203040506", "0708090a0b0c"}),
            "[[1,2,3],[4,5,6]] [[7,8,9],[10,11,12]]");
  EXPECT_EQ(decoded(array(leaf("b[2][1][3]", "TLeafB"), {2, 1, 3}), {"010203040506", "0708090a0b0c"}),
            "[[[1,2,3]],[[4,5,6]]] [[[7,8,9]],[[10,11,12]]]");
  EXPECT_EQ(decoded(array(leaf("b[1]", "TLeafB"), {1}), {"01", "02"}), "[1] [2]");
}

TEST(LeafColumns, HaveArraysWithACounter) {
  const TreeLeaf list = counted(leaf("b[nb]", "TLeafF"), 0);
  EXPECT_EQ(decoded(list, {"3fc00000 c0000000", "", "3f800000"}, true), "[1.5,-2] [] [1]");
  EXPECT_EQ(decoded(list, {"3fc00000", "c0000000"}), "[1.5] [-2]");
  EXPECT_EQ(decoded(list, {"", ""}), "[] []");
  const TreeLeaf arrays = counted(array(leaf("b[nb][3]", "TLeafB"), {3}), 0);
  EXPECT_EQ(decoded(arrays, {"010203 040506", "", "070809"}, true), "[[1,2,3],[4,5,6]] [] [[7,8,9]]");
  const TreeLeaf tables = counted(array(leaf("b[nb][2][1]", "TLeafB"), {2, 1}), 0);
  EXPECT_EQ(decoded(tables, {"0102 0304", "", "0506"}, true), "[[[1],[2]],[[3],[4]]] [] [[[5],[6]]]");
}

TEST(LeafColumns, HaveReducedNumbers) {
  EXPECT_EQ(decoded(leaf("b/f", "TLeafF16"), {"7f0800", "800000", "7f2800"}), "1.5 2 -1.5");
  EXPECT_EQ(decoded(leaf("b/d", "TLeafD32"), {"3fc00000"}), "1.5");
  EXPECT_EQ(decoded(leaf("b/d[0,10,16]", "TLeafD32"), {"00000000", "00008000"}), "0 5");
  EXPECT_EQ(decoded(leaf("b/d[0,10]", "TLeafD32"), {"ffffffff"}), "10");
  EXPECT_EQ(decoded(leaf("b/d[0,0,3]", "TLeafD32"), {"7f0004", "7f0014"}), "1.5 -1.5");
  EXPECT_EQ(decoded(array(leaf("b[2]/d[0,2*pi,4]", "TLeafD32"), {2}), {"00000008 00000000"}),
            "[3.1415926535897931,0]");
  EXPECT_EQ(decoded(counted(leaf("b[nb]/f", "TLeafF16"), 0), {"7f0800 800000", ""}, true), "[1.5,2] []");
}

TEST(LeafColumns, HaveStrings) {
  EXPECT_EQ(decoded(leaf("b/C", "TLeafC"), {"026162", "", "00", "0163"}, true), "\"ab\" \"\" \"\" \"c\"");
  std::string text = "ff0000012c";
  for (int i = 0; i < 300; ++i) text += "78";
  EXPECT_EQ(decoded(leaf("b/C", "TLeafC"), {text}), "\"" + std::string(300, 'x') + "\"");
}

TEST(LeafColumns, AreLeavesOfAListInPackedOrder) {
  TreeOfLeaves tree;
  tree.add_branch("b", {leaf("d", "TLeafD"), array(leaf("a[2]", "TLeafS"), {2}), leaf("c", "TLeafB")});
  const TreeColumns columns = find_tree_columns(tree.descriptor);
  const std::vector<std::string> entries = {"3ff8000000000000 0001 0002 03", "4000000000000000 0004 0005 06"};
  EXPECT_EQ(decoded_column(columns, "b.d", entries), "1.5 2");
  EXPECT_EQ(decoded_column(columns, "b.a", entries), "[1,2] [4,5]");
  EXPECT_EQ(decoded_column(columns, "b.c", entries), "3 6");
  EXPECT_EQ(decoded_column(columns, "b.c", entries, true), "3 6");
}

TEST(LeafColumns, AreLeavesOfAListWithACounterInside) {
  TreeOfLeaves tree;
  tree.add_branch("b", {leaf("k", "TLeafB"), counted(leaf("x[k]", "TLeafS"), 0),
                        counted(array(leaf("w[k][2]", "TLeafB"), {2}), 0), leaf("s", "TLeafC"),
                        array(leaf("m[2]", "TLeafB"), {2}), leaf("t", "TLeafC")});
  const TreeColumns columns = find_tree_columns(tree.descriptor);
  const std::vector<std::string> entries = {"02 00010002 01020304 0161 0506 0162", "00 00 0708"};
  EXPECT_EQ(decoded_column(columns, "b.k", entries, true), "2 0");
  EXPECT_EQ(decoded_column(columns, "b.x", entries, true), "[1,2] []");
  EXPECT_EQ(decoded_column(columns, "b.w", entries, true), "[[1,2],[3,4]] []");
  EXPECT_EQ(decoded_column(columns, "b.s", entries, true), "\"a\" \"\"");
  EXPECT_EQ(decoded_column(columns, "b.m", entries, true), "[5,6] [7,8]");
  EXPECT_EQ(decoded_column(columns, "b.t", entries, true), "\"b\" \"\"");
  EXPECT_THROW(decoded_column(columns, "b.x", {"ff 0001"}, true), FormatError);
  EXPECT_THROW(decoded_column(columns, "b.x", {"7f 0001"}, true), FormatError);
}

TEST(LeafColumns, AreTablesInAListWithACounterInside) {
  TreeOfLeaves tree;
  tree.add_branch("b", {leaf("k", "TLeafB"), counted(array(leaf("w[k][2][3]", "TLeafB"), {2, 3}), 0),
                        array(leaf("m[2][1][2]", "TLeafB"), {2, 1, 2}), leaf("t", "TLeafC")});
  const TreeColumns columns = find_tree_columns(tree.descriptor);
  const std::vector<std::string> entries = {"02 010203040506 0708090a0b0c 01020304 0162", "00 05060708"};
  EXPECT_EQ(decoded_column(columns, "b.w", entries, true), "[[[1,2,3],[4,5,6]],[[7,8,9],[10,11,12]]] []");
  EXPECT_EQ(decoded_column(columns, "b.m", entries, true), "[[[1,2]],[[3,4]]] [[[5,6]],[[7,8]]]");
  EXPECT_EQ(decoded_column(columns, "b.t", entries, true), "\"b\" \"\"");
}

TEST(LeafColumns, AreNamedAsTheirBranchIfTheyAreAlone) {
  TreeOfLeaves tree;
  tree.add_branch("b", {leaf("other", "TLeafI")});
  EXPECT_EQ(find_tree_columns(tree.descriptor).columns.at(0).name, "b");
}

TEST(LeafColumns, SayTheirTypesAsROOTDoes) {
  TreeOfLeaves tree;
  tree.add_branch("nJet", {leaf("nJet", "TLeafI", true)});
  tree.add_branch("pt", {counted(leaf("pt[nJet]", "TLeafF"), 0)});
  tree.add_branch("m", {array(leaf("m[2][3]", "TLeafI"), {2, 3})});
  tree.add_branch("w", {counted(array(leaf("w[nJet][3]", "TLeafO"), {3}), 0)});
  tree.add_branch("s", {leaf("s/C", "TLeafC")});
  std::vector<std::string> names;
  for (const TreeColumn& column : find_tree_columns(tree.descriptor).columns)
    names.push_back(column.type_name);
  EXPECT_EQ(names, (std::vector<std::string>{"UInt_t", "Float_t[nJet]", "Int_t[2][3]", "Bool_t[nJet][3]",
                                             "Char_t*"}));
}

TEST(LeafColumns, SayWhyTheyCannotBeRead) {
  TreeOfLeaves tree;
  tree.add_branch("n", {leaf("n", "TLeafI")});
  tree.add_branch("deep", {array(leaf("deep[2][2][2][2]", "TLeafI"), {2, 2, 2, 2})});
  tree.add_branch("w", {counted(array(leaf("w[n][2][2][2]", "TLeafI"), {2, 2, 2}), 0)});
  tree.add_branch("object", {leaf("object", "TLeafObject")});
  tree.add_branch("n", {leaf("n", "TLeafI")});
  TreeLeaf odd = array(leaf("odd[2]", "TLeafI"), {2});
  odd.length = 3;
  tree.add_branch("odd", {odd});
  TreeLeaf huge = leaf("huge", "TLeafI");
  huge.length = std::uint64_t{1} << 62;
  tree.add_branch("huge", {huge});
  tree.add_branch("damaged", {leaf("damaged", "TLeafI")});
  tree.descriptor.branches.own().back().problem = "is damaged";
  std::vector<std::string> reasons;
  for (const UnsupportedField& field : find_tree_columns(tree.descriptor).unsupported)
    reasons.push_back(field.name + ": " + field.reason);
  EXPECT_EQ(reasons, (std::vector<std::string>{
                         "deep: has 4 levels of lists, at most 3 can be used",
                         "w: has 4 levels of lists, at most 3 can be used",
                         "object: leaves of class TLeafObject cannot be read",
                         "n: another branch has this name",
                         "odd: has arrays whose dimensions contradict their length",
                         "huge: has arrays of 4611686018427387904 values",
                         "damaged: is damaged",
                     }));
}

TEST(LeafColumns, HaveDescriptionsButNotLeafLists) {
  TreeOfLeaves tree;
  tree.add_branch("n", {leaf("n", "TLeafI")}, "n/I");
  tree.add_branch("x", {counted(leaf("x[n]", "TLeafF"), 0)}, "x[n]/F");
  tree.add_branch("l", {leaf("a", "TLeafF"), leaf("b", "TLeafI")}, "a/F:b/I");
  tree.add_branch("pt", {leaf("pt", "TLeafF")}, "transverse momentum");
  std::vector<std::string> descriptions;
  for (const TreeColumn& column : find_tree_columns(tree.descriptor).columns)
    descriptions.push_back(column.description);
  EXPECT_EQ(descriptions, (std::vector<std::string>{"", "", "", "", "transverse momentum"}));
}

TEST(LeafColumns, RefuseEntriesOfOtherSizes) {
  EXPECT_THROW(decoded(leaf("b", "TLeafI"), {"000000", "000000"}), FormatError);
  EXPECT_THROW(decoded(leaf("b", "TLeafI"), {"0000000000", "000000"}, true), FormatError);
  EXPECT_THROW(decoded(counted(leaf("b[nb]", "TLeafI"), 0), {"00000000", "0000"}, true), FormatError);
  EXPECT_THROW(decoded(counted(leaf("b[nb]/f", "TLeafF16"), 0), {"000000", "0000"}, true), FormatError);
  EXPECT_THROW(decoded(leaf("b/C", "TLeafC"), {"0261"}), FormatError);
  EXPECT_THROW(decoded(leaf("b/C", "TLeafC"), {"0161ff"}), FormatError);
  EXPECT_THROW(decoded(leaf("b/C", "TLeafC"), {"ff7fffffff61"}), FormatError);
  EXPECT_THROW(decoded(leaf("b/C", "TLeafC"), {"ff"}), FormatError);
}

TEST(LeafColumns, SayWhichEntryIsWrong) {
  try {
    decoded(counted(leaf("b[nb]", "TLeafI"), 0), {"00000000", "", "0000"}, true);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "entry 2 of the basket has not the bytes of its values");
  }
}

std::vector<std::string> collections_of(const TreeOfLeaves& tree) {
  std::vector<std::string> result;
  for (const Collection& collection : find_tree_columns(tree.descriptor).collections) {
    std::string text = collection.name + "(" + collection.count + "," + collection.description + ")";
    for (const std::string& column : collection.columns) text += " " + column;
    result.push_back(text);
  }
  return result;
}

TEST(TreeCollections, AreColumnsWithOneCounter) {
  TreeOfLeaves tree;
  tree.add_branch("nJet", {leaf("nJet", "TLeafI")}, "AK4 jets");
  tree.add_branch("Jet_pt", {counted(leaf("Jet_pt[nJet]", "TLeafF"), 0)});
  tree.add_branch("met", {leaf("met", "TLeafF")});
  tree.add_branch("Jet_eta", {counted(leaf("Jet_eta[nJet]", "TLeafF"), 0)});
  tree.add_branch("alone", {counted(leaf("alone[nJet]", "TLeafF"), 0)});
  tree.add_branch("count", {leaf("count", "TLeafI")}, "count/I");
  tree.add_branch("ele_x", {counted(leaf("ele_x[count]", "TLeafF"), 5)});
  tree.add_branch("ele_y", {counted(leaf("ele_y[count]", "TLeafF"), 5)});
  tree.add_branch("k", {leaf("k", "TLeafI")});
  tree.add_branch("x", {counted(leaf("x[k]", "TLeafF"), 8)});
  tree.add_branch("y", {counted(leaf("y[k]", "TLeafF"), 8)});
  EXPECT_EQ(collections_of(tree),
            (std::vector<std::string>{"Jet(nJet,AK4 jets) Jet_pt Jet_eta", "ele(count,) ele_x ele_y"}));
}

TEST(LeafColumns, SurviveAnyBytes) {
  std::mt19937 random(2);
  TreeOfLeaves tree;
  tree.add_branch("n", {leaf("n", "TLeafI")});
  tree.add_branch("x", {counted(leaf("x[n]", "TLeafF"), 0)});
  tree.add_branch("w", {counted(array(leaf("w[n][3]", "TLeafS"), {3}), 0)});
  tree.add_branch("m", {array(leaf("m[2][3]", "TLeafB"), {2, 3})});
  tree.add_branch("s", {leaf("s", "TLeafC")});
  tree.add_branch("h", {leaf("h", "TLeafF16")});
  const TreeColumns columns = find_tree_columns(tree.descriptor);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::string> entries(random() % 4);
    for (std::string& entry : entries)
      for (unsigned i = random() % 8; i > 0; --i) entry += random() % 2 == 0 ? "02" : "ff";
    for (const TreeColumn& column : columns.columns) {
      try {
        decoded_column(columns, column.name, entries, true);
      } catch (const FormatError&) {
      }
    }
  }
}

}  // namespace
}  // namespace skimline::io
