// SPDX-License-Identifier: BSD-3-Clause
// Which expressions are warned of since unsigned numbers wrap around, and which are not.
#include "skimline/framework/accumulator.h"
#include "skimline/framework/external_function.h"
#include "skimline/framework/plan.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

Schema schema() {
  Schema schema;
  schema.add({"nMuon", flat(ScalarType::kUInt32), ""});
  schema.add({"nJet", flat(ScalarType::kUInt32), ""});
  schema.add({"event", flat(ScalarType::kUInt64), ""});
  schema.add({"nTau", flat(ScalarType::kUInt8), ""});
  schema.add({"PV_n", flat(ScalarType::kInt32), ""});
  schema.add({"MET", flat(ScalarType::kFloat), ""});
  schema.add({"Muon_pt", jagged(ScalarType::kFloat), ""});
  schema.add({"Muon_charge", jagged(ScalarType::kInt32), ""});
  schema.add({"Muon_layers", jagged(ScalarType::kUInt32), ""});
  schema.add({"Jet_tracks", jagged(ScalarType::kUInt8), ""});
  schema.add({"Jet_flavour", jagged(ScalarType::kInt16), ""});
  schema.add({"Jet_isTight", jagged(ScalarType::kBool), ""});
  return schema;
}

class Ignored : public Accumulator {
 public:
  std::optional<Refusal> fill(std::size_t, std::span<const ColumnView>) override { return std::nullopt; }
};

std::vector<std::string> messages(PlanBuilder& builder) {
  std::vector<std::string> all;
  for (const ExpressionWarning& warning : builder.take_warnings())
    all.push_back(warning.text.substr(warning.offset, warning.length) + ": " + warning.message);
  return all;
}

// What is said of a definition.
std::vector<std::string> warnings_of(const std::string& expression) {
  PlanBuilder builder(schema());
  builder.define("defined", expression);
  return messages(builder);
}

TEST(UnsignedWrapping, IsWarnedOfWhereTheSizeMatters) {
  for (const char* expression : {"nMuon - 3 > 0",
                                 "0 < nMuon - 3",
                                 "nMuon - 3 >= 1",
                                 "nMuon - nJet < 2",
                                 "3 - nMuon <= 1",
                                 "-nMuon < 0",
                                 "abs(nMuon - 3)",
                                 "abs(nMuon - nJet) < 2",
                                 "sqrt(nMuon - 3)",
                                 "(nMuon - 3) * 1.5",
                                 "double(nMuon - 3)",
                                 "RVecF{MET, nMuon - 3}",
                                 "RVecF(nMuon - 3, 1)",
                                 "long(nMuon - 3)",
                                 "MET + (nMuon - 3)",
                                 "nMuon - 3 == MET",
                                 "event - 7 > 100",
                                 "max(nMuon - 3, 0u)",
                                 "nMuon + -3 > 0",
                                 "-1 * nMuon < 2",
                                 "(nMuon - 3) + nJet > 2",
                                 "(nMuon - 3) / 2u > 1",
                                 "nMuon - 3 > PV_n * 0",
                                 "Any(Muon_layers - 3 > 0)",
                                 "Max(Muon_layers - 3)",
                                 "Argsort(-Muon_layers)",
                                 "Mean(Muon_layers - 5)",
                                 "Sum(Muon_layers - 5) > 2",
                                 "(Muon_layers - 5)[0] > 2",
                                 "(MET > 3 ? nMuon - 3 : nJet) > 2",
                                 "MET > 3 ? nMuon - 3 : 1.5",
                                 "pow(Muon_pt.size() - 1, 2)",
                                 "nMuon == 4 && event > 0 && nJet - 3 > 0"}) {
    bool is_said = false;
    for (const std::string& message : warnings_of(expression))
      is_said |= message.find("of the unsigned type") != std::string::npos;
    EXPECT_TRUE(is_said) << expression;
  }
}

TEST(UnsignedWrapping, IsNotWarnedOfWithoutReason) {
  for (const char* expression : {"nMuon - 1 == 0",
                                 "nMuon - nJet != 0",
                                 "Muon_pt[nMuon - 1]",
                                 "Muon_pt[Muon_pt.size() - 1] > 3",
                                 "int(nMuon) - 3 > 0",
                                 "int(nMuon - 3) > 0",
                                 "int(nMuon) - int(nJet) > -2",
                                 "unsigned(nMuon - 3) > 4u",
                                 "Take(Muon_pt, nMuon - 1, 0)",
                                 "nTau - 3 > 0",
                                 "PV_n - 3 > 0",
                                 "nMuon - 3. > 0",
                                 "nMuon + nJet > 3",
                                 "nMuon - 0u > 3",
                                 "nMuon > 3 && nMuon - 3 > 1",
                                 "nMuon < 3 || nMuon - 3 > 1",
                                 "nMuon > 3 ? nMuon - 3 : 0u",
                                 "(nMuon > 3 ? nMuon - 3 : 0u) > 2",
                                 "(nMuon >= nJet ? nMuon - nJet : nJet - nMuon) > 2",
                                 "nMuon && nMuon - 1 > 2",

                                 "nMuon > Sum(Muon_pt > 20)",
                                 "nMuon == Sum(Muon_charge > 0)",
                                 "nMuon > (PV_n > 3)",
                                 "max(nMuon, 1)",
                                 "nMuon > 2 ? nMuon : 0",
                                 "Any(Where(Muon_layers > 3, Muon_layers - 3, 0) > 2)",
                                 "rndm(1, PV_n, event, 0)"}) {
    for (const std::string& message : warnings_of(expression)) ADD_FAILURE() << expression << ": " << message;
  }
}

TEST(UnsignedWrapping, IsMendedAsTheMessageSays) {
  const std::pair<const char*, const char*> cases[] = {
      {"nMuon - 3 > 0", "int(nMuon) - 3"},
      {"nMuon - nJet > 0", "int(nMuon) - int(nJet)"},
      {"event - (nMuon + 1) > 0", "long(event) - int(nMuon + 1)"},
      {"Muon_pt.size() - 2 > 0", "long(Muon_pt.size()) - 2"},
      {"-nMuon < 0", "-int(nMuon)"},
      {"3 - nMuon > 0", "3 - int(nMuon)"},
  };
  for (const auto& [expression, instead] : cases) {
    const std::vector<std::string> said = warnings_of(expression);
    ASSERT_FALSE(said.empty()) << expression;
    const std::size_t at = said[0].find("write ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(said[0].substr(at + 6), instead);
    EXPECT_TRUE(warnings_of(std::string(instead) + " > 0").empty()) << instead;
  }
}

TEST(UnsignedWrapping, IsWarnedOfByWayOfDefinitions) {
  PlanBuilder builder(schema());
  builder.define("extra", "nMuon - 3");
  EXPECT_TRUE(messages(builder).empty());
  builder.select(kAllEntries, "extra > 0");
  EXPECT_EQ(
      messages(builder),
      (std::vector<std::string>{">: \"nMuon - 3\" is of the unsigned type std::uint32_t: where it would be "
                                "negative, it is huge: write int(nMuon) - 3"}));
}

TEST(UnsignedWrapping, IsWarnedOfInArgumentsOfOtherFunctions) {
  const auto call = [](std::size_t, const void* const*, void*) {};
  for (const ScalarType parameter : {ScalarType::kInt64, ScalarType::kDouble, ScalarType::kUInt32})
    for (const auto& [expression, count] :
         {std::pair("f(nMuon - 3)", 1u), std::pair("f(3 - (nMuon + nJet))", 1u), std::pair("f(nMuon)", 0u),
          std::pair("f(int(nMuon) - 3)", 0u), std::pair("f(int(nMuon - 3))", 0u),
          std::pair("nMuon >= 3 ? f(nMuon - 3) : 0.", 0u)}) {
      PlanBuilder builder(schema());
      builder.define_external({"f", ElementFunction{{parameter}, ScalarType::kDouble, call}});
      builder.define("defined", expression);
      EXPECT_EQ(messages(builder).size(), count) << expression;
    }
}

TEST(UnsignedWrapping, InHistogramsDependsOnTheirEvents) {
  PlanBuilder builder(schema());
  builder.define("extra", "nMuon - 3");
  const SelectionId many = builder.select(builder.select(kAllEntries, "nMuon >= 3"), "MET > 20");
  Ignored ignored;
  builder.type_of_expression("abs(nMuon - 3)");
  builder.fill(many, {"extra", "abs(nMuon - 3)"}, ignored);
  builder.select(many, "extra > 1");
  EXPECT_TRUE(messages(builder).empty());
  builder.fill(kAllEntries, {"extra"}, ignored);
  EXPECT_EQ(messages(builder).size(), 1u);
}

TEST(UnsignedWrapping, IsWarnedOfInChoices) {
  for (const char* expression :
       {"nMuon > 0 ? nMuon : -1", "max(nMuon, -1)", "Where(Muon_layers > 3, Muon_layers, -1)",
        "Take(Muon_layers, 2, -1)", "Muon_layers.at(0, -1)", "max(nMuon, PV_n)"}) {
    const std::vector<std::string> said = warnings_of(expression);
    ASSERT_EQ(said.size(), 1u) << expression;
    EXPECT_NE(said[0].find("huge"), std::string::npos) << said[0];
  }
  for (const char* expression :
       {"PV_n > 0 ? PV_n : -1", "max(PV_n, -1)", "Muon_charge.at(0, -1)", "max(nMuon, 3)",
        "Where(Muon_layers > 3, 1, -1)", "Take(Muon_layers, -2, 0)"})
    EXPECT_TRUE(warnings_of(expression).empty()) << expression;
}

TEST(ComparisonsBeyondTheType, AreWarnedOf) {
  const std::pair<const char*, const char*> cases[] = {
      {"Jet_tracks == -1", "==: this is always false: a std::uint8_t holds numbers from 0 to 255"},
      {"nTau != -1", "!=: this is always true: a std::uint8_t holds numbers from 0 to 255"},
      {"-1 == nTau", "always false: a std::uint8_t"},
      {"Jet_tracks[Jet_tracks < 0]", "<: this is always false"},
      {"nMuon < 0", "always false: a std::uint32_t holds numbers from 0 to 4294967295"},
      {"0 > nMuon", "always false"},
      {"Jet_flavour <= -99999", "always false: a std::int16_t holds numbers from -32768 to 32767"},
      {"Any(Jet_flavour > 40000)", "always false"},
      {"32768 <= Jet_flavour", "always false"},
      {"PV_n == 3000000000", "always false: a std::int32_t"},
      {"nTau >= 256u", "always false: a std::uint8_t"},
  };
  for (const auto& [expression, message] : cases) {
    const std::vector<std::string> said = warnings_of(expression);
    ASSERT_EQ(said.size(), 1u) << expression;
    EXPECT_NE(said[0].find(message), std::string::npos) << said[0];
  }
  for (const char* expression :
       {"nMuon >= 0", "nTau <= 255", "nTau < 300", "nTau == 255", "nTau > 254", "Jet_flavour > -32769",
        "Jet_flavour == -32768", "nTau * 2 == 300", "event == 18446744073709551615u", "nTau == 256.",
        "Jet_isTight == 2", "Muon_pt[Range(size(Muon_pt)) < 0]", "MET < 0", "PV_n < 0", "nTau == PV_n",
        "'a' == nTau"})
    EXPECT_TRUE(warnings_of(expression).empty()) << expression << ": " << warnings_of(expression)[0];
}

TEST(NarrowSums, AreWarnedOf) {
  const std::pair<const char*, const char*> cases[] = {
      {"Sum(Jet_tracks)",
       "Sum: Sum of these is a std::uint8_t, which wraps around beyond 255: write Sum(int(x))"},
      {"Jet_flavour.Sum() > 3", "Sum of these is a std::int16_t, which wraps around beyond 32767"},
      {"Product(Jet_tracks)", "Product of these is a std::uint8_t"},
      {"Mean(Jet_tracks, uint8_t(0))", "Mean of these is a std::uint8_t"},
      {"Sum(Jet_tracks[Jet_tracks > 3], Jet_tracks[0])", "Sum of these is a std::uint8_t"},
  };
  for (const auto& [expression, message] : cases) {
    const std::vector<std::string> said = warnings_of(expression);
    ASSERT_EQ(said.size(), 1u) << expression;
    EXPECT_NE(said[0].find(message), std::string::npos) << said[0];
  }
  for (const char* expression :
       {"Sum(int(Jet_tracks))", "Sum(Jet_tracks, 0)", "Sum(Jet_tracks > 3)", "Sum(Jet_tracks * 1)",
        "Mean(Jet_tracks)", "Mean(Jet_tracks, 0.)", "Sum(Muon_layers)", "Product(Jet_isTight)",
        "Sum(Jet_isTight)", "Max(Jet_tracks)"})
    EXPECT_TRUE(warnings_of(expression).empty()) << expression;
}

}  // namespace
}  // namespace skimline
