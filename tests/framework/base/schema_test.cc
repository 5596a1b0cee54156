// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/schema.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

TEST(Schema, DotsAndUnderscoresNameTheSameColumn) {
  Schema schema;
  schema.add({"Muon.pt", jagged(ScalarType::kFloat), ""});
  schema.add({"Jet_pt", jagged(ScalarType::kFloat), ""});
  EXPECT_EQ(schema.find("Muon_pt"), 0u);
  EXPECT_EQ(schema.find("Muon.pt"), 0u);
  EXPECT_EQ(schema.find("Jet.pt"), 1u);
  EXPECT_EQ(schema.find("Jet_p"), std::nullopt);
}

TEST(Schema, ExactNamesWin) {
  Schema schema;
  schema.add({"a.b", flat(ScalarType::kFloat), ""});
  schema.add({"a_b", flat(ScalarType::kInt32), ""});
  EXPECT_EQ(schema.find("a.b"), 0u);
  EXPECT_EQ(schema.find("a_b"), 1u);
}

// Neither name is spelt like that: the first one that comes would be a guess.
TEST(Schema, NamesThatSpellTwoColumnsAreNone) {
  Schema schema;
  schema.add({"a.b_c", flat(ScalarType::kFloat), ""});
  EXPECT_EQ(schema.find("a_b_c"), 0u);
  EXPECT_EQ(schema.find("a.b.c"), 0u);
  schema.add({"a_b.c", flat(ScalarType::kInt32), ""});
  EXPECT_EQ(schema.find("a_b_c"), std::nullopt);
  EXPECT_TRUE(schema.is_withheld("a.b.c"));
  EXPECT_EQ(schema.find("a.b_c"), 0u);
  EXPECT_EQ(schema.find("a_b.c"), 1u);
  schema.add_alias("a_b_c", 1);
  EXPECT_EQ(schema.find("a_b_c"), 1u);
  EXPECT_FALSE(schema.is_withheld("a_b_c"));
}

TEST(Schema, RefusesTheSameNameTwice) {
  Schema schema;
  schema.add({"x", flat(ScalarType::kFloat), ""});
  EXPECT_THROW(schema.add({"x", flat(ScalarType::kInt8), ""}), SchemaError);
}

TEST(Patterns, MatchLikeAShell) {
  const std::tuple<const char*, const char*, bool> cases[] = {
      {"Muon_pt", "Muon_*", true},
      {"Muon_pt", "*_pt", true},
      {"Muon_pt", "M*_*t", true},
      {"Muon_pt", "*", true},
      {"Muon_pt", "Muon", false},
      {"Muon_pt", "?uon_pt", true},
      {"Muon_pt", "uon_pt", false},
      {"", "*", true},
      {"", "", true},
      {"a", "", false},
      {"aab", "*ab", true},
      {"aXbXc", "a*b*d", false},
      {"Muon_pt", "Muon_p?", true},
      {"Muon_p", "Muon_p?", false},
      {"\u00fcn\u00efcode", "?n?code", true},
      {"\u00fcn\u00efcode", "??n?code", false},
      {"\u00fcn\u00efcode", "*?code", true},
      {"\u20ac\U0001f600", "??", true},
      {"\u20ac\U0001f600", "???", false},
      {"\u20ac", "*?", true},
      {"\u20ac", "*??", false},
      {"a\u20ac", "*??", true},
      {"\xe4\xfc", "??", true},  // no UTF-8: bytes
      {"\xe4\xfc", "?", false},
  };
  for (const auto& [name, pattern, matches] : cases)
    EXPECT_EQ(matches_pattern(name, pattern), matches) << name << " against " << pattern;
}

TEST(Schema, CopiesAreChangedByThemselves) {
  Schema original;
  original.add({"a.b", {ScalarType::kFloat, 0}, ""});
  Schema copy = original, assigned;
  assigned.add({"lost", {}, ""});
  assigned = original;
  copy.add({"c", {}, ""});
  copy.add_alias("second", 0);
  assigned.withhold("a_b");
  original.add({"d", {}, ""});
  EXPECT_EQ(original.names(), (std::vector<std::string>{"a.b", "d"}));
  EXPECT_EQ(copy.names(), (std::vector<std::string>{"a.b", "c"}));
  EXPECT_EQ(assigned.names(), (std::vector<std::string>{"a.b"}));
  EXPECT_FALSE(original.find("c") || original.find("second") || copy.find("d") || assigned.find("c"));
  EXPECT_TRUE(original.aliases().empty() && assigned.aliases().empty());
  EXPECT_TRUE(original.find("a_b") && copy.find("a_b"));
  EXPECT_FALSE(assigned.find("a_b"));
}

}  // namespace
}  // namespace skimline
