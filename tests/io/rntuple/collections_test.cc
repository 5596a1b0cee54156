// SPDX-License-Identifier: BSD-3-Clause
// Columns of a collection, written as members of one field.
#include "memory_source.h"
#include "temporary_folder.h"

#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"
#include "skimline/io/rntuple_sink.h"
#include "skimline/io/rntuple_source.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

using skimline::testing::MemorySource;
using skimline::testing::WritingSink;
using Lists = std::vector<std::vector<int>>;
using Texts = std::vector<std::string>;

class CollectionsTest : public ::testing::Test {
 protected:
  std::string write(MemorySource& source, std::vector<Collection> collections) {
    RNTupleSinkOptions options;
    options.path = folder_.path("out.root");
    options.collections = std::move(collections);
    RNTupleSink sink(source.schema(), options);
    PlanBuilder builder(source.schema());
    builder.write(kAllEntries, source.schema().names(), sink);
    run(std::move(builder).build(), source);
    sink.finish();
    return folder_.path("out.root");
  }

  // What a column holds, entry by entry.
  static Texts read(const std::string& path, const std::string& column) {
    RNTupleSource source({{path, "Events"}});
    WritingSink sink;
    PlanBuilder builder(source.schema());
    builder.write(kAllEntries, {column}, sink);
    run(std::move(builder).build(), source);
    return sink.columns.at(0);
  }

  static std::vector<std::string> columns_of(const std::string& path) {
    return RNTupleSource({{path, "Events"}}).schema().names();
  }

  TemporaryFolder folder_;
};

TEST_F(CollectionsTest, MembersShareTheirSizes) {
  MemorySource source(2);
  source.add("nJet", std::vector<std::int32_t>{2, 0, 1});
  source.add("Jet_pt", Lists{{1, 2}, {}, {3}}).add("Jet_id", Lists{{7, 8}, {}, {9}});
  source.add("met", std::vector<float>{0.5f, 1.5f, 2.5f});
  const std::string path = write(source, {{"Jet", "nJet", "jets", {"Jet_pt", "Jet_id"}}});
  EXPECT_EQ(read(path, "Jet_pt"), (Texts{"{1, 2}", "{}", "{3}"}));
  EXPECT_EQ(read(path, "Jet.id"), (Texts{"{7, 8}", "{}", "{9}"}));
  EXPECT_EQ(read(path, "nJet"), (Texts{"2", "0", "1"}));
  EXPECT_EQ(read(path, "met"), (Texts{"0.5", "1.5", "2.5"}));
}

TEST_F(CollectionsTest, MembersMayBeListsAndStrings) {
  MemorySource source(2);
  source.add("A_x", std::vector<Lists>{{{1}, {}}, {}, {{2, 3}}});
  source.add_strings("A_s", std::vector<Texts>{{"one", ""}, {}, {"three"}});
  source.add("A_z", Lists{{4, 5}, {}, {6}});
  const std::string path = write(source, {{"A", "", "", {"A_x", "A_s", "A_z"}}});
  EXPECT_EQ(read(path, "A_x"), (Texts{"{{1}, {}}", "{}", "{{2, 3}}"}));
  EXPECT_EQ(read(path, "A_s"), (Texts{"{\"one\", \"\"}", "{}", "{\"three\"}"}));
  EXPECT_EQ(read(path, "A_z"), (Texts{"{4, 5}", "{}", "{6}"}));
}

TEST_F(CollectionsTest, DifferentSizesAreErrors) {
  MemorySource source;
  source.add("Jet_pt", Lists{{1, 2}, {}}).add("Jet_id", Lists{{7}, {8}});
  EXPECT_THROW(write(source, {{"Jet", "", "", {"Jet_pt", "Jet_id"}}}), SchemaError);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out.root")));
}

TEST_F(CollectionsTest, CountsThatAreNotTheSizesAreErrors) {
  for (const std::int32_t wrong : {2, -1}) {
    MemorySource source;
    source.add("nJet", std::vector<std::int32_t>{1, wrong}).add("Jet_pt", Lists{{1}, {2}});
    EXPECT_THROW(write(source, {{"Jet", "nJet", "", {"Jet_pt"}}}), SchemaError);
  }
}

TEST_F(CollectionsTest, CountsThatAreNoIntegersAreColumnsOfTheirOwn) {
  MemorySource source;
  source.add("nJet", std::vector<float>{1.5f, 0}).add("Jet_pt", Lists{{1}, {}});
  const std::string path = write(source, {{"Jet", "nJet", "", {"Jet_pt"}}});
  EXPECT_EQ(read(path, "nJet"), (Texts{"1.5", "0"}));
}

TEST_F(CollectionsTest, NamesThatAreTakenLeaveListsAsTheyAre) {
  MemorySource source;
  source.add("Jet", std::vector<float>{1, 2}).add("nJet", std::vector<int>{5, 6});
  source.add("Jet_pt", Lists{{1}, {2, 3}});
  const std::string path = write(source, {{"Jet", "nJet", "", {"Jet_pt"}}});
  EXPECT_EQ(columns_of(path), (std::vector<std::string>{"Jet", "nJet", "Jet_pt"}));
  EXPECT_EQ(read(path, "nJet"), (Texts{"5", "6"}));
  EXPECT_EQ(read(path, "Jet_pt"), (Texts{"{1}", "{2, 3}"}));
}

TEST_F(CollectionsTest, OtherNamesInThemDoNotMatter) {
  MemorySource source;
  source.add("nJet", std::vector<int>{1, 0}).add("Jet_pt", Lists{{1}, {}});
  const std::string path =
      write(source, {{"Jet", "nJet", "", {"Jet_pt", "Jet_none"}}, {"B", "nB", "", {"B_x"}}});
  EXPECT_EQ(read(path, "Jet_pt"), (Texts{"{1}", "{}"}));
}

TEST_F(CollectionsTest, MembersOfTwoCollectionsDoNotMeet) {
  MemorySource source;
  source.add("A_B", Lists{{1}, {}}).add("A_B_c", Lists{{2, 3}, {4}});
  const std::string path = write(source, {{"A", "", "", {"A_B"}}, {"A_B", "", "", {"A_B_c"}}});
  EXPECT_EQ(read(path, "A_B"), (Texts{"{1}", "{}"}));
  EXPECT_EQ(read(path, "A_B_c"), (Texts{"{2, 3}", "{4}"}));
}

}  // namespace
}  // namespace skimline::io
