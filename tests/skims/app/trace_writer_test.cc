// SPDX-License-Identifier: BSD-3-Clause
#include "trace_writer.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

std::vector<Json> complete_events(const TraceWriter& trace) {
  std::vector<Json> events;
  const Json json = Json::parse(trace.to_json());
  for (const Json& event : json.at("traceEvents"))
    if (event.at("ph") == "X") events.push_back(event);
  return events;
}

TEST(TraceWriter, HasAnEventForEachSpanInOrder) {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::time_point{} + 5s;
  TraceWriter trace(start);
  const std::string sample = "a \"sample\"";
  trace.add(sample, {Stage::kSeal, 7, 1, start + 2ms, start + 2500us});
  trace.add(sample, {Stage::kEvaluate, 7, 0, start + 1us, start + 1ms});
  EXPECT_EQ(complete_events(trace), (std::vector<Json>{{{"name", "evaluate"},
                                                        {"ph", "X"},
                                                        {"ts", 1.0},
                                                        {"dur", 999.0},
                                                        {"pid", 1},
                                                        {"tid", 0},
                                                        {"args", {{"sample", sample}, {"slice", 7}}}},
                                                       {{"name", "seal"},
                                                        {"ph", "X"},
                                                        {"ts", 2000.0},
                                                        {"dur", 500.0},
                                                        {"pid", 1},
                                                        {"tid", 1},
                                                        {"args", {{"sample", sample}, {"slice", 7}}}}}));
}

TEST(TraceWriter, NamesItsThreads) {
  TraceWriter trace({});
  trace.add("s", {Stage::kWrite, 0, 3, {}, {}});
  std::vector<Json> names;
  const Json json = Json::parse(trace.to_json());
  for (const Json& event : json.at("traceEvents"))
    if (event.at("ph") == "M" && event.at("name") == "thread_name") names.push_back(event.at("tid"));
  EXPECT_EQ(names, std::vector<Json>{3});
}

TEST(TraceWriter, IsValidWithoutEvents) { EXPECT_TRUE(complete_events(TraceWriter({})).empty()); }

TEST(TraceWriter, TakesSpansFromManyThreads) {
  TraceWriter trace({});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&trace, thread] {
      for (std::size_t slice = 0; slice < 1000; ++slice)
        trace.add("s", {Stage::kCommit, slice, thread, {}, {}});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(complete_events(trace).size(), 4000U);
}

}  // namespace
}  // namespace skimline::skims
