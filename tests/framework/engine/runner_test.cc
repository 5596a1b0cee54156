// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/runner.h"

#include "memory_source.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using testing::SummingAccumulator;

using Clock = std::chrono::steady_clock;

constexpr std::size_t kEntries = 30000;

// Slices that are no multiple of a batch, lists of 0 to 4 values.
struct RandomEvents {
  std::vector<float> x;
  std::vector<std::vector<std::int32_t>> lists;
  MemorySource source{7001};

  RandomEvents() {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < kEntries; ++i) {
      x.push_back(static_cast<float>(random() % 1000));
      std::vector<std::int32_t> list(random() % 5);
      for (auto& value : list) value = static_cast<std::int32_t>(random() % 100);
      lists.push_back(list);
    }
    source.add<float>("x", x);
    source.add<std::int32_t>("list", lists);
  }
};

TEST(Runner, AgreesWithThePlainLoop) {
  RandomEvents events;
  for (const int threads : {1, 2, 8}) {
    PlanBuilder builder(events.source.schema());
    CollectingSink sink;
    SummingAccumulator sum;
    const SelectionId first = builder.select(kAllEntries, "x < 700");
    const SelectionId second = builder.select(first, "list.size() > 1 && list[1] > 50");
    builder.write(second, {"x", "list"}, sink);
    builder.fill(second, {"list"}, sum);
    RunOptions options;
    options.threads = threads;
    const RunReport report = run(std::move(builder).build(), events.source, options);

    CollectingSink::Rows x, lists;
    double expected_sum = 0;
    std::size_t passed_first = 0;
    for (std::size_t i = 0; i < kEntries; ++i) {
      if (!(events.x[i] < 700)) continue;
      ++passed_first;
      const auto& list = events.lists[i];
      if (list.size() < 2 || list[1] <= 50) continue;
      x.push_back({events.x[i]});
      lists.emplace_back(list.begin(), list.end());
      for (const int value : list) expected_sum += value;
    }
    EXPECT_EQ(sink.columns[0], x);
    EXPECT_EQ(sink.columns[1], lists);
    EXPECT_EQ(sum.sum, expected_sum);
    EXPECT_EQ(report.num_entries, kEntries);
    EXPECT_EQ(report.entries_kept, (std::vector<std::uint64_t>{kEntries, passed_first, x.size()}));
  }
}

TEST(Runner, ReportsTheEarliestFaultAtAnyThreadCount) {
  RandomEvents events;
  for (const int threads : {1, 2, 8}) {
    PlanBuilder builder(events.source.schema());
    SummingAccumulator sum;
    builder.fill(kAllEntries, {"list[3]"}, sum);
    std::size_t first_short = 0;
    while (events.lists[first_short].size() > 3) ++first_short;
    RunOptions options;
    options.threads = threads;
    try {
      run(std::move(builder).build(), events.source, options);
      FAIL() << "an index out of range was accepted";
    } catch (const EvaluationError& error) {
      EXPECT_EQ(error.entry(), first_short);
    }
  }
}

// An accumulator that refuses the values of the second slice once those behind it have been filled.
struct LateRefusal : Accumulator {
  std::promise<void> is_filled;
  std::atomic<int> others = 0;
  std::optional<Refusal> fill(std::size_t, std::span<const ColumnView> columns) override {
    if (columns[0].data<float>()[0] != 1) {
      if (++others == 3) is_filled.set_value();
      return std::nullopt;
    }
    is_filled.get_future().wait_for(std::chrono::seconds(60));
    return Refusal{0, 0, "too late"};
  }
};

TEST(Runner, EndsWhereSlicesWaitForOneWithAFault) {
  MemorySource source(10);
  std::vector<float> slices;
  for (int i = 0; i < 40; ++i) slices.push_back(static_cast<float>(i / 10));
  source.add<float>("slice", slices);
  LateRefusal accumulator;
  CollectingSink sink;
  PlanBuilder builder(source.schema());
  builder.fill(kAllEntries, {"slice"}, accumulator);
  builder.write(kAllEntries, {"slice"}, sink);
  RunOptions options;
  options.threads = 2;
  try {
    run(std::move(builder).build(), source, options);
    FAIL() << "a refusal was lost";
  } catch (const EvaluationError& error) {
    EXPECT_EQ(error.entry(), 10U);
  }
}

TEST(Runner, PassesOnWhatAccumulatorsRefuse) {
  MemorySource source;
  source.add<double>("w", std::vector<double>{1, 2, -3});
  source.add<double>("v", std::vector<std::vector<double>>{{1, 2}, {}, {3, -4}});
  SummingAccumulator sum;
  for (const auto& [expression, entry] : {std::pair{"w", 2}, std::pair{"v", 2}}) {
    PlanBuilder builder(source.schema());
    builder.fill(kAllEntries, {expression}, sum);
    try {
      run(std::move(builder).build(), source, {});
      FAIL() << expression;
    } catch (const EvaluationError& error) {
      EXPECT_EQ(error.entry(), static_cast<std::uint64_t>(entry));
    }
  }
}

TEST(Runner, StopsWhenAsked) {
  RandomEvents events;
  std::atomic<bool> stop = true;
  CollectingSink sink;
  PlanBuilder builder(events.source.schema());
  builder.write(kAllEntries, {"x"}, sink);
  RunOptions options;
  options.stop = &stop;
  EXPECT_THROW(run(std::move(builder).build(), events.source, options), Interrupted);
}

// A sink whose stages take the given time at least.
struct SlowSink : CollectingSink {
  std::chrono::milliseconds seal_time{0};
  void seal(Portion& portion) const override {
    CollectingSink::seal(portion);
    std::this_thread::sleep_for(seal_time);
  }
};

// An accumulator that asks to stop at its first fill, and counts its fills.
struct StoppingAccumulator : Accumulator {
  std::atomic<bool> stop = false;
  std::atomic<int> fills = 0;
  std::optional<Refusal> fill(std::size_t, std::span<const ColumnView>) override {
    stop = true;
    ++fills;
    return std::nullopt;
  }
};

TEST(Runner, StopsWithinASlice) {
  for (const int threads : {1, 4}) {
    MemorySource source(1 << 20);  // one slice of many batches
    source.add<float>("x", std::vector<float>(1 << 19, 1.F));
    StoppingAccumulator accumulator;
    PlanBuilder builder(source.schema());
    builder.fill(kAllEntries, {"x"}, accumulator);
    builder.fill(kAllEntries, {"x * 2"}, accumulator);
    RunOptions options;
    options.threads = threads;
    options.stop = &accumulator.stop;
    EXPECT_THROW(run(std::move(builder).build(), source, options), Interrupted);
    EXPECT_EQ(accumulator.fills, 1);
  }
}

TEST(Runner, TellsOfEveryStageOfEverySlice) {
  for (const int threads : {1, 3}) {
    RandomEvents events;
    SlowSink sink;
    sink.seal_time = std::chrono::milliseconds(2);
    PlanBuilder builder(events.source.schema());
    builder.write(builder.select(kAllEntries, "x < 500"), {"x"}, sink);
    std::mutex mutex;
    std::map<std::size_t, std::vector<StageSpan>> spans;  // by slice
    RunOptions options;
    options.threads = threads;
    options.observe = [&](const StageSpan& span) {
      const std::lock_guard lock(mutex);
      spans[span.slice].push_back(span);
    };
    const RunReport report = run(std::move(builder).build(), events.source, options);

    ASSERT_EQ(spans.size(), events.source.slices().size());
    std::array<double, kNumStages> seconds{};
    for (const auto& [slice, stages] : spans) {
      ASSERT_EQ(stages.size(), kNumStages);
      for (std::size_t i = 0; i < kNumStages; ++i) {
        EXPECT_EQ(static_cast<std::size_t>(stages[i].stage), i);
        EXPECT_GE(stages[i].thread, 0);
        EXPECT_LT(stages[i].thread, threads);
        EXPECT_LE(stages[i].begin, stages[i].end);
        if (i > 0) {
          EXPECT_LE(stages[i - 1].end, stages[i].begin);
        }
        seconds[i] += std::chrono::duration<double>(stages[i].end - stages[i].begin).count();
      }
    }
    for (std::size_t i = 0; i < kNumStages; ++i) EXPECT_NEAR(report.stage_seconds[i], seconds[i], 1e-9);
    EXPECT_GE(report.stage_seconds[static_cast<std::size_t>(Stage::kSeal)],
              0.002 * static_cast<double>(spans.size()));
  }
}

TEST(Runner, TellsOfTheStageThatFails) {
  RandomEvents events;
  SummingAccumulator sum;
  PlanBuilder builder(events.source.schema());
  builder.fill(kAllEntries, {"list[7]"}, sum);
  std::vector<StageSpan> spans;
  RunOptions options;
  options.threads = 1;
  options.observe = [&](const StageSpan& span) { spans.push_back(span); };
  EXPECT_THROW(run(std::move(builder).build(), events.source, options), EvaluationError);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans.front().stage, Stage::kEvaluate);
}

TEST(Runner, LimitsTheSlicesInFlight) {
  for (const std::size_t limit : {std::size_t{1}, std::size_t{2}}) {
    RandomEvents events;
    SlowSink sink;
    sink.seal_time = std::chrono::milliseconds(1);
    PlanBuilder builder(events.source.schema());
    builder.write(kAllEntries, {"x"}, sink);
    std::mutex mutex;
    std::vector<StageSpan> spans;
    RunOptions options;
    options.threads = 4;
    options.max_slices_in_flight = limit;
    options.observe = [&](const StageSpan& span) {
      const std::lock_guard lock(mutex);
      spans.push_back(span);
    };
    run(std::move(builder).build(), events.source, options);
    std::map<std::size_t, Clock::time_point> begin, end;
    for (const StageSpan& span : spans) {
      if (span.stage == Stage::kEvaluate) begin[span.slice] = span.begin;
      if (span.stage == Stage::kCommit) end[span.slice] = span.end;
    }
    // A slice begins when the one that was `limit` before it has left.
    for (std::size_t slice = limit; slice < begin.size(); ++slice)
      EXPECT_GE(begin[slice], end[slice - limit]) << slice;
  }
}

// A pass over events of its own.
struct OwnPass {
  explicit OwnPass(std::size_t number, std::size_t num_entries) : source(97) {
    for (std::size_t i = 0; i < num_entries; ++i) x.push_back(static_cast<float>(i % (50 + number)));
    source.add<float>("x", x);
  }

  PlannedPass planned(std::function<void(PassResult)> complete, const std::string& filled = "x") {
    PlanBuilder builder(source.schema());
    const SelectionId kept = builder.select(kAllEntries, "x < 20");
    builder.write(kept, {"x"}, sink);
    builder.fill(kept, {filled}, sum);
    return {std::move(builder).build(), source, {}, std::move(complete)};
  }
  CollectingSink::Rows expected() const {
    CollectingSink::Rows rows;
    for (const float value : x)
      if (value < 20) rows.push_back({value});
    return rows;
  }

  std::vector<float> x;
  MemorySource source;
  CollectingSink sink;
  SummingAccumulator sum;
};

std::vector<std::unique_ptr<OwnPass>> own_passes() {
  std::vector<std::unique_ptr<OwnPass>> passes;
  for (const std::size_t num_entries : {3000U, 0U, 10U, 5000U, 97U, 1U})
    passes.push_back(std::make_unique<OwnPass>(passes.size(), num_entries));
  return passes;
}

TEST(RunTogether, EachPassIsCompleteInItsOrderAndAsIfAlone) {
  for (const int threads : {1, 2, 8}) {
    const std::vector<std::unique_ptr<OwnPass>> passes = own_passes();
    std::vector<std::size_t> completed;
    std::vector<PlannedPass> planned;
    for (std::size_t i = 0; i < passes.size(); ++i)
      planned.push_back(passes[i]->planned([&, i](PassResult result) {
        completed.push_back(i);
        ASSERT_FALSE(result.fault);
        EXPECT_EQ(result.report.num_entries, passes[i]->x.size());
        EXPECT_EQ(passes[i]->sink.columns.empty() ? CollectingSink::Rows() : passes[i]->sink.columns[0],
                  passes[i]->expected());
      }));
    run_together(std::move(planned), threads);
    EXPECT_EQ(completed, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(RunTogether, AFaultIsThatOfItsPassAlone) {
  for (const int threads : {1, 2, 8}) {
    const std::vector<std::unique_ptr<OwnPass>> passes = own_passes();
    std::vector<std::size_t> faulty, sound;
    std::vector<PlannedPass> planned;
    for (std::size_t i = 0; i < passes.size(); ++i)
      planned.push_back(passes[i]->planned(
          [&, i](const PassResult& result) { (result.fault ? faulty : sound).push_back(i); },
          i == 0 || i == 3 ? "7 % int(x)" : "x"));
    run_together(std::move(planned), threads);
    EXPECT_EQ(faulty, (std::vector<std::size_t>{0, 3}));
    EXPECT_EQ(sound, (std::vector<std::size_t>{1, 2, 4, 5}));
  }
}

TEST(RunTogether, EndsWithWhatCompletingThrows) {
  for (const int threads : {1, 2, 8}) {
    const std::vector<std::unique_ptr<OwnPass>> passes = own_passes();
    std::vector<std::size_t> completed;
    std::vector<PlannedPass> planned;
    for (std::size_t i = 0; i < passes.size(); ++i)
      planned.push_back(passes[i]->planned([&, i](const PassResult&) {
        if (i == 2) throw ConfigError("no more");
        completed.push_back(i);
      }));
    EXPECT_THROW(run_together(std::move(planned), threads), ConfigError);
    EXPECT_EQ(completed, (std::vector<std::size_t>{0, 1}));
  }
}

TEST(RunTogether, APassBeginsWhileTheOneBeforeIsCompleted) {
  const std::vector<std::unique_ptr<OwnPass>> passes = own_passes();
  std::promise<void> has_begun;
  std::atomic<bool> is_told = false;
  std::vector<PlannedPass> planned;
  planned.push_back(passes[0]->planned([&](const PassResult&) {
    EXPECT_EQ(has_begun.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  }));
  planned.push_back(passes[3]->planned([](const PassResult&) {}));
  planned.back().options.observe = [&](const StageSpan&) {
    if (!is_told.exchange(true)) has_begun.set_value();
  };
  run_together(std::move(planned), 2);
}

TEST(Runner, TakesSourcesWithoutEntries) {
  MemorySource source;
  source.add<float>("x", std::vector<float>{});
  CollectingSink sink;
  PlanBuilder builder(source.schema());
  builder.write(builder.select(kAllEntries, "x > 0"), {"x"}, sink);
  const RunReport report = run(std::move(builder).build(), source, {});
  EXPECT_EQ(report.entries_kept, (std::vector<std::uint64_t>{0, 0}));
}

TEST(Runner, WritesConstantsForEveryEntry) {
  MemorySource source;
  source.add<float>("x", std::vector<float>{1, 2});
  CollectingSink sink;
  PlanBuilder builder(source.schema());
  builder.define("one", "1");
  builder.write(kAllEntries, {"one"}, sink);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(sink.columns[0], (CollectingSink::Rows{{1}, {1}}));
}

TEST(StartThreads, AreThereBeforeTheyAreNeeded) {
  // More than other tests have started.
  constexpr int kThreads = 100;
  const auto num_threads = [] {
    const auto all = std::filesystem::directory_iterator("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  ASSERT_LT(num_threads(), kThreads);
  start_threads(kThreads);
  EXPECT_GE(num_threads(), kThreads);
}

}  // namespace
}  // namespace skimline
