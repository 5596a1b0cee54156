// SPDX-License-Identifier: BSD-3-Clause
// Combinations of list elements, against nested loops.
#include "random_events.h"

namespace skimline {
namespace {

using testing::Event;
using testing::expect_values;
using testing::fault_of;
using testing::MemorySource;
using testing::Row;
using testing::Rows;
using testing::values_of;

constexpr std::size_t kMany = 40;

// Member `k` of all ascending choices of `count` numbers below `size`, by recursion.
void add_choices(std::size_t size, std::size_t count, std::vector<double>& chosen, std::size_t k, Row& row) {
  if (chosen.size() == count) {
    row.push_back(chosen[k]);
    return;
  }
  const std::size_t first = chosen.empty() ? 0 : static_cast<std::size_t>(chosen.back()) + 1;
  for (std::size_t i = first; i < size; ++i) {
    chosen.push_back(static_cast<double>(i));
    add_choices(size, count, chosen, k, row);
    chosen.pop_back();
  }
}

Row choices(std::size_t size, std::size_t count, std::size_t k) {
  Row row;
  std::vector<double> chosen;
  add_choices(size, count, chosen, k, row);
  return row;
}

class Combinations : public ::testing::Test {
 protected:
  Combinations() : events_(testing::random_events(1500)), source_(700) {
    for (Event& event : events_)
      if (event.k.size() > kMany) event.k.resize(kMany);
    add_events(source_, events_);
  }

  std::vector<Event> events_;
  MemorySource source_;
};

TEST_F(Combinations, OfOneList) {
  for (std::size_t count = 1; count <= 4; ++count) {
    const std::string text = "Combinations(k, " + std::to_string(count) + ")";
    const std::string selection = "size(k) >= " + std::to_string(count) + " && size(k) < 16";
    expect_values(
        source_, events_, text,
        [count](const Event& event) {
          Row row;
          for (std::size_t k = 0; k < count; ++k) {
            const Row member = choices(event.k.size(), count, k);
            row.insert(row.end(), member.begin(), member.end());
          }
          return row;
        },
        selection);
    for (std::size_t k = 0; k < count; ++k)
      expect_values(
          source_, events_, text + "[" + std::to_string(k) + "]",
          [count, k](const Event& event) { return choices(event.k.size(), count, k); }, selection);
  }
}

TEST_F(Combinations, OfSeveralLists) {
  const auto product = [](std::vector<std::size_t> sizes, std::size_t member) {
    Row row;
    sizes.resize(3, 1);
    for (std::size_t a = 0; a < sizes[0]; ++a)
      for (std::size_t b = 0; b < sizes[1]; ++b)
        for (std::size_t c = 0; c < sizes[2]; ++c)
          row.push_back(static_cast<double>(member == 0 ? a : member == 1 ? b : c));
    return row;
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string index = "[" + std::to_string(k) + "]";
    const auto naive = [&](const Event& event) { return product({event.k.size(), event.x.size()}, k); };
    expect_values(source_, events_, "Combinations(k, x)" + index, naive);
    expect_values(source_, events_, "Combinations(k.size(), int(x.size()))" + index, naive);
  }
  for (std::size_t k = 0; k < 3; ++k)
    expect_values(
        source_, events_, "Combinations(k, x, other)[" + std::to_string(k) + "]",
        [&](const Event& event) {
          return product({event.k.size(), event.x.size(), event.other.size()}, k);
        },
        "size(k) < 9 && size(x) < 9");
}

TEST_F(Combinations, GiveTheSameAltogetherAndApart) {
  for (const char* text : {"Combinations(k, 3)", "Combinations(k, x)", "Combinations(k, x, other)"}) {
    const std::string selection = "size(k) >= 3 && size(k) < 9 && size(x) < 9";
    const Rows whole = values_of(source_, text, selection);
    const Rows first = values_of(source_, std::string(text) + "[0]", selection);
    const Rows last = values_of(source_, std::string(text) + ".back()", selection);
    ASSERT_GT(whole.size(), 100u);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto size = static_cast<std::ptrdiff_t>(first[i].size());
      EXPECT_EQ(first[i], Row(whole[i].begin(), whole[i].begin() + size)) << text;
      EXPECT_EQ(last[i], Row(whole[i].end() - size, whole[i].end())) << text;
    }
  }
}

// Only the wanted members are computed, also of a definition.
TEST_F(Combinations, AreNotMadeForOneMember) {
  PlanBuilder builder(source_.schema());
  builder.define("triples", "Combinations(k, 3)");
  builder.define("first", "triples[0]");
  builder.define("last", "triples[2]");
  testing::CollectingSink sink;
  builder.write(kAllEntries, {"first", "last"}, sink);
  const std::string plan = std::move(builder).build().description();
  EXPECT_NE(plan.find("triples[2]"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("Combinations"), std::string::npos) << plan;
}

TEST_F(Combinations, RepeatAListForEveryElement) {
  expect_values(source_, events_, "ForEach(x, k)", [](const Event& event) {
    Row row;
    for (std::size_t i = 0; i < event.x.size(); ++i) row.insert(row.end(), event.k.begin(), event.k.end());
    return row;
  });
  expect_values(source_, events_, "Sum(ForEach(x, k) > n)", [](const Event& event) {
    double larger = 0;
    for (const std::int32_t value : event.k) larger += value > event.n;
    return Row(event.x.size(), larger);
  });
}

TEST(CombinationFaults, NameTheEntry) {
  MemorySource source;
  source.add<float>("pt", std::vector<std::vector<float>>{{1, 2, 3}, {4}, {}});
  source.add<float>("many", std::vector<std::vector<float>>{{}, {1}, std::vector<float>(70000)});
  source.add<std::int64_t>("n", std::vector<std::int64_t>{2, 0, -1});
  const std::pair<const char*, const char*> cases[] = {
      {"Combinations(pt, 2)",
       "combinations of 2 elements of a list of size 1 in \"Combinations(pt, 2)\" at entry 1"},
      {"Combinations(pt, 2)[1]",
       "combinations of 2 elements of a list of size 1 in \"Combinations(pt, 2)[1]\" at entry 1"},
      {"Combinations(many, pt)[2]",
       "index 2 is out of range of a list of size 2 in \"Combinations(many, pt)[2]\" at entry 0"},
      {"Combinations(n, n)", "combinations of -1 elements in \"Combinations(n, n)\" at entry 2"},
      {"Combinations(n, 9223372036854775807)",
       "a list of more than 16777216 elements in \"Combinations(n, 9223372036854775807)\" at entry 0"},
      {"Combinations(many, many)[0]",
       "a list of more than 16777216 elements in \"Combinations(many, many)[0]\" at entry 2"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(fault_of(source, text), message);
  EXPECT_EQ(fault_of(source, "size(many) > 9 ? size(Combinations(many, 3)[2]) : 0u"),
            "a list of more than 16777216 elements in \"Combinations(many, 3)[2]\" at entry 2");
  EXPECT_EQ(fault_of(source, "size(many) > 9 ? size(Combinations(many, many, pt)[2]) : 0u").substr(0, 20),
            "");
}

TEST(CombinationFaults, AreFoundBeforeTheFirstEntry) {
  Schema schema;
  schema.add({"pt", jagged(ScalarType::kFloat), ""});
  schema.add({"hits", doubly_jagged(ScalarType::kFloat), ""});
  schema.add({"n", flat(ScalarType::kInt32), ""});
  const PlanBuilder builder(schema);
  for (const char* text : {"Combinations(pt, n)", "Combinations(pt, 0)", "Combinations(pt, -1)",
                           "Combinations(pt, 17)", "Combinations(pt, 2.5)", "Combinations(pt)",
                           "Combinations(n, pt)", "ForEach(pt, n)", "ForEach(hits, pt)"})
    EXPECT_THROW(builder.type_of_expression(text), ExpressionError) << text;
  for (const char* text : {"Combinations(hits, 2)", "Combinations(pt, 16)"})
    EXPECT_EQ(builder.type_of_expression(text), doubly_jagged(ScalarType::kUInt64)) << text;
}

// The indexes of C(27, 13) combinations would take 2 GiB.
TEST_F(Combinations, OfOneEntryTakeNoMoreMemoryThanThereMayBe) {
  MemorySource source(10);
  std::vector<std::vector<float>> lists(20, std::vector<float>(13));
  lists[7].resize(26);
  source.add("x", lists);
  testing::CollectingSink sink;
  PlanBuilder builder(source.schema());
  builder.define("all", "Combinations(x, 13)");
  builder.write(kAllEntries, {"all"}, sink);
  const Plan plan = std::move(builder).build();
  try {
    run(plan, source, {});
    FAIL() << "nothing is wrong";
  } catch (const EvaluationError& error) {
    EXPECT_EQ(error.entry(), 7u);
    EXPECT_EQ(error.expression(), "Combinations(x, 13)");
    EXPECT_NE(std::string(error.what()).find("values of more than 1 GiB for one entry"), std::string::npos);
  }
}

}  // namespace
}  // namespace skimline
