// SPDX-License-Identifier: BSD-3-Clause
// Lists of lists, strings and Lorentz vectors in expressions.
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::MemorySource;
using testing::WritingSink;
using Texts = std::vector<std::string>;

void add_nested_columns(MemorySource& source) {
  using Lists = std::vector<std::vector<float>>;
  source.add<float>("hits", std::vector<Lists>{{{1, 2}, {}, {3}}, {}, {{4, 5, 6}}, {{}, {7}}});
  source.add<float>("pt", Lists{{10, 20, 30}, {}, {40}, {50, 60}});
  source.add<float>("scale", std::vector<float>{1, 2, 3, 4});
  source.add<std::int32_t>("n", std::vector<std::int32_t>{2, 0, 0, 1});
  source.add_strings("name", Texts{"muon", "", "electron", "muon"});
  source.add_strings("paths",
                     std::vector<Texts>{{"HLT_IsoMu24", "HLT_Mu50"}, {}, {"L1_Mu"}, {"HLT_Ele27", ""}});
}

Texts evaluate_nested(const std::string& expression, const std::string& selection = "true") {
  MemorySource source(2);
  add_nested_columns(source);
  PlanBuilder builder(source.schema());
  builder.define("result", expression);
  WritingSink sink;
  builder.write(builder.select(kAllEntries, selection), {"result"}, sink);
  run(std::move(builder).build(), source, {});
  return sink.columns.empty() ? Texts{} : sink.columns[0];
}

std::string type_of_nested(const std::string& expression) {
  MemorySource source(2);
  add_nested_columns(source);
  return name_of(PlanBuilder(source.schema()).type_of_expression(expression));
}

TEST(NestedLists, AreComputedValueByValue) {
  EXPECT_EQ(evaluate_nested("hits * 2"), (Texts{"{{2, 4}, {}, {6}}", "{}", "{{8, 10, 12}}", "{{}, {14}}"}));
  EXPECT_EQ(evaluate_nested("hits + scale"), (Texts{"{{2, 3}, {}, {4}}", "{}", "{{7, 8, 9}}", "{{}, {11}}"}));
  EXPECT_EQ(evaluate_nested("hits + pt"),
            (Texts{"{{11, 12}, {}, {33}}", "{}", "{{44, 45, 46}}", "{{}, {67}}"}));
  EXPECT_EQ(type_of_nested("hits > pt"), "list of lists of std::int32_t");
}

TEST(NestedLists, AreReducedListByList) {
  EXPECT_EQ(evaluate_nested("Sum(hits)"), (Texts{"{3, 0, 3}", "{}", "{15}", "{0, 7}"}));
  EXPECT_EQ(evaluate_nested("All(hits > 1.5)"), (Texts{"{0, 1, 1}", "{}", "{1}", "{1, 1}"}));
  EXPECT_EQ(evaluate_nested("size(hits)"), (Texts{"3", "0", "1", "2"}));
  EXPECT_EQ(evaluate_nested("Max(Sum(hits))", "size(hits) > 0"), (Texts{"3", "15", "7"}));
}

TEST(NestedLists, AreTakenAloneWhereAFunctionWantsLists) {
  EXPECT_EQ(type_of_nested("InvariantMass(hits, hits, hits, hits)"), "list of float");
  EXPECT_EQ(type_of_nested("InvariantMass(hits, hits, hits, double(hits))"), "list of double");
  for (const char* expression :
       {"InvariantMass(hits, hits, hits, pt)", "InvariantMass(hits, pt, hits, double(hits))",
        "InvariantMass(pt, pt, pt, double(scale))"})
    EXPECT_THROW(type_of_nested(expression), ExpressionError) << expression;
}

TEST(NestedLists, AreIndexedAndMasked) {
  EXPECT_EQ(evaluate_nested("hits[n]", "size(hits) > 0"), (Texts{"{3}", "{4, 5, 6}", "{7}"}));
  EXPECT_EQ(evaluate_nested("hits[0][1]", "n == 2 || scale == 3"), (Texts{"2", "5"}));
  EXPECT_EQ(evaluate_nested("hits[pt > 15]"), (Texts{"{{}, {3}}", "{}", "{{4, 5, 6}}", "{{}, {7}}"}));
  EXPECT_EQ(evaluate_nested("hits[hits > 1.5]"), (Texts{"{{2}, {}, {3}}", "{}", "{{4, 5, 6}}", "{{}, {7}}"}));
}

TEST(NestedLists, PassThroughScopes) {
  EXPECT_EQ(evaluate_nested("hits", "scale != 2"), (Texts{"{{1, 2}, {}, {3}}", "{{4, 5, 6}}", "{{}, {7}}"}));
  EXPECT_EQ(evaluate_nested("n > 0 ? hits : hits * 10"),
            (Texts{"{{1, 2}, {}, {3}}", "{}", "{{40, 50, 60}}", "{{}, {7}}"}));
}

TEST(NestedLists, NameTheEntryAtFault) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"hits[n]", 1}, {"Max(hits)", 0}, {"hits + pt[pt > 15]", 0}, {"hits[hits > 4][2]", 1}};
  for (const auto& [expression, entry] : cases) {
    try {
      evaluate_nested(expression);
      ADD_FAILURE() << expression;
    } catch (const EvaluationError& error) {
      EXPECT_EQ(error.entry(), entry) << expression << ": " << error.what();
    }
  }
}

TEST(Strings, AreComparedAndSearched) {
  EXPECT_EQ(evaluate_nested("name == \"muon\""), (Texts{"1", "0", "0", "1"}));
  EXPECT_EQ(evaluate_nested("'electron' < name"), (Texts{"1", "0", "0", "1"}));
  EXPECT_EQ(evaluate_nested("regex_match(paths, 'HLT_(Iso)?Mu[0-9]+')"),
            (Texts{"{1, 1}", "{}", "{0}", "{0, 0}"}));
  EXPECT_EQ(evaluate_nested("Any(regex_search(paths, 'Mu'))"), (Texts{"1", "0", "1", "0"}));
  EXPECT_EQ(evaluate_nested("paths[starts_with(paths, 'HLT')]"),
            (Texts{"{\"HLT_IsoMu24\", \"HLT_Mu50\"}", "{}", "{}", "{\"HLT_Ele27\"}"}));
  EXPECT_EQ(evaluate_nested("size(name)"), (Texts{"4", "0", "8", "4"}));
  EXPECT_EQ(evaluate_nested("name.empty()"), (Texts{"0", "1", "0", "0"}));
  EXPECT_EQ(evaluate_nested("length(paths)"), (Texts{"{11, 8}", "{}", "{5}", "{9, 0}"}));
  EXPECT_EQ(evaluate_nested("Take(paths, -2, name)"),
            (Texts{"{\"HLT_IsoMu24\", \"HLT_Mu50\"}", "{\"\", \"\"}", "{\"electron\", \"L1_Mu\"}",
                   "{\"HLT_Ele27\", \"\"}"}));
  EXPECT_EQ(evaluate_nested("Intersect(paths, Reverse(Take(paths, 1, '')))"),
            (Texts{"{\"HLT_IsoMu24\"}", "{}", "{\"L1_Mu\"}", "{\"HLT_Ele27\"}"}));
  EXPECT_EQ(evaluate_nested("n > 0 ? name : 'none'"),
            (Texts{"\"muon\"", "\"none\"", "\"none\"", "\"muon\""}));
  EXPECT_EQ(evaluate_nested("regex_match(name, \"mu.*\") && n > 1"), (Texts{"1", "0", "0", "0"}));
}

TEST(LorentzVectors, AreValues) {
  EXPECT_EQ(evaluate_nested("P4(scale, 0., 0., 0.)"),
            (Texts{"(1, 0, 0; 1)", "(2, 0, 0; 2)", "(3, 0, 0; 3)", "(4, 0, 0; 4)"}));
  EXPECT_EQ(evaluate_nested("(P4(pt, 0, 0, 0) + P4(3, 0, 0, 0))[pt > 25].pt()"),
            (Texts{"{33}", "{}", "{43}", "{53, 63}"}));
  EXPECT_EQ(evaluate_nested("Sum(P4PxPyPzE(pt, 0, 0, pt)).energy()"), (Texts{"60", "0", "40", "110"}));
  EXPECT_EQ(evaluate_nested("(P4PxPyPzE(scale, 0, 0, 5) * 2).mass()", "scale > 2"), (Texts{"8", "6"}));
  EXPECT_EQ(evaluate_nested("Take(P4(pt, 0, 0, 0), Combinations(pt, 1)[0]).pt()", "size(pt) > 1"),
            (Texts{"{10, 20, 30}", "{50, 60}"}));
  EXPECT_EQ(evaluate_nested("Concatenate(P4(pt, 0, 0, 0), P4(pt, 0, 0, 0)).back().E()", "size(pt) > 0"),
            (Texts{"30", "40", "60"}));
  EXPECT_EQ(type_of_nested("P4(pt, 0, 0, 0)"), "list of Lorentz vector");
  EXPECT_THROW(type_of_nested("P4(pt, 0, 0, 0) < 1"), ExpressionError);
}

TEST(BuiltIns, NumberTheEntries) {
  EXPECT_EQ(evaluate_nested("entry_"), (Texts{"0", "1", "2", "3"}));
  EXPECT_EQ(evaluate_nested("rdfentry_ * 10", "n == 0"), (Texts{"10", "20"}));
  EXPECT_EQ(type_of_nested("entry_"), "std::uint64_t");
}

}  // namespace
}  // namespace skimline
