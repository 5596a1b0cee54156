// SPDX-License-Identifier: BSD-3-Clause
#include "column_text.h"
#include "tree_of_leaves.h"
#include "ttree/column_search.h"

#include "skimline/io/format_error.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

ClassMember member(const std::string& name, const std::string& type_name, int type) {
  ClassMember member;
  member.name = name;
  member.type_name = type_name;
  member.type = type;
  member.element_class = type == 500 ? "TStreamerSTL" : "TStreamerBasicType";
  return member;
}

ClassMember array_member(ClassMember member, std::uint64_t length) {
  member.array_length = length;
  member.dimensions = {length};
  return member;
}

ClassMember base(const std::string& name) {
  ClassMember member = io::member(name, "BASE", 0);
  member.element_class = "TStreamerBase";
  return member;
}

// Classes that the tests use: Part, which Whole has in all ways.
ClassLayouts layouts() {
  ClassLayouts layouts;
  layouts.add({"Base", 1, 0xB, {member("b", "int", 3)}});
  ClassLayout part{"Part", 1, 0xC1398AFD, {base("Base"), member("pt", "float", 5)}};
  part.members.push_back(array_member(member("xy", "short", 22), 2));
  part.members.push_back(member("label", "string", 500));
  part.members.push_back(member("hits", "vector<short>", 500));
  layouts.add(part);
  ClassLayout whole{"Whole", 3, 0x3, {member("n", "int", 6), member("ok", "bool", 18)}};
  whole.members.push_back(member("values", "float*", 45));
  whole.members.back().count_name = "n";
  whole.members.push_back(member("pointer", "Part*", 64));
  whole.members.push_back(member("part", "Part", 62));
  whole.members.push_back(member("parts", "vector<Part>", 500));
  whole.members.push_back(member("map", "map<string,int>", 500));
  whole.members.push_back(member("odd", "Odd", 999));
  whole.members.push_back(member("behind", "int", 3));
  layouts.add(whole);
  return layouts;
}

TreeDescriptor tree_of(const std::string& class_name, int id = -1, int type = 0) {
  TreeDescriptor tree;
  TreeBranch branch;
  branch.name = branch.path = branch.title = "b";
  branch.class_name = "TBranchElement";
  branch.object_class = class_name;
  branch.class_version = class_name == "Whole" ? 3 : 1;
  branch.id = id;
  branch.type = type;
  tree.branches.push_back(branch);
  tree.branch_data.resize(1);
  tree.classes = std::make_shared<const ClassLayouts>(layouts());
  return tree;
}

void add_class(TreeDescriptor& tree, ClassLayout layout) {
  ClassLayouts classes = *tree.classes;
  classes.add(std::move(layout));
  tree.classes = std::make_shared<const ClassLayouts>(std::move(classes));
}

std::string decoded(const TreeDescriptor& tree, const std::vector<std::string>& entries,
                    const std::string& column = "b") {
  return decoded_column(find_tree_columns(tree), column, entries, true);
}

TEST(ElementColumns, HaveVectorsOfNumbers) {
  EXPECT_EQ(decoded(tree_of("vector<float>"), {"4000000a 000a 00000001 3fc00000", "40000006 000a 00000000"}),
            "[1.5] []");
  EXPECT_EQ(decoded(tree_of("vector<bool>"), {"40000008 000a 00000002 02 00"}), "[1,0]");
  EXPECT_EQ(decoded(tree_of("ROOT::VecOps::RVec<short>"), {"40000008 000a 00000001 0102"}), "[258]");
  EXPECT_EQ(decoded(tree_of("std::vector<unsigned char>"), {"40000009 000a 00000003 0102ff"}), "[1,2,255]");
  EXPECT_EQ(decoded(tree_of("set<double>"), {"4000000e 000a 00000001 3ff8000000000000"}), "[1.5]");
  EXPECT_EQ(decoded(tree_of("vector<Double32_t>"), {"4000000a 000a 00000001 3fc00000"}), "[1.5]");
}

TEST(ElementColumns, HaveLongVectors) {
  std::vector<std::string> entries;
  std::string expected;
  for (int size = 0; size < 40; ++size) {
    char head[40];
    std::snprintf(head, sizeof head, "%08x000a%08x", 0x40000006 + 2 * size, size);
    entries.emplace_back(head);
    expected += size == 0 ? "[" : " [";
    for (int i = 0; i < size; ++i) {
      entries.back() += "01" + std::string(i % 2 == 0 ? "02" : "03");
      expected += std::string(i == 0 ? "" : ",") + (i % 2 == 0 ? "258" : "259");
    }
    expected += "]";
  }
  EXPECT_EQ(decoded(tree_of("vector<short>"), entries), expected);
}

TEST(ElementColumns, HaveListsOfListsAndStrings) {
  EXPECT_EQ(decoded(tree_of("vector<vector<float> >"),
                    {"40000012 000a 00000002 00000001 3f800000 00000000", "40000006 000a 00000000"}),
            "[[1],[]] []");
  EXPECT_EQ(decoded(tree_of("vector<string>"), {"4000000a 000a 00000002 00 026262"}), "[\"\",\"bb\"]");
  EXPECT_EQ(decoded(tree_of("string", -1, -1), {"02 7171", "00"}), "\"qq\" \"\"");
  EXPECT_EQ(decoded(tree_of("TString", -1, -1), {"02 7171", "00"}), "\"qq\" \"\"");
}

TreeDescriptor tree_of_words(int id = -1, int type = 0) {
  TreeDescriptor tree = tree_of("Words", id, type);
  add_class(tree,
            {"Words", 1, 1, {array_member(member("words", "TString", 85), 2), member("last", "int", 3)}});
  return tree;
}

// One header for the array, and for those of all objects in a list.
TEST(ElementColumns, HaveFixedArraysOfTexts) {
  const std::string object = "40000007 000a 01 61 02 6262 00000007";
  EXPECT_EQ(decoded(tree_of_words(), {object}, "b.words"), "[\"a\",\"bb\"]");
  EXPECT_EQ(decoded(tree_of_words(), {object}, "b.last"), "7");
  EXPECT_EQ(decoded(tree_of_words(0), {"40000007 000a 01 61 02 6262"}), "[\"a\",\"bb\"]");
  EXPECT_EQ(decoded(tree_of_words(0, 41), {"4000000a 000a 01 61 02 6262 00 01 63", ""}),
            "[[\"a\",\"bb\"],[\"\",\"c\"]] []");
  EXPECT_THROW(decoded(tree_of_words(0), {"40000004 000a 01 61"}), FormatError);
}

// `type` is 500, or 82 where ROOT found them in a std::array.
TreeDescriptor tree_of_pairs(const std::string& type_name, int type, int id = -1, int branch_type = 0) {
  TreeDescriptor tree = tree_of("Pairs", id, branch_type);
  add_class(tree, {"Point", 1, 0xABCD, {member("q", "short", 2), member("r", "short", 2)}});
  add_class(tree,
            {"Pairs", 1, 1, {array_member(member("two", type_name, type), 2), member("last", "int", 3)}});
  return tree;
}

// One header for the array, and for those of all objects in a list.
TEST(ElementColumns, HaveFixedArraysOfCollections) {
  const std::string two = "40000010 000a 00000001 0102 00000002 0103 0104";
  EXPECT_EQ(decoded(tree_of_pairs("vector<short>", 500), {two + "00000007"}, "b.two"), "[[258],[259,260]]");
  EXPECT_EQ(decoded(tree_of_pairs("vector<short>", 500), {two + "00000007"}, "b.last"), "7");
  EXPECT_EQ(decoded(tree_of_pairs("vector<short>", 500, 0), {two}), "[[258],[259,260]]");
  EXPECT_EQ(
      decoded(tree_of_pairs("vector<short>", 500, 0, 41),
              {"40000018 000a 00000001 0102 00000000 00000000 00000002 0103 0104", "40000002 000a", ""}),
      "[[[258],[]],[[],[259,260]]] [] []");
  EXPECT_EQ(decoded(tree_of_pairs("string", 500, 0, 41), {"40000008 000a 01 61 00 00 01 62"}),
            "[[\"a\",\"\"],[\"\",\"b\"]]");
  EXPECT_THROW(decoded(tree_of_pairs("vector<short>", 500, 0), {"40000008 000a 00000001 0102"}), FormatError);
}

TEST(ElementColumns, HaveFixedArraysOfListsOfObjects) {
  const std::string columns = "40000018 400a 0000 0000abcd 00000000 00000002 0001 0002 0003 0004";
  EXPECT_EQ(decoded(tree_of_pairs("vector<Point>", 500), {columns + "00000007"}, "b.two.q"), "[[],[1,2]]");
  EXPECT_EQ(decoded(tree_of_pairs("vector<Point>", 500), {columns + "00000007"}, "b.two.r"), "[[],[3,4]]");
  EXPECT_EQ(decoded(tree_of_pairs("vector<Point>", 500), {columns + "00000007"}, "b.last"), "7");
}

// Of objects that are stored member by member each has its own count; `b` is behind all of them.
TEST(ElementColumns, HaveArraysThatMembersOfSeveralObjectsCount) {
  ClassMember values = member("values", "short*", 42);
  values.count_name = "n";
  TreeDescriptor tree = tree_of("vector<Counted>");
  add_class(tree,
            {"Counted", 1, 0xABCD, {base("Base"), member("n", "int", 6), values, member("m", "short", 2)}});
  const std::string head = "0000 0000abcd 00000003 00000007 00000008 00000009 ";
  const std::string entry =
      "40000033 400a " + head + "00000002 00000000 00000001 01 0102 0103 00 01 0104 000a 000b 000c";
  EXPECT_EQ(decoded(tree, {entry}, "b.n"), "[2,0,1]");
  EXPECT_EQ(decoded(tree, {entry}, "b.values"), "[[258,259],[],[260]]");
  EXPECT_EQ(decoded(tree, {entry}, "b.m"), "[10,11,12]");
  const std::string wrong =
      "40000033 400a " + head + "00000002 00000000 ffffffff 01 0102 0103 00 01 0104 000a 000b 000c";
  EXPECT_THROW(decoded(tree, {wrong}, "b.m"), FormatError);
}

// What is behind them must not be lost.
TEST(ElementColumns, PassOverObjectsThatAMemberCounts) {
  ClassMember objects = member("objects", "Part*", 501);
  objects.count_name = "n";
  const ClassLayout counted{"Counted", 1, 0xABCD, {member("n", "int", 6), objects, member("m", "short", 2)}};
  TreeDescriptor tree = tree_of("Counted");
  add_class(tree, counted);
  EXPECT_EQ(decoded(tree, {"00000002 40000006 000a ffffffff 000b"}, "b.m"), "11");
  tree = tree_of("vector<Counted>");
  add_class(tree, counted);
  // One header for all objects.
  EXPECT_EQ(
      decoded(tree, {"40000020 400a 0000 0000abcd 00000002 00000000 00000001 40000004 000a ffff 000b 000c"},
              "b.m"),
      "[11,12]");
}

TEST(ElementColumns, PassOverFixedArraysOfPointers) {
  TreeDescriptor tree = tree_of("Holder");
  add_class(tree,
            {"Holder", 1, 1, {array_member(member("pointers", "Part*", 69), 2), member("m", "short", 2)}});
  EXPECT_EQ(decoded(tree, {"00000000 00000000 000b", "40000004 80000010 00000010 000c"}, "b.m"), "11 12");
  tree = tree_of("Owner");
  add_class(tree, {"Point", 1, 1, {member("q", "short", 2)}});
  add_class(tree,
            {"Owner", 1, 1, {array_member(member("points", "Point*", 68), 2), member("m", "short", 2)}});
  const std::string owner = "40000004 0001 0007 40000004 0001 0008 000b";
  EXPECT_EQ(decoded(tree, {owner}, "b.m"), "11");
  EXPECT_EQ(decoded(tree, {owner}, "b.points.q"), "[7,8]");
}

TEST(ElementColumns, HaveStdArraysOfCollections) {
  const std::string two = "00000001 0102 00000002 0103 0104";
  EXPECT_EQ(decoded(tree_of_pairs("vector<short>", 82), {two + "00000007"}, "b.two"), "[[258],[259,260]]");
  EXPECT_EQ(decoded(tree_of_pairs("vector<short>", 82), {two + "00000007"}, "b.last"), "7");
  EXPECT_EQ(decoded(tree_of_pairs("vector<short>", 82, 0, 41), {two + "00000000 00000000", ""}),
            "[[[258],[259,260]],[[],[]]] []");
}

// Where nothing says how long an enumeration is, nobody knows where the array ends.
TEST(ElementColumns, LackWhatIsBehindArraysOfUnknownItems) {
  const TreeColumns columns = find_tree_columns(tree_of_pairs("vector<Color>", 82));
  EXPECT_TRUE(columns.columns.empty());
  ASSERT_EQ(columns.unsupported.size(), 2U);
  EXPECT_EQ(columns.unsupported[1].reason, "follows \"two\", whose size is not known");
  EXPECT_EQ(decoded(tree_of_pairs("vector<Color>", 500),
                    {"4000000e 000a 00000001 00000001 00000000 00000007"}, "b.last"),
            "7");
}

// As ROOT wrote them.
TEST(ElementColumns, HaveBitsOfBitsets) {
  EXPECT_EQ(decoded(tree_of("bitset<12>"), {"40000012 000a 0000000c 010001000001000000000000"}),
            "[1,0,1,0,0,1,0,0,0,0,0,0]");
  EXPECT_EQ(
      decoded(tree_of("vector<bitset<5> >"),
              {"40000018 000a 00000002 00000005 0001000000 00000005 0101000000", "40000006 000a 00000000"}),
      "[[0,1,0,0,0],[1,1,0,0,0]] []");
}

TEST(ElementColumns, HaveTheNumbersOfReferences) {
  const std::string object = "0001 00000007 00000000 ";
  EXPECT_EQ(decoded(tree_of("TRef", -1, -1), {object + "0000", "0001 00000009 00000010 0002 0000"}), "7 9");
  EXPECT_EQ(decoded(tree_of("TRefArray", -1, -1),
                    {"4000001f 0001 " + object + "00 00000002 00000000 0000 00000007 00000009"}),
            "[7,9]");
}

// What counts elements is no element.
TEST(ElementColumns, HaveNegativeValuesInArraysOfOne) {
  TreeDescriptor tree = tree_of("Two");
  add_class(tree, {"Counts", 1, 1, {member("n", "int", 6)}});
  ClassLayout two{"Two", 1, 2, {base("Counts"), member("a", "float*", 45), member("b", "float*", 45)}};
  for (std::size_t i = 1; i < 3; ++i) two.members[i].count_name = "n";
  add_class(tree, two);
  const std::vector<std::string> entries = {"40000006 0001 00000001 01 bf800000 01 c0000000",
                                            "40000006 0001 00000000 00 00"};
  EXPECT_EQ(decoded(tree, entries, "b.a"), "[-1] []");
  EXPECT_EQ(decoded(tree, entries, "b.b"), "[-2] []");
}

const std::string kWhole =
    "00000001 01 01 3fc00000 00000000"
    // part, with its base
    "4000002c 0000 c1398afd 40000006 0001 00000007 3f800000 0001 0002 40000004 0009 0161 40000008 0009 "
    "00000001 0005"
    // parts, member by member
    "4000003c 4009 0000 c1398afd 00000002 00000008 00000009 3f800000 40000000 0003 0004 0005 0006"
    "40000004 0009 00 00 4000000c 0009 00000001 0007 00000000";

TEST(ElementColumns, HaveMembersOfWholeObjects) {
  const TreeDescriptor tree = tree_of("Whole");
  // What is behind the map is not known, so that it need not be there.
  const std::vector<std::string> entries = {kWhole + "40000006 0009 00000000"};
  EXPECT_EQ(decoded(tree, entries, "b.n"), "1");
  EXPECT_EQ(decoded(tree, entries, "b.ok"), "1");
  EXPECT_EQ(decoded(tree, entries, "b.values"), "[1.5]");
  EXPECT_EQ(decoded(tree, entries, "b.part.b"), "7");
  EXPECT_EQ(decoded(tree, entries, "b.part.pt"), "1");
  EXPECT_EQ(decoded(tree, entries, "b.part.xy"), "[1,2]");
  EXPECT_EQ(decoded(tree, entries, "b.part.label"), "\"a\"");
  EXPECT_EQ(decoded(tree, entries, "b.part.hits"), "[5]");
  EXPECT_EQ(decoded(tree, entries, "b.parts.b"), "[8,9]");
  EXPECT_EQ(decoded(tree, entries, "b.parts.pt"), "[1,2]");
  EXPECT_EQ(decoded(tree, entries, "b.parts.xy"), "[[3,4],[5,6]]");
  EXPECT_EQ(decoded(tree, entries, "b.parts.label"), "[\"\",\"\"]");
  EXPECT_EQ(decoded(tree, entries, "b.parts.hits"), "[[7],[]]");
  EXPECT_EQ(decoded(tree, entries, "b.map.first"), "[]");
}

TEST(ElementColumns, SayWhichMembersCannotBeRead) {
  std::vector<std::string> reasons;
  for (const UnsupportedField& field : find_tree_columns(tree_of("Whole")).unsupported)
    reasons.push_back(field.name + ": " + field.reason);
  EXPECT_EQ(reasons, (std::vector<std::string>{"b.pointer: pointers to Part cannot be followed",
                                               "b.odd: members of type 999 cannot be read",
                                               "b.behind: follows \"odd\", whose size is not known"}));
  EXPECT_EQ(find_tree_columns(tree_of("Nobody")).unsupported.at(0).reason,
            "the file does not describe class Nobody");
}

TEST(ElementColumns, HaveSingleMembers) {
  EXPECT_EQ(decoded(tree_of("Whole", 1), {"01", "00"}), "1 0");
  EXPECT_EQ(decoded(tree_of("Whole", 2), {"00", "01 3f800000"}), "[] [1]");
  EXPECT_EQ(decoded(tree_of("Part", 2), {"00010002"}), "[1,2]");
  EXPECT_EQ(decoded(tree_of("Part", 3), {"40000005 000a 02 7173"}), "\"qs\"");
}

TEST(ElementColumns, HaveMembersOfSplitCollections) {
  EXPECT_EQ(decoded(tree_of("Part", 1, 41), {"3f800000 40000000", ""}), "[1,2] []");
  EXPECT_EQ(decoded(tree_of("Part", 2, 31), {"0001 0002 0003 0004", ""}), "[[1,2],[3,4]] []");
  EXPECT_EQ(decoded(tree_of("Part", 3, 41), {"40000005 0009 00 0161", "40000002 0009"}), "[\"\",\"a\"] []");
  EXPECT_EQ(decoded(tree_of("Part", 4, 41), {"4000000c 000a 00000000 00000001 0007", "40000002 000a"}),
            "[[],[7]] []");
  EXPECT_EQ(decoded(tree_of("Whole", 5, 41),
                    {"4000002d 4009 0000 c1398afd 00000000 00000001 00000008 3f800000 00030004"
                     "40000003 0009 00 40000006 0009 00000000"},
                    "b.pt"),
            "[[],[1]]");
}

TEST(ElementColumns, CountSplitCollectionsUnderTheNameOfTheirLeaf) {
  TreeDescriptor tree = tree_of("Part", -1, 4);
  TreeBranch pt = tree.branches.front();
  pt.name = pt.path = "b.pt";
  pt.parent = pt.count_branch = 0;
  pt.id = 1;
  pt.type = 41;
  tree.branches.push_back(pt);
  tree.branch_data.resize(2);
  EXPECT_EQ(decoded(tree, {"00000002", "00000000"}, "b_"), "2 0");
  const TreeColumns columns = find_tree_columns(tree);
  ASSERT_EQ(columns.collections.size(), 1u);
  EXPECT_EQ(columns.collections[0].name, "b");
  EXPECT_EQ(columns.collections[0].count, "b_");
  EXPECT_EQ(columns.collections[0].columns, std::vector<std::string>{"b.pt"});
}

TEST(ElementColumns, RefuseOtherVersionsOfAClass) {
  EXPECT_THROW(decoded(tree_of("Whole", 4), {"4000000a 0000 12345678 00000000"}, "b.pt"), FormatError);
}

TEST(ElementColumns, StayBoundedForClassesThatHoldThemselves) {
  TreeDescriptor tree = tree_of("Loop");
  tree.branches.own()[0].class_version = 1;
  add_class(tree, {"Loop", 1, 1, {member("a", "Loop", 62), member("b", "Loop", 62), member("x", "int", 3)}});
  const TreeColumns columns = find_tree_columns(tree);
  EXPECT_LT(columns.columns.size() + columns.unsupported.size(), 30000u);
  TreeDescriptor deep = tree_of("vector<vector<vector<vector<int>>>>");
  EXPECT_EQ(find_tree_columns(deep).unsupported.at(0).reason, "has 4 levels of lists, at most 3 can be used");
  std::string name;
  for (int i = 0; i < 500; ++i) name += "vector<";
  find_tree_columns(tree_of(name + "int" + std::string(500, '>')));
}

// A TBranchObject, in which objects of a TClonesArray are those of class Part.
TreeDescriptor tree_of_tagged(const std::string& class_name) {
  TreeDescriptor tree = tree_of(class_name);
  tree.branches.own()[0].class_name = "TBranchObject";
  tree.branches.own()[0].clones_class = "Part";
  return tree;
}

const std::string kPart =
    "4000002c 0000 c1398afd 40000006 0001 00000007 3f800000 0001 0002 40000004 0009 0161 40000008 0009 "
    "00000001 0005";
// Its name and those of the TClonesArray and its class, with as many objects, whose bypass of streamers is a
// bit.
std::string clones_of_part(const std::string& bits, const std::string& objects) {
  const std::string array = "0004 0001 00000000 " + bits + " 00 06 506172743b31 00000001 00000000 " + objects;
  const auto digits = std::count_if(array.begin(), array.end(), [](char c) { return c != ' '; });
  char size[9];
  std::snprintf(size, sizeof size, "%08x", 0x40000000 + static_cast<int>(digits) / 2);
  return "0c 54436c6f6e65734172726179 00 " + std::string(size) + array;
}
const std::string kClonesByMember =
    clones_of_part("00001000", "00000008 3f800000 0003 0004 40000003 0009 00 40000008 0009 00000001 0007");
const std::string kClonesByObject = clones_of_part("00000000", "01" + kPart);

TEST(ElementColumns, HaveObjectsBehindTheNamesOfTheirClasses) {
  const std::string tag = "04 50617274 00";
  EXPECT_EQ(decoded(tree_of_tagged("Part"), {tag + kPart}, "b.hits"), "[5]");
  EXPECT_THROW(decoded(tree_of_tagged("Part"), {"04 50617275 00" + kPart}, "b.hits"), FormatError);
  const TreeDescriptor clones = tree_of_tagged("TClonesArray");
  EXPECT_EQ(decoded(clones, {kClonesByMember, kClonesByObject}, "b.b"), "[8] [7]");
  EXPECT_EQ(decoded(clones, {kClonesByMember, kClonesByObject}, "b.hits"), "[[7]] [[5]]");
  EXPECT_THROW(decoded(clones, {clones_of_part("00000000", "00")}, "b.b"), FormatError);
}

TreeDescriptor tree_of_matrices() {
  TreeDescriptor tree = tree_of("TMatrixTSym<float>", -1, -1);
  add_class(tree, {"TMatrixTBase<float>", 5, 1, {member("fNrows", "int", 3), member("fNelems", "int", 6)}});
  return tree;
}

TEST(ElementColumns, HaveAllElementsOfSymmetricMatrices) {
  const TreeDescriptor tree = tree_of_matrices();
  EXPECT_EQ(decoded(tree,
                    {"4000000a 0005 00000002 00000004 3f800000 40000000 40400000",
                     "4000000a 0005 00000000 00000000"},
                    "b.fElements"),
            "[1,2,2,3] []");
  EXPECT_THROW(decoded(tree, {"4000000a 0005 7fffffff 00000000 3f800000"}, "b.fElements"), FormatError);
  EXPECT_THROW(decoded(tree, {"4000000a 0005 ffffffff 00000000 3f800000"}, "b.fElements"), FormatError);
}

TEST(ElementColumns, SurviveAnyBytes) {
  std::mt19937 random(3);
  const std::vector<std::pair<TreeDescriptor, std::string>> samples = {
      {tree_of("Whole"), kWhole + "40000006 0009 00000000"},
      {tree_of("vector<float>"), "4000000a 000a 00000001 3fc00000"},
      {tree_of("vector<vector<float> >"), "40000012 000a 00000002 00000001 3f800000 00000000"},
      {tree_of("vector<string>"), "4000000a 000a 00000002 00 026262"},
      {tree_of("Part", 4, 41), "4000000c 000a 00000000 00000001 0007"},
      {tree_of("Part", 3, 41), "40000005 0009 00 0161"},
      {tree_of_words(0, 41), "4000000a 000a 01 61 02 6262 00 01 63"},
      {tree_of("Whole", 5, 41),
       "4000002d 4009 0000 c1398afd 00000000 00000001 00000008 3f800000 00030004 40000003 0009 00 40000006 "
       "0009"
       "00000000"},
      {tree_of_tagged("TClonesArray"), kClonesByMember},
      {tree_of_tagged("TClonesArray"), kClonesByObject},
      {tree_of_matrices(), "4000000a 0005 00000002 00000004 3f800000 40000000 40400000"},
      {tree_of("TRefArray", -1, -1),
       "4000001f 0001 0001 00000007 00000000 00 00000002 00000000 0000 00000007 00000009"}};
  for (const auto& [tree, sample] : samples) {
    const TreeColumns columns = find_tree_columns(tree);
    std::string digits;
    for (const char c : sample)
      if (c != ' ') digits += c;
    for (int round = 0; round < 1500; ++round) {
      std::string entry = digits;
      for (unsigned i = 0; i <= random() % 3; ++i)
        entry[random() % entry.size()] = "0123456789abcdef"[random() % 16];
      if (random() % 3 == 0) entry.resize(random() % entry.size() / 2 * 2);
      for (const TreeColumn& column : columns.columns) {
        try {
          decoded_column(columns, column.name, {entry, entry}, true);
        } catch (const FormatError&) {
        }
      }
    }
  }
}

}  // namespace
}  // namespace skimline::io
