// SPDX-License-Identifier: BSD-3-Clause
// Functions that order lists, pick and join their elements, and compute moments, against plain loops.
#include "random_events.h"

#include <algorithm>
#include <numeric>

namespace skimline {
namespace {

using testing::Event;
using testing::expect_values;
using testing::fault_of;
using testing::MemorySource;
using testing::Row;
using testing::Rows;
using testing::values_of;

template <typename T>
Row row(const std::vector<T>& values) {
  return Row(values.begin(), values.end());
}

class ListFunctions : public ::testing::Test {
 protected:
  ListFunctions() : events_(testing::random_events(3000)), source_(700) { add_events(source_, events_); }

  template <typename Naive>
  void expect(const std::string& expression, Naive naive, const std::string& selection = "true") {
    expect_values(source_, events_, expression, naive, selection);
  }

  std::vector<Event> events_;
  MemorySource source_;
};

bool is_before(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

std::vector<std::size_t> order_of(const std::vector<float>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return is_before(values[a], values[b]); });
  return order;
}

TEST_F(ListFunctions, Order) {
  const auto sorted = [](const Event& event) {
    Row values;
    for (const std::size_t i : order_of(event.x)) values.push_back(event.x[i]);
    return values;
  };
  const auto order = [](const Event& event) { return row(order_of(event.x)); };
  const auto sorted_integers = [](const Event& event) {
    auto values = event.k;
    std::sort(values.begin(), values.end());
    return row(values);
  };
  expect("Sort(x)", sorted);
  expect("StableSort(x)", sorted);
  expect("Sort(k)", sorted_integers);
  expect("Argsort(x)", order);
  expect("StableArgsort(x)", order);
  expect("Take(x, Argsort(x))", sorted);
  expect("Reverse(x)", [](const Event& event) { return Row(event.x.rbegin(), event.x.rend()); });
  expect("Reverse(flags)", [](const Event& event) { return Row(event.flags.rbegin(), event.flags.rend()); });
}

TEST_F(ListFunctions, OrderInnerListsAndReverseOuterOnes) {
  expect("Sort(nested)", [](const Event& event) {
    Row values;
    for (const auto& list : event.nested)
      for (const std::size_t i : order_of(list)) values.push_back(list[i]);
    return values;
  });
  expect("Reverse(nested)", [](const Event& event) {
    Row values;
    for (auto list = event.nested.rbegin(); list != event.nested.rend(); ++list)
      values.insert(values.end(), list->begin(), list->end());
    return values;
  });
}

TEST_F(ListFunctions, TakeAndDrop) {
  const auto first = [](const Event& event, std::size_t n) {
    return Row(event.x.begin(), event.x.begin() + static_cast<std::ptrdiff_t>(n));
  };
  expect(
      "Take(x, 2)", [&](const Event& event) { return first(event, 2); }, "size(x) >= 2");
  expect(
      "Take(x, -2)", [](const Event& event) { return Row(event.x.end() - 2, event.x.end()); },
      "size(x) >= 2");
  expect(
      "Take(x, n)", [&](const Event& event) { return first(event, static_cast<std::size_t>(event.n)); },
      "n >= 0 && size(x) >= n");
  expect("Take(x, n, -1)", [](const Event& event) {
    Row values = row(event.x);
    const auto wanted = static_cast<std::size_t>(std::abs(event.n));
    while (values.size() < wanted) values.insert(event.n < 0 ? values.begin() : values.end(), -1);
    if (event.n < 0) return Row(values.end() - static_cast<std::ptrdiff_t>(wanted), values.end());
    values.resize(wanted);
    return values;
  });
  expect("Take(x, k, 7)", [](const Event& event) {
    Row values;
    for (const std::int32_t i : event.k)
      values.push_back(
          i >= 0 && i < static_cast<std::int32_t>(event.x.size()) ? event.x[static_cast<std::size_t>(i)] : 7);
    return values;
  });
  expect("Drop(x, k)", [](const Event& event) {
    Row values;
    for (std::size_t i = 0; i < event.x.size(); ++i)
      if (std::count(event.k.begin(), event.k.end(), static_cast<std::int32_t>(i)) == 0)
        values.push_back(event.x[i]);
    return values;
  });
}

TEST_F(ListFunctions, TakeInnerListsByFlatIndexesAndTheirElementsByNestedOnes) {
  expect("Take(nested, Reverse(Enumerate(x)))", [](const Event& event) {
    Row values;
    for (auto list = event.nested.rbegin(); list != event.nested.rend(); ++list)
      values.insert(values.end(), list->begin(), list->end());
    return values;
  });
  expect("Take(nested, Argsort(nested))", [](const Event& event) {
    Row values;
    for (const auto& list : event.nested)
      for (const std::size_t i : order_of(list)) values.push_back(list[i]);
    return values;
  });
}

TEST_F(ListFunctions, ChooseAndJoin) {
  expect("Where(flags, x, -x)", [](const Event& event) {
    Row values;
    for (std::size_t i = 0; i < event.x.size(); ++i)
      values.push_back(event.flags[i] ? event.x[i] : -event.x[i]);
    return values;
  });
  expect("Where(flags, 2.5, x)", [](const Event& event) {
    Row values;
    for (std::size_t i = 0; i < event.x.size(); ++i) values.push_back(event.flags[i] ? 2.5 : event.x[i]);
    return values;
  });
  expect("Nonzero(x)", [](const Event& event) {
    Row values;
    for (std::size_t i = 0; i < event.x.size(); ++i)
      if (event.x[i] != 0) values.push_back(static_cast<double>(i));
    return values;
  });
  expect("Concatenate(x, z)", [](const Event& event) {
    Row values = row(event.x);
    values.insert(values.end(), event.z.begin(), event.z.end());
    return values;
  });
  expect("Concatenate(nested, nested)", [](const Event& event) {
    Row values;
    for (int i = 0; i < 2; ++i)
      for (const auto& list : event.nested) values.insert(values.end(), list.begin(), list.end());
    return values;
  });
  expect("Concatenate(nested, nested[Sizes(nested) > 1])", [](const Event& event) {
    Row values;
    for (const auto& list : event.nested) values.insert(values.end(), list.begin(), list.end());
    for (const auto& list : event.nested)
      if (list.size() > 1) values.insert(values.end(), list.begin(), list.end());
    return values;
  });
  const auto common = [](const auto& list, const auto& other) {
    Row values;
    for (const auto value : list)
      if (std::find(other.begin(), other.end(), value) != other.end()) values.push_back(value);
    return values;
  };
  expect("Intersect(x, y)", [&](const Event& event) { return common(event.x, event.y); });
  expect("Intersect(k, other, n > 0)", [&](const Event& event) { return common(event.k, event.other); });
  expect("Intersect(k, other)", [&](const Event& event) { return common(event.k, event.other); });
}

TEST_F(ListFunctions, Reduce) {
  const auto naive_product = [](const Event& event) {
    float product = 1;
    for (const float value : event.x) product *= value;
    return Row{product};
  };
  const auto naive_mean = [](const Event& event) {
    float sum = 0;
    for (const float value : event.x) sum += value;
    return Row{event.x.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(event.x.size())};
  };
  const auto naive_variance = [](const auto& values) {
    if (values.size() < 2) return 0.;
    typename std::decay_t<decltype(values)>::value_type squares{0}, sum{0};
    for (const auto value : values) {
      squares += value * value;
      sum += value;
    }
    sum *= sum;
    const auto size = static_cast<double>(values.size());
    return 1. / (size - 1.) * (squares - sum / size);
  };
  expect("Product(x)", naive_product);
  expect("Mean(x)", naive_mean);
  expect("Var(x)", [&](const Event& event) { return Row{naive_variance(event.x)}; });
  expect("StdDev(z)", [&](const Event& event) { return Row{std::sqrt(naive_variance(event.z))}; });
  expect("Dot(x, z)", [](const Event& event) {
    double sum = 0;
    for (std::size_t i = 0; i < event.x.size(); ++i) sum += event.x[i] * event.z[i];
    return Row{sum};
  });
  expect(
      "ArgMax(k)",
      [](const Event& event) {
        return Row{static_cast<double>(std::max_element(event.k.begin(), event.k.end()) - event.k.begin())};
      },
      "size(k) > 0");
  expect(
      "ArgMin(k)",
      [](const Event& event) {
        return Row{static_cast<double>(std::min_element(event.k.begin(), event.k.end()) - event.k.begin())};
      },
      "size(k) > 0");
  expect("Product(k, n)", [](const Event& event) {
    std::int32_t product = event.n;
    for (const std::int32_t value : event.k)
      product = static_cast<std::int32_t>(std::uint32_t(product) * std::uint32_t(value));
    return Row{static_cast<double>(product)};
  });
  // Of no elements the start; integers are divided towards zero.
  expect("Mean(k, n)", [](const Event& event) {
    if (event.k.empty()) return Row{static_cast<double>(event.n)};
    const auto sum = std::accumulate(event.k.begin(), event.k.end(), std::int64_t{event.n});
    return Row{static_cast<double>(sum / static_cast<std::int64_t>(event.k.size()))};
  });
  expect("Mean(k, 0.5)", [](const Event& event) {
    const double sum = std::accumulate(event.k.begin(), event.k.end(), 0.5);
    return Row{event.k.empty() ? sum : sum / static_cast<double>(event.k.size())};
  });
  expect("Sum(k, n)", [](const Event& event) {
    return Row{static_cast<double>(std::accumulate(event.k.begin(), event.k.end(), event.n))};
  });
}

TEST_F(ListFunctions, NumberAndCount) {
  const auto range = [](std::int64_t first, std::int64_t end, std::int64_t step) {
    Row values;
    for (std::int64_t i = first; step > 0 ? i < end : i > end; i += step)
      values.push_back(static_cast<double>(i));
    return values;
  };
  expect(
      "Range(n)", [&](const Event& event) { return range(0, event.n, 1); }, "n >= 0");
  expect(
      "Range(n, 4)", [&](const Event& event) { return range(event.n, 4, 1); }, "n >= 0");
  expect("Range(n, 4, 3)", [&](const Event& event) { return range(event.n, 4, 3); });
  expect("Range(n, -5, -2)", [&](const Event& event) { return range(event.n, -5, -2); });
  expect("Enumerate(y)",
         [&](const Event& event) { return range(0, static_cast<std::int64_t>(event.y.size()), 1); });
  expect("Sizes(nested)", [](const Event& event) {
    Row values;
    for (const auto& list : event.nested) values.push_back(static_cast<double>(list.size()));
    return values;
  });
  expect("Flatten(nested)", [](const Event& event) {
    Row values;
    for (const auto& list : event.nested) values.insert(values.end(), list.begin(), list.end());
    return values;
  });
  expect("Sum(Sizes(nested)) == size(Flatten(nested))", [](const Event&) { return Row{1}; });
}

TEST_F(ListFunctions, FindEnds) {
  expect(
      "front(x)", [](const Event& event) { return Row{event.x.front()}; }, "!empty(x)");
  expect(
      "x.back()", [](const Event& event) { return Row{event.x.back()}; }, "!x.empty()");
  expect(
      "nested.back()", [](const Event& event) { return row(event.nested.back()); }, "!nested.empty()");
  expect(
      "x.at(1)", [](const Event& event) { return Row{event.x[1]}; }, "size(x) > 1");
  expect("x.at(n, -1)", [](const Event& event) {
    const auto index = static_cast<std::size_t>(event.n);
    return Row{event.n >= 0 && index < event.x.size() ? event.x[index] : -1};
  });
}

TEST(ListFunctionFaults, NameTheEntry) {
  MemorySource source(3);
  source.add<float>("pt", std::vector<std::vector<float>>{{1, 2, 3}, {4, 5}, {}, {6}});
  source.add<std::int64_t>("index", std::vector<std::vector<std::int64_t>>{{0, 2}, {-1}, {}, {0}});
  source.add<std::uint64_t>("huge",
                            std::vector<std::vector<std::uint64_t>>{{0}, {0}, {}, {~std::uint64_t{0}}});
  source.add<std::int64_t>("n", std::vector<std::int64_t>{3, 2, 0, std::numeric_limits<std::int64_t>::min()});
  const std::pair<const char*, const char*> cases[] = {
      {"Take(pt, index)", "index -1 is out of range of a list of size 2 in \"Take(pt, index)\" at entry 1"},
      {"Take(pt, huge)", "index -1 is out of range of a list of size 1 in \"Take(pt, huge)\" at entry 3"},
      {"Take(pt, 2)", "2 elements are taken of a list of size 0 in \"Take(pt, 2)\" at entry 2"},
      {"Take(pt, n)",
       "9223372036854775808 elements are taken of a list of size 1 in \"Take(pt, n)\" at entry 3"},
      {"Take(pt, n, 0)", "a list of more than 16777216 elements in \"Take(pt, n, 0)\" at entry 3"},
      {"Take(pt, huge.size() - 2)",
       "18446744073709551615 elements are taken of a list of size 3 in \"Take(pt, huge.size() - 2)\" at "
       "entry 0"},
      {"Take(pt, huge.size() - 2, 0)",
       "18446744073709551615 elements are taken of a list of size 3 in \"Take(pt, huge.size() - 2, 0)\" at "
       "entry "
       "0"},
      {"Take(pt, 18446744073709551615u)",
       "18446744073709551615 elements are taken of a list of size 3 in \"Take(pt, 18446744073709551615u)\" "
       "at "
       "entry 0"},
      {"Range(n)",
       "Range of negative numbers (-9223372036854775808), which needs a step: Range(first, end, "
       "1) in \"Range(n)\" at entry 3"},
      {"Range(n, 9223372036854775807, 1)",
       "a list of more than 16777216 elements in \"Range(n, 9223372036854775807, 1)\" at entry 0"},
      {"Range(0, 1, n)", "Range in steps of 0 in \"Range(0, 1, n)\" at entry 2"},
      {"ArgMax(pt)", "ArgMax of an empty list in \"ArgMax(pt)\" at entry 2"},
      {"ArgMin(pt)", "ArgMin of an empty list in \"ArgMin(pt)\" at entry 2"},
      {"pt.front()", "front of an empty list in \"pt.front()\" at entry 2"},
      {"pt.back()", "back of an empty list in \"pt.back()\" at entry 2"},
      {"pt.at(1)", "index 1 is out of range of a list of size 0 in \"pt.at(1)\" at entry 2"},
      {"Dot(pt, index)", "lists of different sizes, 3 and 2, in \"Dot(pt, index)\" at entry 0"},
      {"Where(pt > 0, index, 1)",
       "lists of different sizes, 3 and 2, in \"Where(pt > 0, index, 1)\" at entry 0"},
      {"clamp(pt, 2, n)", "clamp to a range whose end is below its start in \"clamp(pt, 2, n)\" at entry 3"},
      {"lround(pt * 1e30)", "lround of a number that is no std::int64_t in \"lround(pt * 1e30)\" at entry 0"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(fault_of(source, text), message);
}

TEST(ListFunctionExtremes, RoundedListsHaveNoNegativeZero) {
  MemorySource source;
  source.add<float>("f", std::vector<std::vector<float>>{{-0.25f, 0.25f, -1.5f}});
  source.add<double>("d", std::vector<std::vector<double>>{{-0.25, -0.0, 1.5}});
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values_of(source, "1 / lround(f)"), (Rows{{kEndless, kEndless, -0.5}}));
  EXPECT_EQ(values_of(source, "1 / llround(d)"), (Rows{{kEndless, kEndless, 0.5}}));
}

TEST(ListFunctionExtremes, SumsOfBoolsFromARealNumberKeepIt) {
  MemorySource source;
  source.add<bool>("b", std::vector<std::vector<bool>>{{true, false, true}, {}});
  EXPECT_EQ(values_of(source, "Sum(b, 0.5)"), (Rows{{2.5}, {0.5}}));
  EXPECT_EQ(values_of(source, "Sum(b, -3.f)"), (Rows{{-1}, {-3}}));
  EXPECT_EQ(values_of(source, "Sum(b, 1)"), (Rows{{3}, {1}}));
}

TEST(ListFunctionExtremes, OfIntegers) {
  MemorySource source;
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
  source.add<std::int64_t>("k", std::vector<std::vector<std::int64_t>>{{kHighest, kLowest, 0}});
  source.add<std::int8_t>("i8", std::vector<std::vector<std::int8_t>>{{127, 127, -128}});
  source.add<bool>("b", std::vector<std::vector<bool>>{{true, false, true}});
  EXPECT_EQ(values_of(source, "Argsort(k)"), (Rows{{1, 2, 0}}));
  EXPECT_EQ(values_of(source, "Range(9223372036854775800, 9223372036854775807, 5) - 9223372036854775800"),
            (Rows{{0, 5}}));
  EXPECT_EQ(values_of(source, "size(Range(-9223372036854775807, 9223372036854775807, 4611686018427387904))"),
            (Rows{{4}}));
  // Sums of RVec wrap around in std::int8_t; those of moments here do not.
  EXPECT_EQ(values_of(source, "Mean(i8) == 42 && Var(b) == 1. / 2 * (2 - 4. / 3)"), (Rows{{1}}));
  EXPECT_EQ(values_of(source, "Sum(b)"), (Rows{{2}}));
  EXPECT_EQ(values_of(source, "Product(b)"), (Rows{{0}}));
  EXPECT_EQ(values_of(source, "Product(i8)"), (Rows{{static_cast<std::int8_t>(127 * 127 * -128)}}));
}

TEST(ListFunctionTexts, AreSortedAndFound) {
  MemorySource source;
  source.add_strings("names", std::vector<std::vector<std::string>>{{"b", "", "ab", "b"}, {}, {"x"}});
  source.add_strings("one", std::vector<std::string>{"ab", "b", "y"});
  EXPECT_EQ(values_of(source, "Argsort(names)"), (Rows{{1, 2, 0, 3}, {}, {0}}));
  EXPECT_EQ(values_of(source, "length(Sort(names))"), (Rows{{0, 2, 1, 1}, {}, {1}}));
  EXPECT_EQ(values_of(source, "StableArgsort(names, [](auto a, auto b) { return a > b; })"),
            (Rows{{0, 3, 2, 1}, {}, {0}}));
  EXPECT_EQ(values_of(source, "IsIn(one, names)"), (Rows{{1}, {0}, {0}}));
  EXPECT_EQ(values_of(source, "IsIn(names, Reverse(names)[names != ''])"), (Rows{{1, 1, 0, 1}, {}, {1}}));
  EXPECT_EQ(values_of(source, "IsIn(\"x\", names)"), (Rows{{0}, {0}, {1}}));
}

TEST(ListFunctionTypes, AreThoseOfRVec) {
  Schema schema;
  for (const auto scalar : {ScalarType::kBool, ScalarType::kInt8, ScalarType::kInt32, ScalarType::kFloat,
                            ScalarType::kString, ScalarType::kLorentzVector})
    schema.add({"v" + std::to_string(static_cast<int>(scalar)), jagged(scalar), ""});
  const PlanBuilder builder(schema);
  const auto type = [&](const char* text) { return builder.type_of_expression(text); };
  EXPECT_EQ(type("Sum(v0)"), flat(ScalarType::kUInt64));
  EXPECT_EQ(type("Mean(v1)"), flat(ScalarType::kDouble));
  EXPECT_EQ(type("Product(v1)"), flat(ScalarType::kInt8));
  EXPECT_EQ(type("Dot(v1, v9)"), flat(ScalarType::kFloat));
  EXPECT_EQ(type("Where(v9 > 1, v9, 0.)"), jagged(ScalarType::kFloat));
  EXPECT_EQ(type("Where(v9 > 1, 1, 0.)"), jagged(ScalarType::kDouble));
  EXPECT_EQ(type("Take(v5, v5, 0.5)"), jagged(ScalarType::kDouble));
  EXPECT_EQ(type("Take(v11, 2, 'none')"), jagged(ScalarType::kString));
  EXPECT_EQ(type("Sort(v11)"), jagged(ScalarType::kString));
  EXPECT_EQ(type("StableArgsort(v11)"), jagged(ScalarType::kUInt64));
  EXPECT_EQ(type("Take(v12, Range(1))"), jagged(ScalarType::kLorentzVector));
  EXPECT_EQ(type("Concatenate(v1, v1)"), jagged(ScalarType::kInt8));
  EXPECT_EQ(type("Range(1, 2, 3)"), jagged(ScalarType::kInt64));
  EXPECT_EQ(type("min(v1[0], v1[1])"), flat(ScalarType::kInt8));
  for (const char* text : {"Where(v5 > 1, v5, 0.5)", "v5.at(0, 0.5)", "Take(v9, 1.5)", "Take(v9[0], 1)",
                           "Range(1.5)", "Sort(v12)", "Dot(v9, 1)", "Concatenate(v9, 1)",
                           "Concatenate(v9, v11)", "min(1)", "Flatten(v9)", "Sizes(v9)"})
    EXPECT_THROW(type(text), ExpressionError) << text;
}

}  // namespace
}  // namespace skimline
