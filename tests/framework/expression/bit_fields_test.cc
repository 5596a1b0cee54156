// SPDX-License-Identifier: BSD-3-Clause
// Bits by the names that descriptions give them.
#include "skimline/framework/bit_fields.h"

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <string>

#include <gtest/gtest.h>

namespace skimline {
namespace {

std::string shown(std::string_view description) {
  std::string text;
  for (const BitField& field : bit_fields(description))
    text += field.name + "@" + std::to_string(field.first) + "+" + std::to_string(field.width) + " ";
  return text;
}

TEST(BitFields, AreThoseOfDescriptions) {
  const std::pair<const char*, const char*> cases[] = {
      {"VID compressed bitmap (MinPtCut,GsfEleDEtaInSeedCut, C), 3 bits per cut",
       "MinPtCut@0+3 GsfEleDEtaInSeedCut@3+3 C@6+3 "},
      {"compressed bitmap (A,B), 1 bits per cut", "A@0+1 B@1+1 "},
      {"gen status flags stored bitwise, bits are: 0 : isPrompt, 1 : isHardProcess, 13 : isLastCopy, ",
       "isPrompt@0+1 isHardProcess@1+1 isLastCopy@13+1 "},
      {"Jet ID flags bit1 is loose (always false in 2017), bit2 is tight, bit3 is tightLepVeto",
       "loose@0+1 tight@1+1 tightLepVeto@2+1 "},
      {"Anti-muon discriminator V3: : bitmask 1 = Loose, 2 = Tight", "Loose@0+1 Tight@1+1 "},
      {"bitmask 4 = Medium, 3 = Both, 8 = Tight", "Medium@2+1 Tight@3+1 "},
      {"cut-based ID bitmap, Fall17V1, 2^(0:loose, 1:medium, 2:tight).", "loose@0+1 medium@1+1 tight@2+1 "},
      {"cut-based ID bitmap, Fall17V2, (0:fail, 1:loose, 2:medium)", ""},
      {"bits of what the event passes: 0: nominal, 1: jes_up, 2: jes_down",
       "nominal@0+1 jes_up@1+1 jes_down@2+1 "},
      {"compressed bitmap (A,B), 0 bits per cut", ""},
      {"compressed bitmap (A,B), 99999999999999999999 bits per cut", ""},
      {"compressed bitmap (A,B", ""},
      {"bits are: 64 : beyond, 63 : last, x : y", "last@63+1 "},
      {"bits are:", ""},
      {"bit0 is none, bit is more, bit99 is far", ""},
      {"transverse momentum", ""},
      {"", ""},
  };
  for (const auto& [description, fields] : cases) EXPECT_EQ(shown(description), fields) << description;
}

Schema schema_with_bits() {
  Schema schema;
  schema.add({"vid", jagged(ScalarType::kInt32), "bitmap (A,B,B,D), 3 bits per cut"});
  schema.add({"id", flat(ScalarType::kUInt8), "bits are: 0 : first, 7 : last, 8 : beyond"});
  schema.add({"plain", jagged(ScalarType::kInt32), ""});
  schema.add({"pt", jagged(ScalarType::kFloat), ""});
  return schema;
}

std::string problem_with_bits(const std::string& expression) {
  try {
    static_cast<void>(PlanBuilder(schema_with_bits()).type_of_expression(expression));
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "none";
}

TEST(BitFields, HaveTheTypesOfOperators) {
  const PlanBuilder builder(schema_with_bits());
  EXPECT_EQ(builder.type_of_expression("bits(vid, 'D')"), jagged(ScalarType::kInt32));
  EXPECT_EQ(builder.type_of_expression("bits(vid[pt > 20], 'A')[0]"), flat(ScalarType::kInt32));
  EXPECT_EQ(builder.type_of_expression("bits(id, 'last')"), flat(ScalarType::kInt32));
  for (const char* chosen : {"Max(vid)", "Take(vid, Argsort(-pt))[0]", "Reverse(vid).front()", "vid.at(2, 0)",
                             "Take(vid, Combinations(pt, 2)[1])"})
    EXPECT_NO_THROW(builder.type_of_expression("bits(" + std::string(chosen) + ", 'A')")) << chosen;
  EXPECT_EQ(builder.type_of_expression("Map(vid, [](auto v) { return bits(v, 'A') > 1; })"),
            jagged(ScalarType::kBool));
}

TEST(BitFields, AreRefusedWithTheNamesThatThereAre) {
  const std::pair<const char*, const char*> cases[] = {
      {"bits(vid, 'C')", "there are no bits \"C\" in \"vid\""},
      {"bits(id, 'lst')", "(did you mean \"last\"?); it has first, last, beyond"},
      {"bits(vid, 'B')", "\"B\" is the name of several bits: they are A, B, B, D"},
      {"bits(id, 'beyond')", "lie beyond the 8 of std::uint8_t"},
      {"bits(plain, 'A')", "no description names the bits of \"plain\""},
      {"bits(vid + 1, 'A')", "no description names the bits"},
      {"bits(Sum(vid), 'A')", "no description names the bits of \"Sum(vid)\""},
      {"bits(ForEach(vid, plain), 'A')", "no description names the bits"},
      {"bits(Concatenate(vid, plain), 'A')", "no description names the bits"},
      {"bits(pt, 'A')", "bits are those of integers, not of list of float"},
      {"bits(vid)", "takes a column of integers and the name"},
      {"bits(vid, 3)", "takes a column of integers and the name"},
  };
  for (const auto& [text, problem] : cases)
    EXPECT_NE(problem_with_bits(text).find(problem), std::string::npos)
        << text << ": " << problem_with_bits(text);
}

TEST(BitFields, DifferInTheLowestBitThatHasOtherNames) {
  const auto difference = [](std::string_view first, std::string_view second) {
    const auto found = bit_difference(first, second);
    return found ? std::to_string(found->bit) + " " + found->first + "/" + found->second : std::string();
  };
  EXPECT_EQ(difference("bits: 0: a, 1: b", "bits: 0: a, 1: c, 2: b"), "1 b/c");
  EXPECT_EQ(difference("bits: 0: a", "bits: 0: a, 63: b"), "63 /b");
  EXPECT_EQ(difference("bitmap (A,B), 2 bits per cut", "bitmap (A,B), 3 bits per cut"), "0 A/A");
  EXPECT_EQ(difference("bits: 0: a, 1: b", "of 2017, bits are: 1 : b, 0 : a"), "");
  EXPECT_EQ(difference("bits: 0: a", "no names"), "");
  EXPECT_EQ(difference("", "bits: 0: a"), "");
}

TEST(BitFields, OfAFileWithoutNamesSayNothing) {
  const auto text = [](std::vector<std::string> others) {
    return other_bits({"id", flat(ScalarType::kInt32), "none", std::move(others)}).value_or("");
  };
  EXPECT_EQ(text({"bits: 0: a", "nothing either", "bits: 0: a"}), "");
  EXPECT_EQ(text({"bits: 0: a", "nothing either", "bits: 1: a"}),
            "bit 0 of \"id\" is \"a\" in some, and bit 0 of \"id\" has no name in others");
}

}  // namespace
}  // namespace skimline
