// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

TEST(NearestName, FindsSlipsOfTheFinger) {
  const std::vector<std::string> names = {"Muon_pt", "Muon_eta", "MET_pt", "selection", "nMuon"};
  const std::pair<const char*, const char*> cases[] = {
      {"Mion_pt", "Muon_pt"},    {"Muon_pT", "Muon_pt"}, {"muon_pt", "Muon_pt"},   {"selectoin", "selection"},
      {"Muon_etta", "Muon_eta"}, {"nMuons", "nMuon"},    {"completely_other", ""}, {"", ""},
      {"MUON_PT", "Muon_pt"},    {"met.PT", "MET_pt"},   {"NMUON", "nMuon"},
  };
  for (const auto& [typed, expected] : cases) EXPECT_EQ(nearest_name(typed, names), expected) << typed;
}

TEST(NearestName, PrefersTheNearest) {
  EXPECT_EQ(nearest_name("Jet_pt", {"Jet_phi", "Jet_pT", "Met_pt"}), "Jet_pT");
  EXPECT_EQ(did_you_mean("Jet_ptt", {"Jet_pt"}), " (did you mean \"Jet_pt\"?)");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Errors, NamePlaceAndProblem) {
  EXPECT_STREQ(FileError("a.root", "is empty").what(), "a.root: is empty");
  EXPECT_STREQ(EvaluationError(17, "x[3]", "index 3 is out of range").what(),
               "index 3 is out of range in \"x[3]\" at entry 17");
  const ExpressionError error("a + ", 4, 0, "expected a value");
  EXPECT_STREQ(error.what(), "expected a value in \"a + \" at character 5");
  EXPECT_EQ(error.offset(), 4u);
}

}  // namespace
}  // namespace skimline
