// SPDX-License-Identifier: BSD-3-Clause
// Variables in the bodies of functions against plain loops, and what is said of those that are refused.
#include "random_events.h"

#include "skimline/framework/error.h"
#include "skimline/framework/mentioned_names.h"
#include "skimline/framework/plan.h"

#include <string>
#include <vector>

namespace skimline {
namespace {

using testing::Event;
using testing::expect_values;
using testing::MemorySource;
using testing::Row;
using testing::Rows;

class Variables : public ::testing::Test {
 protected:
  Variables() : events_(testing::random_events(2000)), source_(500) { add_events(source_, events_); }

  template <typename Naive>
  void expect(const std::string& expression, Naive naive) {
    expect_values(source_, events_, expression, naive, "true");
  }

  std::vector<Event> events_;
  MemorySource source_;
};

TEST_F(Variables, HaveTheirValues) {
  expect("auto twice = n * 2; const int more = twice + 1; return more * twice;", [](const Event& event) {
    const int twice = event.n * 2;
    return Row{static_cast<double>((twice + 1) * twice)};
  });
  expect("RVecF far = x[abs(x) > 5]; auto sum = Sum(far); if (far.size() > 1) return sum; return -1.f;",
         [](const Event& event) {
           float sum = 0;
           int count = 0;
           for (const float a : event.x)
             if (std::abs(a) > 5) sum += a, ++count;
           return Row{count > 1 ? sum : -1.f};
         });
  expect("if (x.size() < 2) { return 0.; } auto a = x[0], b = x[1]; return a > b ? double(a) : double(b);",
         [](const Event& event) {
           if (event.x.size() < 2) return Row{0};
           return Row{event.x[0] > event.x[1] ? event.x[0] : event.x[1]};
         });
}

double whole(float value) { return std::abs(value) < 999 ? static_cast<int>(value) : 0; }

// As it is where a value is initialised in C++.
TEST_F(Variables, AreConverted) {
  expect("int whole = x.size() > 0 && abs(x[0]) < 999 ? x[0] : 0.f; return whole;",
         [](const Event& event) { return Row{whole(event.x.empty() ? 0 : event.x[0])}; });
  expect("bool has = n; unsigned char low{n * 0 + 258}; return has + low;",
         [](const Event& event) { return Row{static_cast<double>((event.n != 0) + 2)}; });
  expect("const ROOT::VecOps::RVec<int> &whole = Where(abs(x) < 999, x, 0.f); return whole;",
         [](const Event& event) {
           Row values;
           for (const float a : event.x) values.push_back(whole(a));
           return values;
         });
  expect("RVecD two(2, n); return two;", [](const Event& event) {
    const double n = event.n;
    return Row{n, n};
  });
}

TEST_F(Variables, InLambdasAreOfElements) {
  expect("Map(x, [&](float a) { auto square = a * a, cube = square * a; return cube - square; })",
         [](const Event& event) {
           Row values;
           for (const float a : event.x) values.push_back(a * a * a - a * a);
           return values;
         });
  expect(
      "auto shift = n + 1; return Map(x, z, [=](float a, double b) { int c = abs(b) < 999 ? b : 0.; auto d = "
      "shift * c; "
      "if (a > 0) { float e = a / 2; return d + e; } return d - a; });",
      [](const Event& event) {
        Row values;
        for (std::size_t i = 0; i < event.x.size(); ++i) {
          const float a = event.x[i];
          const int d = (event.n + 1) * (std::abs(event.z[i]) < 999 ? static_cast<int>(event.z[i]) : 0);
          values.push_back(a > 0 ? static_cast<float>(d) + a / 2 : static_cast<float>(d) - a);
        }
        return values;
      });
  // What mentions no element.
  expect("Map(x, [](float a) { auto first = x[0]; int count = x.size(); return first / count - a; })",
         [](const Event& event) {
           Row values;
           for (const float a : event.x)
             values.push_back(event.x[0] / static_cast<float>(static_cast<int>(event.x.size())) - a);
           return values;
         });
}

TEST_F(Variables, ThatAreNotUsedKeepTheSizesOfListsCompared) {
  const std::string fault = testing::fault_of(
      source_, "Map(x, Range(size(x) + (n & 1)), [](float a, int b) { auto c = b; return a; })");
  EXPECT_NE(fault.find("lists of different sizes"), std::string::npos) << fault;
}

// An expression in which each variable is used twice has 2^64 parts if it is written out.
TEST(VariablesOfVariables, AreBoundOnce) {
  std::string text = "auto a0 = n;";
  for (int i = 1; i <= 64; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    text.append("auto a" + std::to_string(i) + " = " + before + " - " + before + " / 2;");
  }
  MemorySource source;
  source.add<double>("n", std::vector<double>{16, 0});
  double expected = 16;
  for (int i = 0; i < 64; ++i) expected -= expected / 2;
  EXPECT_EQ(testing::values_of(source, text + "return a64;"), (Rows{{expected}, {0}}));
}

TEST(VariablesAsNames, AreNoColumns) {
  const std::string text = "auto pt = x[0]; return Map(v, [](float a) { auto b = a * pt; return b + c; });";
  EXPECT_EQ(mentioned_names(text), (std::vector<std::string>{"Map", "c", "v", "x"}));
  EXPECT_EQ(with_other_names(text, {{"pt", "wrong"}, {"x", "y"}, {"b", "wrong"}}, {}),
            "auto pt = y[0]; return Map(v, [](float a) { auto b = a * pt; return b + c; });");
  // They may be called as one is.
  MemorySource source;
  source.add<double>("n", std::vector<double>{16, 0}).add<double>("m", std::vector<double>{1, 2});
  EXPECT_EQ(testing::values_of(source, "auto n = m * 3; return n;"), (Rows{{3}, {6}}));
}

TEST(VariablesInFunctions, StandBesideParameters) {
  MemorySource source;
  source.add<float>("v", std::vector<std::vector<float>>{{1, -2, 8}, {}, {3}});
  PlanBuilder builder(source.schema());
  builder.define_function("far(list, least)", "auto size = abs(list); return list[size > least];");
  EXPECT_THROW(builder.define_function("hidden(list)", "auto list = 1; return list;"), ExpressionError);
  EXPECT_THROW(builder.define_function("unknown(list)", "auto x = y; return x;"), ExpressionError);
  testing::CollectingSink sink;
  builder.define("result", "far(v, 1.5)");
  builder.write(kAllEntries, {"result"}, sink);
  run(std::move(builder).build(), source, {});
  EXPECT_EQ(sink.columns.at(0), (Rows{{-2, 8}, {}, {3}}));
}

std::string problem_with_variables(std::string_view expression) {
  Schema schema;
  schema.add({"n", flat(ScalarType::kInt32), ""});
  schema.add({"u", flat(ScalarType::kUInt32), ""});
  schema.add({"v", jagged(ScalarType::kFloat), ""});
  schema.add({"s", flat(ScalarType::kString), ""});
  try {
    static_cast<void>(PlanBuilder(schema).type_of_expression(expression));
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "none";
}

TEST(VariableFaults, AreSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"auto x = n;", "expected \"return\" on each way, \"if\", or a variable with its value, found the end"},
      {"auto x = n return x;", "expected ';' behind the value of \"x\""},
      {"auto x; return x;", "a variable has its value at once"},
      {"float x, y = n; return x;", "a variable has its value at once"},
      {"float x = n, 2; return x;", "expected the name of a variable"},
      {"auto x = n, y; return x;", "expected '=' and the value of \"y\""},
      {"auto x = x + 1; return x;", "\"x\" has no value yet"},
      {"auto x = n; auto x = 2; return x;", "\"x\" is declared already"},
      {"Map(v, [](float a) { float a = 1; return a; })", "\"a\" is declared already"},
      {"auto x = n; return `x`;", "\"x\" is a variable here"},
      {"auto x = n; x = 2; return x;", "a variable keeps its value"},
      {"auto x = n; x += 2; return x;", "a variable keeps its value"},
      {"auto x = 0; for (auto y : v) x += y; return x;", "there are no loops"},
      {"while (n) return n;", "there are no loops"},
      {"TLorentzVector x = n; return x;", "no such type of variables"},
      {"RVec<Muon> x = n; return x;", "no such type of numbers"},
      {"map<int> x = n; return x;", "no such type of variables"},
      {"float x = v; return x;", "expected a number for \"x\", found list of float"},
      {"RVecF x = n; return x;", "expected a list of numbers for \"x\", found std::int32_t"},
      {"int x = s; return x;", "expected a number for \"x\", found string"},
      {"if (n) auto x = 1; return x;", "a variable stands in braces"},
      {"if (n) { auto x = 1; return x; } return x;", "unknown column \"x\""},
      {"Map(v, [](float a) { auto all = v; return a; })", "takes no whole list beside its elements"},
      {"Map(v, [](float a) { RVecF all{a}; return a; })", "a lambda makes no lists"},
      {"auto value = n; return valeu;", "did you mean \"value\"?"},
  };
  for (const auto& [text, problem] : cases)
    EXPECT_NE(problem_with_variables(text).find(problem), std::string::npos)
        << text << ": " << problem_with_variables(text);
}

}  // namespace
}  // namespace skimline
