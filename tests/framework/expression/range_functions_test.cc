// SPDX-License-Identifier: BSD-3-Clause
// Functions that look up ranges of integers, against a search through all of them.
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using Rows = CollectingSink::Rows;

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// The type of an integer may hold values that std::int64_t does not.
template <typename Integer>
bool is_inside(const RangesByKey& ranges, Integer key, Integer value) {
  for (const auto& [of_key, of_values] : ranges)
    for (const auto& [first, last] : of_values)
      if (std::cmp_equal(of_key, key) && std::cmp_less_equal(first, value) &&
          std::cmp_less_equal(value, last))
        return true;
  return false;
}

Rows values_of(MemorySource& source, const RangesByKey& ranges, const std::string& expression) {
  PlanBuilder builder(source.schema());
  builder.define_ranges("is_good", ranges);
  builder.define("result", expression);
  CollectingSink sink;
  builder.write(kAllEntries, {"result"}, sink);
  run(std::move(builder).build(), source, {});
  return sink.columns.empty() ? Rows{} : sink.columns[0];
}

// Ranges that overlap, touch, are equal, hold one number, or none, in any order.
RangesByKey random_ranges(std::mt19937_64& random) {
  RangesByKey ranges;
  for (int key = 0; key < 6; ++key)
    for (std::uint64_t left = random() % 8; left > 0; --left) {
      const auto first = static_cast<std::int64_t>(random() % 100);
      ranges[2 * key].emplace_back(first, first + static_cast<std::int64_t>(random() % 12) - 1);
    }
  ranges[4];  // a key without any
  return ranges;
}

template <typename Integer>
void expect_as_searched(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const RangesByKey ranges = random_ranges(random);
  std::vector<Integer> keys, values;
  for (int i = 0; i < 10'000; ++i) {
    // Runs of equal keys, as in files, and without.
    keys.push_back(i % 3 != 0 && i > 5000 ? keys.back() : static_cast<Integer>(random() % 13));
    values.push_back(static_cast<Integer>(random() % 120));
  }
  MemorySource source(997);
  source.add<Integer>("run", keys).template add<Integer>("block", values);
  const Rows rows = values_of(source, ranges, "is_good(run, block)");
  ASSERT_EQ(rows.size(), keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(rows[i][0] != 0, is_inside(ranges, keys[i], values[i])) << +keys[i] << ", " << +values[i];
}

TEST(RangeFunctions, FindWhatASearchFinds) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    expect_as_searched<std::int8_t>(seed);
    expect_as_searched<std::uint16_t>(seed);
    expect_as_searched<std::int32_t>(seed);
    expect_as_searched<std::uint32_t>(seed);
    expect_as_searched<std::int64_t>(seed);
    expect_as_searched<std::uint64_t>(seed);
  }
}

TEST(RangeFunctions, HoldForTheLargestAndSmallestNumbers) {
  const RangesByKey ranges = {{kSmallest, {{kSmallest, kSmallest}, {kLargest - 1, kLargest}, {5, kLargest}}},
                              {-1, {{kSmallest, kLargest}}},
                              {kLargest, {{-3, -1}}}};
  const std::vector<std::int64_t> numbers = {kSmallest, kSmallest + 1, -3, -1, 0, 5, kLargest - 1, kLargest};
  std::vector<std::int64_t> keys, values;
  for (const std::int64_t key : numbers)
    for (const std::int64_t value : numbers) {
      keys.push_back(key);
      values.push_back(value);
    }
  const std::vector<std::uint64_t> large(keys.begin(), keys.end()), larger(values.begin(), values.end());
  MemorySource source;
  source.add<std::int64_t>("key", keys).add<std::int64_t>("value", values);
  source.add<std::uint64_t>("large", large).add<std::uint64_t>("larger", larger);
  const Rows is_signed = values_of(source, ranges, "is_good(key, value)");
  const Rows is_unsigned = values_of(source, ranges, "is_good(large, larger)");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(is_signed[i][0] != 0, is_inside(ranges, keys[i], values[i])) << keys[i] << ", " << values[i];
    EXPECT_EQ(is_unsigned[i][0] != 0, is_inside(ranges, large[i], larger[i]))
        << large[i] << ", " << larger[i];
  }
}

TEST(RangeFunctions, TakeLists) {
  MemorySource source;
  source.add<std::uint32_t>("run", std::vector<std::uint32_t>{1, 2, 3});
  source.add<std::int16_t>("blocks", std::vector<std::vector<std::int16_t>>{{1, 5}, {}, {5, 6, 9}});
  source.add<std::int32_t>("runs", std::vector<std::vector<std::int32_t>>{{3, 1}, {}, {3, 1, 2}});
  source.add<std::int32_t>(
      "nested", std::vector<std::vector<std::vector<std::int32_t>>>{{{1, 2}, {}}, {{3}}, {{}, {9}}});
  const RangesByKey ranges = {{1, {{5, 6}, {2, 2}}}, {3, {{1, 5}, {9, 9}}}};
  EXPECT_EQ(values_of(source, ranges, "is_good(run, blocks)"), (Rows{{0, 1}, {}, {1, 0, 1}}));
  EXPECT_EQ(values_of(source, ranges, "is_good(runs, blocks)"), (Rows{{1, 1}, {}, {1, 1, 0}}));
  EXPECT_EQ(values_of(source, ranges, "is_good(runs, 5)"), (Rows{{1, 1}, {}, {1, 1, 0}}));
  EXPECT_EQ(values_of(source, ranges, "is_good(run, nested)"), (Rows{{0, 1}, {0}, {1}}));
  EXPECT_EQ(values_of(source, ranges, "is_good(3, 2)"), (Rows{{1}, {1}, {1}}));
  EXPECT_EQ(values_of(source, ranges, "Sum(blocks[is_good(run, blocks)])"), (Rows{{5}, {0}, {14}}));
}

TEST(RangeFunctions, HaveTheTypesOfComparisons) {
  Schema schema;
  schema.add({"run", flat(ScalarType::kUInt32), ""});
  schema.add({"blocks", jagged(ScalarType::kUInt32), ""});
  schema.add({"x", flat(ScalarType::kFloat), ""});
  PlanBuilder builder(schema);
  builder.define_ranges("is_good", {{1, {{1, 2}}}});
  EXPECT_EQ(builder.type_of_expression("is_good(run, 1)"), flat(ScalarType::kBool));
  EXPECT_EQ(builder.type_of_expression("is_good(run, blocks)"), builder.type_of_expression("blocks > run"));
  const auto problem_with = [&](const char* expression) {
    try {
      builder.type_of_expression(expression);
    } catch (const ExpressionError& error) {
      return error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(problem_with("is_good(run, x)"),
            "is_good(key, value) takes two integers, not (std::uint32_t, float)");
  EXPECT_EQ(problem_with("is_good(run)"), "is_good(key, value) takes two integers, not (std::uint32_t)");
  EXPECT_EQ(problem_with("is_good()"), "is_good(key, value) takes two integers, not nothing");
  EXPECT_EQ(problem_with("is_good + 1"), "\"is_good\" is a function and needs arguments in parentheses");
  EXPECT_EQ(problem_with("is_godo(run, 1)"), "unknown function \"is_godo\" (did you mean \"is_good\"?)");
}

TEST(RangeFunctions, AreToldApart) {
  MemorySource source;
  source.add<std::int32_t>("run", std::vector<std::int32_t>{1, 2, 3});
  PlanBuilder builder(source.schema());
  builder.define_ranges("first", {{1, {{1, 1}}}, {2, {{2, 2}}}});
  builder.define_ranges("second", {{3, {{3, 3}}}});
  builder.define_ranges("none", {});
  builder.define_function("twice(a)", "first(a, a) + second(a, a) + none(a, a)");
  builder.define("result", "first(run, run) + 10 * second(run, run) + 100 * twice(run)");
  CollectingSink sink;
  builder.write(kAllEntries, {"result"}, sink);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(sink.columns[0], (Rows{{101}, {101}, {110}}));
}

TEST(RangeFunctions, HaveNamesOfTheirOwn) {
  Schema schema;
  schema.add({"run", flat(ScalarType::kUInt32), ""});
  PlanBuilder builder(schema);
  builder.define("good", "run > 1");
  builder.define_function("is_late(run)", "run > 5");
  builder.define_ranges("is_good", {});
  for (const char* name : {"run", "good", "is_late", "is_good", "Sum", "int"})
    EXPECT_THROW(builder.define_ranges(name, {}), SchemaError) << name;
  EXPECT_THROW(builder.define_function("is_good(a)", "a"), ExpressionError);
}

}  // namespace
}  // namespace skimline
