// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/draw_cut.h"

#include "skimline/framework/error.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

const NumberTypes kNumbers{{"nMuon", ScalarType::kUInt32},
                           {"nJet", ScalarType::kUInt32},
                           {"charge", ScalarType::kInt32},
                           {"id", ScalarType::kUInt8},
                           {"Muon_pt", ScalarType::kFloat}};

std::string translated(const std::string& cut) {
  return expression_of_cut(cut, {"Muon_pt", "Muon_eta"}, kNumbers);
}

TEST(DrawCut, stays_as_it_is_without_lists) {
  for (const char* cut : {"nMuon > 1 && MET_pt > 2e3", "TMath::Abs(x) < 1", "(run == 1) || HLT_Mu", ""})
    EXPECT_EQ(translated(cut), cut);
}

TEST(DrawCut, passes_where_any_element_does) {
  EXPECT_EQ(translated("Muon_pt > 20"), "Any(Muon_pt > 20)");
  EXPECT_EQ(translated("Sum$(Muon_pt > 20) > 1 && Muon_eta < 1"),
            "Any(Sum(Muon_pt > 20) > 1 && Muon_eta < 1)");
  EXPECT_EQ(translated("Sum$((Muon_pt + 1) * (Muon_pt > 20)) > 1"),
            "Sum((double(Muon_pt) + 1.) * (Muon_pt > 20)) > 1");
}

TEST(DrawCut, asks_for_the_elements_that_are_indexed) {
  EXPECT_EQ(translated("Muon_pt[0] > 20"), "Muon_pt.size() > 0 && (Muon_pt[0] > 20)");
  EXPECT_EQ(translated("Muon_pt [2] > Muon_pt[0] || Muon_eta > 1"),
            "Muon_pt.size() > 2 && (Any(Muon_pt [2] > Muon_pt[0] || Muon_eta > 1))");
}

TEST(DrawCut, computes_with_doubles) {
  EXPECT_EQ(translated("nMuon - nJet > -1"), "double(nMuon) - double(nJet) > -1.");
  EXPECT_EQ(translated("nMuon == nJet && nMuon < charge && 2 * charge > 1/3"),
            "nMuon == nJet && double(nMuon) < double(charge) && 2. * double(charge) > 1./3.");
  EXPECT_EQ(translated("(id & 4) > 0 && (nMuon - charge) % 2"),
            "(id & 4) > 0 && (long(double(nMuon) - double(charge))) % 2");
  EXPECT_EQ(translated("x / nMuon / 2 > charge"), "quotient(x , double(nMuon)) / 2. > double(charge)");
  EXPECT_EQ(translated("Sum$(id) + 1"), "double(Sum(double(id))) + 1. != 0");
  EXPECT_EQ(translated("Muon_pt[0] == charge ? nMuon > 1 : HLT_Mu"),
            "Muon_pt.size() > 0 && (double(Muon_pt[0]) == double(charge) ? nMuon > 1 : HLT_Mu)");
}

TEST(DrawCut, takes_what_parentheses_make_clear) {
  for (const char* cut : {"(x > y) == z", "x == (y == z)", "(nMuon%2)/2. > 0", "x > 1 && y == 2 || z",
                          "(a & 3) >> 1 == 1", "a & 3 | b", "a * b / 2."})
    EXPECT_NO_THROW(translated(cut)) << cut;
  EXPECT_EQ(translated("(charge >> 1) > 0"), "(ULong64_t(charge) >> 1) > 0");
}

TEST(DrawCut, refuses_what_only_trees_know) {
  for (const char* cut : {"Length$(Muon_pt) > 1", "MinIf$(Muon_pt, 1) > 2", "Muon_pt[i] > 2", "Muon_pt[",
                          "Muon_pt[]", "Muon_pt[9999999999] > 1", "nMuon^2 > 4", "x > y == z", "x == y == z",
                          "nMuon%2/2 > 0", "x + 1 << 2", "(id & 3) - 1 >> 1", "!x << 1"})
    EXPECT_THROW(translated(cut), ConfigError) << cut;
}

}  // namespace
}  // namespace skimline::skims
