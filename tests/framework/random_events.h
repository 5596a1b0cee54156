// SPDX-License-Identifier: BSD-3-Clause
// Events of random lists, and what expressions give for them.
#pragma once

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::testing {

using Row = std::vector<double>;
using Rows = CollectingSink::Rows;

/// One event; lists of `x` and `z` have one size, `nested` has a list for each of their elements.
struct Event {
  std::vector<float> x, y;  ///< with NaN, infinities and zeros of both signs
  std::vector<double> z;
  std::vector<std::int32_t> k, other;  ///< small numbers, many of them equal
  std::vector<bool> flags;             ///< for every element of x
  std::vector<std::vector<float>> nested;
  std::int32_t n = 0;
};

inline std::vector<Event> random_events(std::size_t count) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::size_t>(random() % limit); };
  const float special[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           0.f,
                           -0.f,
                           1.f};
  const auto value = [&] {
    return below(8) == 0 ? special[below(6)] : static_cast<float>(random() % 10000) / 16.f - 300.f;
  };
  // Mostly a few elements, as in files, some long lists.
  const auto size = [&] { return below(10) == 0 ? below(120) : below(8); };
  std::vector<Event> events(count);
  for (Event& event : events) {
    const std::size_t num_x = size(), num_y = size(), num_k = size(), num_other = size();
    for (std::size_t i = 0; i < num_x; ++i) {
      event.x.push_back(value());
      event.z.push_back(static_cast<double>(random() % 1000) / 3);
      event.flags.push_back(below(2) == 0);
      event.nested.emplace_back(below(4), value());
      for (float& element : event.nested.back()) element = value();
    }
    for (std::size_t i = 0; i < num_y; ++i) event.y.push_back(value());
    for (std::size_t i = 0; i < num_k; ++i) event.k.push_back(static_cast<std::int32_t>(below(9)) - 4);
    for (std::size_t i = 0; i < num_other; ++i)
      event.other.push_back(static_cast<std::int32_t>(below(9)) - 4);
    event.n = static_cast<std::int32_t>(below(12)) - 6;
  }
  return events;
}

template <typename T, typename Member>
std::vector<T> column_of(const std::vector<Event>& events, Member member) {
  std::vector<T> column;
  for (const Event& event : events) column.push_back(event.*member);
  return column;
}

inline void add_events(MemorySource& source, const std::vector<Event>& events) {
  source.add<float>("x", column_of<std::vector<float>>(events, &Event::x));
  source.add<float>("y", column_of<std::vector<float>>(events, &Event::y));
  source.add<double>("z", column_of<std::vector<double>>(events, &Event::z));
  source.add<std::int32_t>("k", column_of<std::vector<std::int32_t>>(events, &Event::k));
  source.add<std::int32_t>("other", column_of<std::vector<std::int32_t>>(events, &Event::other));
  source.add<bool>("flags", column_of<std::vector<bool>>(events, &Event::flags));
  source.add<float>("nested", column_of<std::vector<std::vector<float>>>(events, &Event::nested));
  source.add<std::int32_t>("n", column_of<std::int32_t>(events, &Event::n));
}

/// The values of an expression, by event; lists of lists in sequence.
inline Rows values_of(MemorySource& source, const std::string& expression,
                      const std::string& selection = "true") {
  PlanBuilder builder(source.schema());
  builder.define("result", expression);
  CollectingSink sink;
  builder.write(builder.select(kAllEntries, selection), {"result"}, sink);
  run(std::move(builder).build(), source, {});
  return sink.columns.empty() ? Rows{} : sink.columns[0];
}

/// The message of the event without an answer; empty if all have one.
inline std::string fault_of(MemorySource& source, const std::string& expression) {
  try {
    values_of(source, expression);
  } catch (const EvaluationError& error) {
    return error.what();
  }
  return "";
}

inline bool is_same(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
}

/// Compares an expression with a function of one event, bit for bit, where `selection` holds.
template <typename Naive>
void expect_values(MemorySource& source, const std::vector<Event>& events, const std::string& expression,
                   Naive naive, const std::string& selection = "true") {
  const Rows rows = values_of(source, expression, selection), chosen = values_of(source, "entry_", selection);
  ASSERT_EQ(rows.size(), chosen.size()) << expression;
  ASSERT_GT(rows.size(), events.size() / 10) << expression;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto entry = static_cast<std::size_t>(chosen[i][0]);
    const Row expected = naive(events[entry]);
    ASSERT_EQ(rows[i].size(), expected.size()) << expression << " in event " << entry;
    for (std::size_t j = 0; j < expected.size(); ++j)
      ASSERT_TRUE(is_same(rows[i][j], expected[j]))
          << expression << " in event " << entry << ": " << rows[i][j] << " instead of " << expected[j];
  }
}

}  // namespace skimline::testing
