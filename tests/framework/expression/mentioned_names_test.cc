// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/mentioned_names.h"

#include "skimline/framework/error.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using Names = std::vector<std::string>;

TEST(MentionedNames, AreThoseOfColumnsAndFunctions) {
  EXPECT_EQ(mentioned_names("pt > 30 && abs(eta) < 2.4 && pt < 1e3"), (Names{"abs", "eta", "pt"}));
  EXPECT_EQ(mentioned_names("Muon.pt[leading] ? smear(a, b) : -c"),
            (Names{"Muon.pt", "a", "b", "c", "leading", "smear"}));
  EXPECT_EQ(mentioned_names("(p4[0] + p4[1]).mass()"), (Names{"mass", "p4"}));
  EXPECT_EQ(mentioned_names("1 + 2.5e3"), Names{});
}

TEST(MentionedNames, AreNotInTexts) {
  EXPECT_EQ(mentioned_names("name == \"pt > eta\""), (Names{"name"}));
  EXPECT_EQ(mentioned_names("AnyOf(\"HLT_*\")"), (Names{"AnyOf"}));
  EXPECT_EQ(mentioned_patterns("name == \"a\" && AnyOf(\"HLT_*\", 'L1')"), (Names{"HLT_*", "L1"}));
}

TEST(MentionedNames, AreNotThoseOfParametersOfLambdas) {
  EXPECT_EQ(mentioned_names("x + Sum(Map(pt, eta, [=](float x, auto y) { return x * y + scale; }))"),
            (Names{"Map", "Sum", "eta", "pt", "scale", "x"}));
}

TEST(MentionedNames, StandWithoutBackQuotes) {
  EXPECT_EQ(mentioned_names("`jet pt` + `a``b`"), (Names{"a`b", "jet pt"}));
}

TEST(MentionedNames, AreNotLookedForInWhatIsNoExpression) {
  EXPECT_THROW(mentioned_names("pt >"), ExpressionError);
  EXPECT_THROW(mentioned_names(""), ExpressionError);
}

// They would stand for what is put in.
TEST(MentionedNames, OfParametersAndVariablesGiveWay) {
  const std::map<std::string, std::string> names{{"cut", "cut_2"}, {"w", "(a * b)"}};
  const auto changed = [&](std::string_view text) { return with_other_names(text, names, {}); };
  EXPECT_EQ(changed("Map(x, [](const float &cut_2) { return cut_2 - cut; }) + cut_2"),
            "Map(x, [](const float &cut_2_) { return cut_2_ - cut_2; }) + cut_2");
  EXPECT_EQ(
      changed("auto cut_2 = y, cut_2_ = z; if (c) { cut_2 += w; cut_2++; } return cut_2 - cut * cut_2_;"),
      "auto cut_2__ = y, cut_2_ = z; if (c) { cut_2__ += (a * b); cut_2__++; } return cut_2__ - cut_2 * "
      "cut_2_;");
  EXPECT_EQ(changed("float a = 1; return w + a;"), "float a_ = 1; return (a * b) + a_;");
  EXPECT_EQ(changed("float a = 1; return a;"), "float a = 1; return a;");
}

TEST(MentionedNames, MayBeOthers) {
  const std::map<std::string, std::string> names{{"C", "C_2"}, {"Jet.pt", "pt"}, {"a b", "(x * y)"}};
  const std::map<std::string, std::string> functions{{"f", "f_2"}};
  const std::pair<const char*, const char*> cases[] = {
      {"C > 1 && CC + C.size()", "C_2 > 1 && CC + C_2.size()"},
      {"Jet.pt[0] + Jet.pt.size() + Jet.C", "pt[0] + pt.size() + Jet.C"},
      {"`a b` * `C`[C]", "(x * y) * C_2[C_2]"},
      {"s == 'C' || s == \"C\" || s == 'it\\'s' && C", "s == 'C' || s == \"C\" || s == 'it\\'s' && C_2"},
      {"C /* don't */ + C /* \" C */", "C_2 /* don't */ + C_2 /* \" C */"},
      {"f(C) + x.f() + (C).f(f(x)) + f", "f_2(C_2) + x.f_2() + (C_2).f_2(f_2(x)) + f"},
      {"C(v) + std::abs(C)", "C(v) + std::abs(C_2)"},
      {"Map(C, [](float C) { return f(C); }) + C", "Map(C_2, [](float C) { return f_2(C); }) + C_2"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(with_other_names(text, names, functions), expected);
  EXPECT_THROW(with_other_names("C >", names, functions), ExpressionError);
}

}  // namespace
}  // namespace skimline
