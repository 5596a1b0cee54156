// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Clock = ProgressText::Clock;
using namespace std::chrono_literals;

constexpr std::uint64_t kMemory = 1'234'000'000;

JobProgress half_way() {
  JobProgress job;
  job.sample = "ttbar";
  job.entries_done = 2'500'000;
  job.num_entries = 10'000'000;
  job.files_done = 3;
  job.num_files = 12;
  job.bytes_done = 500'000'000;
  job.num_bytes = 1'000'000'000;
  return job;
}

TEST(ProgressText, SaysHowFarHowFastAndHowLong) {
  const Clock::time_point start{};
  ProgressText text(ProgressStyle::kTerminal, "events", start);
  EXPECT_EQ(text.update(half_way(), start + 10s, kMemory),
            "[==========>         ]  50 %  ttbar  3/12 files  250 k events/s  50.0 MB/s  0:10 left  1.23 GB "
            "memory");
}

TEST(ProgressText, LeavesOutWhatIsNotKnown) {
  const Clock::time_point start{};
  ProgressText text(ProgressStyle::kTerminal, "histograms", start);
  EXPECT_EQ(text.update({}, start + 1s, 812), "[>                   ]   0 %  0 histograms/s  812 B memory");
  JobProgress job;
  job.entries_done = 30;
  job.num_entries = 40;
  EXPECT_EQ(text.update(job, start + 3600s, 0),
            "[===============>    ]  75 %  0 histograms/s  20:00 left  0 B memory");
  job.entries_done = 1;
  EXPECT_EQ(text.update(job, start + 7200s, 0),
            "[>                   ]   2 %  0 histograms/s  78:00:00 left  0 B memory");
}

TEST(ProgressText, KeepsItsInterval) {
  const Clock::time_point start = Clock::time_point{} + 100h;
  ProgressText terminal(ProgressStyle::kTerminal, "events", start);
  EXPECT_FALSE(terminal.update(half_way(), start, 0));
  EXPECT_FALSE(terminal.update(half_way(), start + 999ms, 0));
  EXPECT_TRUE(terminal.update(half_way(), start + 1000ms, 0));
  EXPECT_FALSE(terminal.update(half_way(), start + 1099ms, 0));
  EXPECT_TRUE(terminal.update(half_way(), start + 1100ms, 0));

  for (const ProgressStyle style : {ProgressStyle::kLines, ProgressStyle::kMessages}) {
    ProgressText lines(style, "events", start);
    EXPECT_FALSE(lines.update(half_way(), start, 0));
    EXPECT_FALSE(lines.update(half_way(), start + 29s, 0));
    EXPECT_TRUE(lines.update(half_way(), start + 30s, 0));
    EXPECT_FALSE(lines.update(half_way(), start + 59s, 0));
    EXPECT_TRUE(lines.update(half_way(), start + 60s, 0));
    EXPECT_FALSE(lines.finish(start + 90s, 0));
  }

  ProgressText none(ProgressStyle::kNone, "events", start);
  EXPECT_FALSE(none.update(half_way(), start + 90s, 0));
  EXPECT_FALSE(none.finish(start + 90s, 0));
}

TEST(ProgressText, IsOneJsonObjectPerLine) {
  const Clock::time_point start{};
  ProgressText text(ProgressStyle::kJson, "events", start);
  JobProgress job = half_way();
  job.sample = "a \"name\"\nwith \xff";
  const auto line = text.update(job, start + 10s, kMemory);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(*line);
  EXPECT_EQ(json.at("progress"), 0.5);
  EXPECT_EQ(json.at("done"), false);
  EXPECT_EQ(json.at("events"), 2'500'000);
  EXPECT_EQ(json.at("all_events"), 10'000'000);
  EXPECT_EQ(json.at("files"), 3);
  EXPECT_EQ(json.at("all_files"), 12);
  EXPECT_EQ(json.at("bytes"), 500'000'000);
  EXPECT_EQ(json.at("all_bytes"), 1'000'000'000);
  EXPECT_EQ(json.at("seconds"), 10);
  EXPECT_EQ(json.at("remaining_seconds"), 10);
  EXPECT_EQ(json.at("memory"), kMemory);
  EXPECT_FALSE(text.update(job, start + 10s + 499ms, kMemory));
  const auto last = text.finish(start + 11s, kMemory);
  ASSERT_TRUE(last);
  EXPECT_EQ(nlohmann::json::parse(*last).at("done"), true);
}

TEST(ProgressText, HasAnEndInJsonWithoutAnythingBefore) {
  ProgressText text(ProgressStyle::kJson, "events", Clock::time_point{});
  EXPECT_EQ(nlohmann::json::parse(*text.finish(Clock::time_point{}, 0)).at("done"), true);
}

}  // namespace
}  // namespace skimline::skims
