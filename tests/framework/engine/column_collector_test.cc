// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/column_collector.h"

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::MemorySource;

// What columns should hold, by entry.
struct Rows {
  std::vector<double> x;
  std::vector<std::vector<std::int16_t>> lists;
  std::vector<std::vector<std::vector<float>>> nested;
  std::vector<std::string> text;
  std::vector<std::vector<std::string>> texts;

  friend bool operator==(const Rows&, const Rows&) = default;
};

std::string random_text(std::mt19937& random) {
  return std::string(random() % 4, static_cast<char>('a' + random() % 26));
}

Rows random_rows(std::size_t count) {
  std::mt19937 random(7);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.x.push_back(static_cast<double>(random() % 1000));
    rows.lists.emplace_back(random() % 4, static_cast<std::int16_t>(random() % 100));
    rows.nested.emplace_back();
    for (std::size_t j = random() % 3; j > 0; --j)
      rows.nested.back().emplace_back(random() % 3, static_cast<float>(random() % 9));
    rows.text.push_back(random_text(random));
    rows.texts.emplace_back(random() % 3, random_text(random));
  }
  return rows;
}

const std::vector<std::string> kNames = {"x", "list", "nested", "text", "texts"};
const std::vector<Type> kTypes = {flat(ScalarType::kDouble), jagged(ScalarType::kInt16),
                                  doubly_jagged(ScalarType::kFloat), flat(ScalarType::kString),
                                  jagged(ScalarType::kString)};

struct Events {
  explicit Events(const Rows& rows) : source(777) {
    source.add<double>("x", rows.x);
    source.add<std::int16_t>("list", rows.lists);
    source.add<float>("nested", rows.nested);
    source.add_strings("text", rows.text);
    source.add_strings("texts", rows.texts);
  }
  MemorySource source;
};

std::size_t at(const OwnedColumn& column, std::size_t level, std::size_t index) {
  return static_cast<std::size_t>(column.offsets[level].as<std::int64_t>()[index]);
}

template <typename T>
std::vector<T> list(const OwnedColumn& column, std::size_t level, std::size_t index) {
  const auto values = column.values.as<T>();
  return {values.begin() + static_cast<std::ptrdiff_t>(at(column, level, index)),
          values.begin() + static_cast<std::ptrdiff_t>(at(column, level, index + 1))};
}

std::string text(const OwnedColumn& column, std::size_t level, std::size_t index) {
  const std::vector<char> bytes = list<char>(column, level, index);
  return {bytes.begin(), bytes.end()};
}

void append(Rows& rows, const std::vector<OwnedColumn>& columns) {
  for (const OwnedColumn& column : columns) EXPECT_EQ(column.num_entries(), columns.front().num_entries());
  for (std::size_t i = 0; i < columns.front().num_entries(); ++i) {
    rows.x.push_back(columns[0].values.as<double>()[i]);
    rows.lists.push_back(list<std::int16_t>(columns[1], 0, i));
    rows.nested.emplace_back();
    for (std::size_t j = at(columns[2], 0, i); j < at(columns[2], 0, i + 1); ++j)
      rows.nested.back().push_back(list<float>(columns[2], 1, j));
    rows.text.push_back(text(columns[3], 0, i));
    rows.texts.emplace_back();
    for (std::size_t j = at(columns[4], 0, i); j < at(columns[4], 0, i + 1); ++j)
      rows.texts.back().push_back(text(columns[4], 1, j));
  }
}

Rows below(const Rows& rows, double limit) {
  Rows kept;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (!(rows.x[i] < limit)) continue;
    kept.x.push_back(rows.x[i]);
    kept.lists.push_back(rows.lists[i]);
    kept.nested.push_back(rows.nested[i]);
    kept.text.push_back(rows.text[i]);
    kept.texts.push_back(rows.texts[i]);
  }
  return kept;
}

Plan plan_of(const Events& events, double limit, ColumnCollector& collector) {
  PlanBuilder builder(events.source.schema());
  const SelectionId passed = builder.select(kAllEntries, "x < " + std::to_string(limit));
  builder.write(passed, kNames, collector);
  return std::move(builder).build();
}

TEST(ColumnCollector, HoldsWhatThePlainLoopFinds) {
  const Rows rows = random_rows(20000);
  Events events(rows);
  for (const double limit : {0.0, 3.0, 500.0, 1000.0})
    for (const int threads : {1, 2, 8}) {
      ColumnCollector collector(kTypes);
      RunOptions options;
      options.threads = threads;
      run(plan_of(events, limit, collector), events.source, options);
      const Rows expected = below(rows, limit);
      ASSERT_EQ(collector.num_entries(), expected.x.size());
      Rows found;
      append(found, collector.take(collector.num_entries()));
      EXPECT_EQ(found, expected) << limit << " with " << threads;
      EXPECT_EQ(collector.num_entries(), 0u);
    }
}

TEST(ColumnCollector, GivesPartsAwayAndGoesOn) {
  const Rows rows = random_rows(5000);
  Events events(rows);
  ColumnCollector collector(kTypes);
  const Plan plan = plan_of(events, 700, collector);
  Rows expected = below(rows, 700), found;
  const Rows once = expected;
  std::size_t num_runs = 0;
  for (const std::size_t part : {1, 3000, 100, 4000, 3000, 7}) {
    while (collector.num_entries() < part) {
      collector.expect(num_runs % 2 == 0 ? rows.x.size() : 0);
      run(plan, events.source);
      ++num_runs;
    }
    const std::uint64_t bytes = collector.bytes_of(part);
    const std::vector<OwnedColumn> columns = collector.take(part);
    ASSERT_EQ(columns.front().num_entries(), part);
    std::uint64_t sum = 0;
    for (const OwnedColumn& column : columns) {
      sum += column.values.size();
      for (const OwnedBytes& level : column.offsets) sum += level.size() - sizeof(std::int64_t);
    }
    EXPECT_EQ(bytes, sum);
    append(found, columns);
  }
  append(found, collector.take(collector.num_entries()));
  Rows all;
  for (std::size_t i = 0; i < num_runs; ++i) {
    all.x.insert(all.x.end(), once.x.begin(), once.x.end());
    all.lists.insert(all.lists.end(), once.lists.begin(), once.lists.end());
    all.nested.insert(all.nested.end(), once.nested.begin(), once.nested.end());
    all.text.insert(all.text.end(), once.text.begin(), once.text.end());
    all.texts.insert(all.texts.end(), once.texts.begin(), once.texts.end());
  }
  EXPECT_EQ(found, all);
}

// Two columns of lists with equal sizes, and one with others.
struct ListsOfEqualSizes {
  ListsOfEqualSizes() : source(777) {
    const Rows rows = random_rows(5000);
    std::vector<std::vector<double>> doubled, longer;
    for (const std::vector<std::int16_t>& list : rows.lists) {
      doubled.emplace_back(list.begin(), list.end());
      for (double& value : doubled.back()) value *= 2;
      longer.push_back(doubled.back());
      longer.back().push_back(1);
    }
    source.add<double>("x", rows.x);
    source.add<std::int16_t>("list", rows.lists);
    source.add<double>("doubled", doubled);
    source.add<double>("longer", longer);
  }

  void collect(const std::string& third, ColumnCollector& collector) {
    PlanBuilder builder(source.schema());
    const SelectionId passed = builder.select(kAllEntries, "x < 700");
    builder.write(passed, {"x", "list", third}, collector);
    RunOptions options;
    options.threads = 3;
    run(std::move(builder).build(), source, options);
  }

  const std::vector<Type> types{flat(ScalarType::kDouble), jagged(ScalarType::kInt16),
                                jagged(ScalarType::kDouble)};
  MemorySource source;
};

TEST(ColumnCollector, KeepsOffsetsOfListsOfEqualSizesOnce) {
  ListsOfEqualSizes events;
  ColumnCollector alone(events.types), together(events.types, {0, 1, 1});
  for (ColumnCollector* collector : {&alone, &together}) events.collect("doubled", *collector);
  EXPECT_EQ(together.bytes_of(1000) + 1000 * sizeof(std::int64_t), alone.bytes_of(1000));
  for (const std::uint64_t count : {std::uint64_t{10}, std::uint64_t{1500}, std::uint64_t{7}}) {
    const std::vector<OwnedColumn> expected = alone.take(count), found = together.take(count);
    EXPECT_TRUE(found[2].offsets.empty());
    for (const std::size_t column : {0, 1, 2}) {
      const auto values = found[column].values.as<std::byte>();
      const auto wanted = expected[column].values.as<std::byte>();
      EXPECT_TRUE(std::equal(values.begin(), values.end(), wanted.begin(), wanted.end())) << column;
    }
    const auto ends = expected[2].offsets[0].as<std::int64_t>(),
               kept = found[1].offsets[0].as<std::int64_t>();
    EXPECT_TRUE(std::equal(ends.begin(), ends.end(), kept.begin(), kept.end()));
    together.expect(100);
    alone.expect(100);
  }
}

TEST(ColumnCollector, RefusesListsOfOtherSizes) {
  ListsOfEqualSizes events;
  ColumnCollector collector(events.types, {0, 1, 1});
  EXPECT_THROW(events.collect("longer", collector), Error);
}

TEST(OwnedBytes, KeepsItsContentWhileItGrowsAndShrinks) {
  OwnedBytes bytes;
  std::size_t filled = 0;
  for (const std::size_t size : {10, 5000, 900000, 3000000, 50000000}) {
    bytes.resize(size);
    for (; filled < size; ++filled) bytes.data()[filled] = static_cast<std::byte>(filled * 31 % 251);
  }
  for (const std::size_t size : {40000000, 1500000, 70000, 3, 0}) {
    bytes.resize(size);
    bytes.shrink();
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(bytes.data()[i], static_cast<std::byte>(i * 31 % 251)) << i;
  }
  OwnedBytes moved = std::move(bytes);
  EXPECT_EQ(moved.size(), 0u);
}

}  // namespace
}  // namespace skimline
