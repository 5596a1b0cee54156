// SPDX-License-Identifier: BSD-3-Clause
// Lambdas in Map, Filter and sorts against plain loops, and what is said of those that are refused.
#include "random_events.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <algorithm>
#include <cmath>

namespace skimline {
namespace {

using testing::Event;
using testing::expect_values;
using testing::MemorySource;
using testing::Row;
using testing::Rows;
using testing::values_of;

class Lambdas : public ::testing::Test {
 protected:
  Lambdas() : events_(testing::random_events(2000)), source_(500) { add_events(source_, events_); }

  template <typename Naive>
  void expect(const std::string& expression, Naive naive) {
    expect_values(source_, events_, expression, naive, "true");
  }

  std::vector<Event> events_;
  MemorySource source_;
};

// What mentions no element, too: of an empty list there is no first one.
TEST_F(Lambdas, AreNotCalledWithoutElements) {
  expect("Map(x, [](float a) { return a / x[0]; })", [](const Event& event) {
    Row values;
    for (const float a : event.x) values.push_back(a / event.x[0]);
    return values;
  });
  expect("Map(x, z, [&](float a, auto b) { return a - z[0] + 100 % int(x.size()); })",
         [](const Event& event) {
           Row values;
           const int count = static_cast<int>(event.x.size());
           for (const float a : event.x) values.push_back(a - event.z[0] + 100 % count);
           return values;
         });
  expect("Filter(x, [](float a) { return a >= Max(x) - 1; })", [](const Event& event) {
    Row values;
    for (const float a : event.x)
      if (a >= *std::max_element(event.x.begin(), event.x.end()) - 1) values.push_back(a);
    return values;
  });
}

TEST_F(Lambdas, MapElements) {
  expect("Map(x, [](float a) { return a > 0 ? a * 2 : 1; })", [](const Event& event) {
    Row values;
    for (const float a : event.x) values.push_back(a > 0 ? a * 2 : 1);
    return values;
  });
  expect("Map(x, z, [&](auto a, const double &b) { return a < b && n > 0 || a > 9; })",
         [](const Event& event) {
           Row values;
           for (std::size_t i = 0; i < event.x.size(); ++i)
             values.push_back((event.x[i] < event.z[i] && event.n > 0) || event.x[i] > 9);
           return values;
         });
  expect("Map(k, [](int i) { return i / 2 + !i; })", [](const Event& event) {
    Row values;
    for (const std::int32_t i : event.k) values.push_back(i / 2 + !i);
    return values;
  });
  expect("Map(x, [](float a) { return n; })",
         [](const Event& event) { return Row(event.x.size(), event.n); });
  expect("Map(Range(size(k)), [=](std::size_t i) { return k[i] * 3; })", [](const Event& event) {
    Row values;
    for (const std::int32_t i : event.k) values.push_back(i * 3);
    return values;
  });
}

TEST_F(Lambdas, MapComparesTheSizesOfAllLists) {
  expect("Map(x, z, [](float a, double b) { return a * 2; })", [](const Event& event) {
    Row values;
    for (const float a : event.x) values.push_back(a * 2);
    return values;
  });
  for (const char* body : {"a * 2", "b * 2", "n"}) {
    const std::string expression =
        "Map(x, Range(size(x) + (n & 1)), [](float a, int b) { return " + std::string(body) + "; })";
    EXPECT_NE(testing::fault_of(source_, expression).find("lists of different sizes"), std::string::npos)
        << body;
  }
}

TEST_F(Lambdas, FilterElements) {
  expect("Filter(x, [](float a) { return a * a > 100; })", [](const Event& event) {
    Row values;
    for (const float a : event.x)
      if (a * a > 100) values.push_back(a);
    return values;
  });
  expect("Sum(Filter(k, [&](int i) { return i & n; }))", [](const Event& event) {
    double sum = 0;
    for (const std::int32_t i : event.k) sum += (i & event.n) ? i : 0;
    return Row{sum};
  });
}

TEST_F(Lambdas, SortStably) {
  expect("Sort(k, [](int a, int b) { return a % 3 > b % 3; })", [](const Event& event) {
    auto values = event.k;
    std::stable_sort(values.begin(), values.end(), [](int a, int b) { return a % 3 > b % 3; });
    return Row(values.begin(), values.end());
  });
  expect("StableArgsort(k, [](int a, int b) { return abs(b) < abs(a); })", [](const Event& event) {
    Row order(event.k.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<double>(i);
    std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
      return std::abs(event.k[static_cast<std::size_t>(b)]) < std::abs(event.k[static_cast<std::size_t>(a)]);
    });
    return order;
  });
}

TEST(LambdaTypes, AreThoseOfCxx) {
  Schema schema;
  for (const auto& [name, scalar] : {std::pair{"vf", ScalarType::kFloat},
                                     {"vi", ScalarType::kInt32},
                                     {"vb", ScalarType::kBool},
                                     {"vs", ScalarType::kString}})
    schema.add({name, jagged(scalar), ""});
  const PlanBuilder builder(schema);
  const std::pair<const char*, ScalarType> cases[] = {
      {"Map(vf, [](float x) { return x > 1; })", ScalarType::kBool},
      {"Map(vf, [](double x) { return x; })", ScalarType::kDouble},
      {"Map(vi, [](int x) { return abs(x); })", ScalarType::kInt32},
      {"Map(vi, [](int x) -> float { return x; })", ScalarType::kFloat},
      {"Map(vb, [](bool x) { return -x; })", ScalarType::kInt32},
      {"Map(vs, [](const std::string &s) { return length(s); })", ScalarType::kUInt64},
      {"Filter(vs, [](auto s) { return s == 'x'; })", ScalarType::kString},
      {"Argsort(vf, [](float a, float b) { return a > b; })", ScalarType::kUInt64},
  };
  for (const auto& [text, scalar] : cases)
    EXPECT_EQ(name_of(builder.type_of_expression(text)), name_of(jagged(scalar))) << text;
}

std::string problem_with(std::string_view expression) {
  Schema schema;
  schema.add({"n", flat(ScalarType::kInt32), ""});
  schema.add({"v", jagged(ScalarType::kFloat), ""});
  schema.add({"vv", Type{ScalarType::kFloat, 2}, ""});
  schema.add({"names", jagged(ScalarType::kString), ""});
  try {
    static_cast<void>(PlanBuilder(schema).type_of_expression(expression));
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "none";
}

TEST(LambdaFaults, AreSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"[](float x) { return x; }", "stands behind the lists of Map, Filter, Sort and Argsort only"},
      {"abs([](float x) { return x; })", "abs takes no lambda"},
      {"Map([](float x) { return x; })", "takes lists in front of the lambda"},
      {"Filter(v, v, [](float x) { return x; })", "takes one list in front of the lambda"},
      {"Filter(v, [](float x, float y) { return x; })", "takes 1 parameter, not 2"},
      {"Sort(v, [](float x) { return x; })", "takes 2 parameters, not 1"},
      {"Sort(v, [](float a, float b) { return a <= b; })", "must compare the same of both elements"},
      {"Sort(v, [](float a, float b) { return a < -b; })", "must compare the same of both elements"},
      {"Sort(v, [](float a, float b) { return a < 2; })", "must compare the same of both elements"},
      {"Sort(v, [](float a, float b) { return a < a; })", "must compare the same of both elements"},
      {"Argsort(v, [](float a, float b) { return a * a < a * b; })",
       "must compare the same of both elements"},
      {"Sort(v, [](float a, float b) { return b - a > b - b; })", "must compare the same of both elements"},
      {"Map(n, [](float x) { return x; })", "takes lists of single values, not std::int32_t"},
      {"Map(vv, [](float x) { return x; })", "takes lists of single values, not list of lists of float"},
      {"Map(v, [](float x) { return Sum(v) * v * x; })", "takes no whole list beside its elements"},
      {"Map(v, [](float x) { return Sum(x); })", "Sum(list, start) does not take (float)"},
      {"Map(v, [](float x) { return x[0]; })", "an element of a list has no elements"},
      {"Map(v, [](float x) { return y + x; })", "unknown column \"y\""},
      {"Map(v, [](float x) { return Max(Map(v, [](float y) { return x; })); })",
       "a lambda stands in no other"},
      {"Map(v, [](float x) { n = 2; return x; })", "\"n\" is no variable"},
      {"Map(v, [](float x) { return x; x; })", "expected '}' to close the lambda"},
      {"Map(v, [](float x) { return x })", "expected ';' behind the expression"},
      {"Map(v, [](x) { return x; })", "expected a type and a name"},
      {"Map(v, [](Muon x) { return x; })", "no such type of elements"},
      {"Map(v, [](float x) -> Muon { return x; })", "no such type of numbers"},
      {"Map(names, [](float x) { return x; })", "float(x) takes numbers, not list of string"},
      {"Filter(names, [](auto s) { return s; })", "must give a bool, not list of string"},
      {"Filter(names, [](auto s) { return regex_match(s, 'x'); })", "no function of elements"},
      {"Map(v, [", "expected a lambda"},
      {"Map(v, [1, 2])", "lists of values have a type"},
      {"Map(v, [](", "expected a type and a name"},
      {"Map(v, [](float x) {", "a lambda returns a value"},
      {"Map(v, abs)", "is a function and needs arguments"},
      {"Map(v, v)", "write the expression itself"},
  };
  for (const auto& [text, problem] : cases)
    EXPECT_NE(problem_with(text).find(problem), std::string::npos) << text << ": " << problem_with(text);
}

TEST(LambdaFunctions, OfUsersMayHoldLambdas) {
  MemorySource source;
  source.add<float>("v", std::vector<std::vector<float>>{{1, -2, 8}, {}, {3}});
  PlanBuilder builder(source.schema());
  builder.define_function("twice(x)", "x > 0 ? 2 * x : -x");
  builder.define_function("larger(list, least)", "Filter(list, [&](float x) { return twice(x) > least; })");
  EXPECT_THROW(builder.define_function("wrong(list)", "Filter(list, [](float x) { return y > x; })"),
               ExpressionError);
  builder.define("result", "Map(larger(v, 2), [](float x) { return twice(x); })");
  testing::CollectingSink sink;
  builder.write(kAllEntries, {"result"}, sink);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(sink.columns.at(0), (Rows{{16}, {}, {6}}));
}

}  // namespace
}  // namespace skimline
