// SPDX-License-Identifier: BSD-3-Clause
#include "run/job_progress.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

class JobProgressTest : public testing::Test {
 protected:
  void add(const std::string& name, std::uint64_t num_entries, std::vector<std::uint64_t> file_bytes) {
    samples_.emplace_back().name.value = name;
    extents_.push_back({num_entries, std::move(file_bytes)});
  }

  JobProgressCount& count() {
    if (count_) return *count_;
    std::vector<SampleExtent> extents;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      extents.push_back({samples_[i], extents_[i].num_entries, extents_[i].file_bytes});
    count_.emplace(extents, [this](const JobProgress& told) { told_ = told; });
    return *count_;
  }

  const JobProgress& after(std::size_t sample, std::uint64_t entries_done) {
    count().of_sample(sample)(entries_done);
    return told_;
  }

  struct Extent {
    std::uint64_t num_entries;
    std::vector<std::uint64_t> file_bytes;
  };
  std::vector<Sample> samples_;
  std::vector<Extent> extents_;
  std::optional<JobProgressCount> count_;
  JobProgress told_;
};

TEST_F(JobProgressTest, FilesAreDoneWithTheBytesOfTheirEntries) {
  add("a", 100, {300, 500, 200});
  EXPECT_EQ(after(0, 29).files_done, 0U);
  EXPECT_EQ(after(0, 30).files_done, 1U);
  EXPECT_EQ(after(0, 79).files_done, 1U);
  EXPECT_EQ(after(0, 80).bytes_done, 800U);
  EXPECT_EQ(after(0, 100).files_done, 3U);
}

TEST_F(JobProgressTest, SamplesWithoutEntriesAreDone) {
  add("none", 0, {40, 2});
  add("some", 10, {100});
  EXPECT_EQ(after(1, 0).files_done, 2U);
  EXPECT_EQ(after(1, 5).bytes_done, 42U + 50U);
  EXPECT_EQ(after(1, 5).sample, "some");
}

TEST_F(JobProgressTest, TheFirstSampleThatIsNotDoneIsBeingProcessed) {
  for (const char* name : {"a", "b", "c"}) add(name, 10, {1});
  EXPECT_EQ(after(1, 10).sample, "a");
  EXPECT_EQ(after(0, 10).sample, "c");
  EXPECT_EQ(after(0, 3).sample, "a") << "it has begun again";
  EXPECT_EQ(after(0, 10).sample, "c");
  EXPECT_EQ(after(2, 10).sample, "c");
}

TEST_F(JobProgressTest, TotalsAreThoseOfAllSamplesInAnyOrder) {
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < 20; ++i) {
    std::vector<std::uint64_t> bytes(random() % 5);
    for (std::uint64_t& each : bytes) each = random() % 1000;
    add("s" + std::to_string(i), random() % 100, bytes);
  }
  std::vector<std::uint64_t> done(samples_.size());
  for (int step = 0; step < 500; ++step) {
    const std::size_t sample = random() % samples_.size();
    done[sample] = random() % (extents_[sample].num_entries + 1);
    const JobProgress& told = after(sample, done[sample]);
    std::uint64_t entries = 0, files = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const auto& [num_entries, file_bytes] = extents_[i];
      entries += done[i];
      std::uint64_t all = 0, end = 0;
      for (const std::uint64_t bytes : file_bytes) all += bytes;
      if (done[i] == 0 && num_entries > 0) continue;
      const double share =
          num_entries == 0 ? 1 : static_cast<double>(done[i]) / static_cast<double>(num_entries);
      const auto bytes_done = static_cast<std::uint64_t>(share * static_cast<double>(all));
      for (const std::uint64_t bytes : file_bytes) files += (end += bytes) <= bytes_done ? 1 : 0;
    }
    ASSERT_EQ(told.entries_done, entries);
    ASSERT_EQ(told.files_done, files);
  }
}

}  // namespace
}  // namespace skimline::skims
