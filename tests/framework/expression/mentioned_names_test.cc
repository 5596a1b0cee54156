// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/mentioned_names.h"

#include "skimline/framework/error.h"

#include <string>
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

}  // namespace
}  // namespace skimline
