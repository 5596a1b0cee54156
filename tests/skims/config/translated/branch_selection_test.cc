// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/branch_selection.h"

#include "temporary_folder.h"

#include "skimline/framework/error.h"

#include <fstream>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

using Names = std::vector<std::string>;

const Names kNames{"run", "nMuon", "Muon_pt", "Muon_charge", "HLT_A", "HLT_B"};
const Names kLists{"Muon_pt", "Muon_charge"};

class BranchSelectionTest : public ::testing::Test {
 protected:
  KeptPatterns patterns(const std::string& text, const Names& names = kNames) {
    const std::string path = folder_.path("keep.txt");
    std::ofstream(path) << text;
    BranchSelection selection;
    selection.add_file(path, left_out_);
    return selection.patterns(names, kLists, left_out_);
  }

  TemporaryFolder folder_;
  Names left_out_;
};

TEST_F(BranchSelectionTest, keeps_patterns_that_say_the_same) {
  const KeptPatterns kept = patterns("drop *\nkeep run\nkeep Muon_*\n");
  EXPECT_EQ(kept.keep, (Names{"run", "Muon_*", "nMuon"}));
  EXPECT_TRUE(kept.drop.empty() && !kept.are_all && left_out_.empty());
}

TEST_F(BranchSelectionTest, names_columns_where_patterns_cannot_say_it) {
  EXPECT_EQ(patterns("drop HLT_*\nkeep HLT_A\n").keep,
            (Names{"run", "nMuon", "Muon_pt", "Muon_charge", "HLT_A"}));
}

TEST_F(BranchSelectionTest, says_what_it_cannot_tell_without_columns) {
  EXPECT_EQ(patterns("drop HLT_*\nkeep HLT_A\n", {}).drop, Names{"HLT_*"});
  EXPECT_EQ(left_out_.size(), 1u);
}

}  // namespace
}  // namespace skimline::skims
