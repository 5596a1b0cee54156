// SPDX-License-Identifier: BSD-3-Clause
// What inputs carry of the run that made them.
#include "plan/input_records.h"

#include "sample_record.h"
#include "temporary_folder.h"

#include "skimline/framework/error.h"
#include "skimline/io/histogram_writer.h"
#include "skimline/io/text_object.h"
#include "skimline/skims/record_objects.h"

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

SampleRecord skim_of(std::vector<double> counts) {
  SampleRecord sample = sample_record("ttbar", counts, {0.1, 0.2, 0.3}, {1, 1, 1});
  sample.weight = "genWeight";
  sample.inputs = {{"in.root", "Events", "uuid", 1000, {{0, static_cast<std::uint64_t>(counts[0])}}}};
  return sample;
}

std::optional<CarriedRecord> carried_by(const std::vector<std::string>& files,
                                        const std::vector<std::uint64_t>& num_entries) {
  const std::vector<CarriedRecord> records = carried_records(files, num_entries);
  return records.empty() ? std::nullopt : std::optional(sum_of(records));
}

class InputRecords : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::vector<SampleRecord>& samples) {
    io::RootFileWriter writer(folder_.path(name), record_classes());
    if (!samples.empty())
      for (const io::RootObject& object : record_objects({.version = "1", .configs = {}, .samples = samples}))
        writer.add_object(object);
    writer.commit();
    return folder_.path(name);
  }

  std::string problem(const std::vector<std::string>& files, const std::vector<std::uint64_t>& entries) {
    try {
      carried_by(files, entries);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(InputRecords, AreAddedExactly) {
  // 0.1 ten times is 1 if no sum is rounded on the way.
  std::vector<std::string> files;
  for (int i = 0; i < 10; ++i) files.push_back(write(std::to_string(i) + ".root", {skim_of({100, 40, 7})}));
  const std::optional<CarriedRecord> carried = carried_by(files, std::vector<std::uint64_t>(10, 7));
  ASSERT_TRUE(carried);
  EXPECT_TRUE(carried->warnings.empty());
  EXPECT_EQ(carried->weight, "genWeight");
  EXPECT_EQ(carried->cutflow.counts.contents(), (std::vector<double>{0, 1000, 400, 70, 0}));
  EXPECT_EQ(carried->cutflow.weights.contents(), (std::vector<double>{0, 1, 2, 3, 0}));
  EXPECT_EQ(carried->cutflow.weights.variances(), (std::vector<double>{0, 10, 10, 10, 0}));
  EXPECT_TRUE(carried->cutflow.counts.has_exact_sums && carried->cutflow.weights.has_exact_sums);
}

TEST_F(InputRecords, AreNoneWithoutRecord) { EXPECT_FALSE(carried_by({write("a.root", {})}, {5})); }

TEST_F(InputRecords, OfSomeFilesOnlyAreRefused) {
  const std::string found = problem({write("a.root", {skim_of({100, 40, 7})}), write("b.root", {})}, {7, 5});
  EXPECT_NE(found.find("a.root carries a record"), std::string::npos) << found;
  EXPECT_NE(found.find("b.root carries none"), std::string::npos) << found;
}

TEST_F(InputRecords, WithOtherStepsKeepTheNormalisation) {
  SampleRecord other = skim_of({50, 10});
  other.cutflow = sample_cutflow({50, 10});
  other.weighted_cutflow = sample_cutflow({0.5, 0.25}, {2, 1});
  const std::optional<CarriedRecord> carried =
      carried_by({write("a.root", {skim_of({100, 40, 7})}), write("b.root", {other})}, {7, 10});
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->warnings.size(), 1u);
  EXPECT_EQ(carried->cutflow.counts.axes[0].names(), (std::vector<std::string>{"step 0", "in the inputs"}));
  EXPECT_EQ(carried->cutflow.counts.contents(), (std::vector<double>{0, 150, 17, 0}));
  EXPECT_EQ(carried->cutflow.weights.contents(), (std::vector<double>{0, 0.6, 0.55, 0}));
  EXPECT_EQ(carried->cutflow.weights.variances(), (std::vector<double>{0, 3, 2, 0}));
}

TEST_F(InputRecords, ThatCannotBeAddedAreRefused) {
  const std::string first = write("a.root", {skim_of({100, 40, 7})});
  SampleRecord other = skim_of({100, 40, 7});
  other.weight = "";
  EXPECT_NE(problem({first, write("b.root", {other})}, {7, 7}).find("those of 1"), std::string::npos);
  other = skim_of({100, 40, 7});
  other.cross_section_pb = 3;
  EXPECT_NE(problem({first, write("c.root", {other})}, {7, 7}).find("cross sections"), std::string::npos);
  other.name = "data";
  EXPECT_NE(problem({write("d.root", {other, skim_of({1, 1, 1})})}, {1}).find("2 samples"),
            std::string::npos);
}

TEST_F(InputRecords, WarnOfChangedFiles) {
  EXPECT_EQ(carried_by({write("a.root", {skim_of({100, 40, 7})})}, {6})->warnings.size(), 1u);
  SampleRecord changed = skim_of({100, 40, 7});
  changed.inputs[0].processed[0].count = 99;
  EXPECT_EQ(carried_by({write("b.root", {changed})}, {7})->warnings.size(), 1u);
}

// As hadd leaves them: errors for counts too, and no exact sums.
TEST_F(InputRecords, OfFilesThatAnotherToolAddedAreRead) {
  const SampleRecord skim = skim_of({100, 40, 7});
  RunRecord record{.version = "1", .configs = {}, .samples = {skim}};
  {
    io::RootFileWriter writer(folder_.path("a.root"), record_classes());
    for (io::RootObject& object : record_objects(record)) {
      object.blob.clear();
      writer.add_object(object);
    }
    writer.commit();
  }
  const std::optional<CarriedRecord> carried = carried_by({folder_.path("a.root")}, {7});
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->cutflow.counts.contents(), skim.cutflow.contents());
  EXPECT_EQ(carried->cutflow.weights.contents(), skim.weighted_cutflow.contents());
  EXPECT_TRUE(carried->cutflow.weights.has_exact_sums);
}

TEST_F(InputRecords, WithoutCutflowAreRefused) {
  SampleRecord empty = skim_of({100, 40, 7});
  io::RootFileWriter writer(folder_.path("a.root"), record_classes());
  const auto objects = record_objects({.version = "1", .configs = {}, .samples = {empty}});
  writer.add_object(objects.front());
  writer.commit();
  EXPECT_NE(problem({folder_.path("a.root")}, {7}).find("no cutflow"), std::string::npos);
}

}  // namespace
}  // namespace skimline::skims
