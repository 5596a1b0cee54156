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

TEST_F(Variables, GetOtherValues) {
  expect("int k = n; k *= 2; k++; --k; if (k > 10) k = 10; else if (k < -10) { k = -10; k -= 1; } return k;",
         [](const Event& event) {
           const int k = event.n * 2;
           return Row{k > 10 ? 10. : k < -10 ? -11. : k};
         });
  // They keep their types, as those of their first values.
  expect("auto k = n; k = k + 0.75; return k;",
         [](const Event& event) { return Row{static_cast<double>(static_cast<int>(event.n + 0.75))}; });
  expect("double a, b = 1; if (n > 0) { a = n; b = a + b; } else { a = -n; } return a * b;",
         [](const Event& event) {
           const double n = event.n;
           return Row{n > 0 ? n * (n + 1) : static_cast<double>(-event.n)};
         });
  expect("RVecF far = x; if (n > 0) far = far[far > 0]; return far;", [](const Event& event) {
    Row values;
    for (const float a : event.x)
      if (event.n <= 0 || a > 0) values.push_back(a);
    return values;
  });
}

TEST_F(Variables, OfElementsGetOtherValues) {
  expect("Map(x, [&](float a) { float sum = 0; if (a > 0) { sum = a; sum += n; } a = 2; return sum * a; })",
         [](const Event& event) {
           Row values;
           for (const float a : event.x) values.push_back(a > 0 ? (a + static_cast<float>(event.n)) * 2 : 0);
           return values;
         });
  // One that was of each element, and is so no more.
  expect("Map(x, [&](float a) { double b = a; b = n; if (n > 3) return b; return double(a); })",
         [](const Event& event) {
           Row values;
           for (const float a : event.x)
             values.push_back(event.n > 3 ? static_cast<double>(event.n) : static_cast<double>(a));
           return values;
         });
}

TEST_F(Variables, AreThereForReturnsOnSomeWays) {
  expect(
      "double a = n; if (n > 0) { if (n < 5) return 5; a *= 2; } if (a > 20) { double b = a / 4; if (b > 9) "
      "return b; } "
      "return a;",
      [](const Event& event) {
        double a = event.n;
        if (a > 0 && a < 5) return Row{5};
        if (a > 0) a *= 2;
        return Row{a > 36 ? a / 4 : a};
      });
}

// What follows a choice is bound once, not for each of its ways.
TEST(ReturnsOnSomeWays, AreLinear) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text.append("if (n > " + std::to_string(i) + ") { auto half = n - 0.5; if (half < " + std::to_string(i) +
                ") return " + std::to_string(i) + "; }");
  MemorySource source;
  source.add<double>("n", std::vector<double>{0, 3.25, 41, 99});
  EXPECT_EQ(testing::values_of(source, text + "return -1;"), (Rows{{-1}, {3}, {-1}, {-1}}));
  std::string changing;
  for (int i = 0; i < 30; ++i) changing.append("if (x > 0) { x -= 1; if (x > 100) return x; }");
  EXPECT_THROW(static_cast<void>(testing::values_of(source, "auto x = n;" + changing + "return x;")),
               ExpressionError);
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
      {"auto x = n return x;", "expected ';' behind the value"},
      {"auto x; return x;", "has one at once: auto x = 1;"},
      {"float x, y = n; return x;", "\"x\" has no value on each way that leads here"},
      {"float x; if (n) x = 1; return x;", "\"x\" has no value on each way that leads here"},
      {"float x; x += 1; return x;", "\"x\" has no value on each way that leads here"},
      {"float x = n, 2; return x;", "expected the name of a variable"},
      {"auto x = n, y; return x;", "has one at once: auto x = 1;"},
      {"auto x = x + 1; return x;", "\"x\" is named before it is declared"},
      {"auto x = n; auto x = 2; return x;", "\"x\" is declared already"},
      {"Map(v, [](float a) { float a = 1; return a; })", "\"a\" is declared already"},
      {"auto x = n; return `x`;", "\"x\" is a variable here"},
      {"n = 2; return n;", "\"n\" is no variable that could get a value; to compare, write \"==\""},
      {"if (n) y = 2; return n;", "\"y\" is no variable"},
      {"n = 2", "assignment is not part of an expression"},
      {"auto x = n; x = v; return x;", "\"x\" is std::int32_t and gets list of float"},
      {"auto x = n; x = s; return x;", "\"x\" is std::int32_t and gets string"},
      {"auto x = v; x = 0; return x;", "\"x\" is list of float and gets std::int32_t"},
      {"float x; x = v; return x;", "\"x\" is float and gets list of float"},
      {"float x = 1; x = 2 return x;", "expected ';' behind the value"},
      {"auto x = n; return x; x = 2;", "expected an operator or the end"},
      {"auto x = 0; for (auto y : v) x += y; return x;", "there are no loops"},
      {"while (n) return n;", "there are no loops"},
      {"TLorentzVector x = n; return x;", "no such type of variables"},
      {"{ TLorentzVector x; return n; }", "expected \"return\" on each way, \"if\", or a variable"},
      {"ROOT::Math::PtEtaPhiMVector x = n; return x;",
       "a Lorentz vector is auto p = P4(pt, eta, phi, mass);"},
      {"{n, 2}", "lists of values have a type: RVecF{x, y}"},
      {"RVec<Muon> x = n; return x;", "no such type of numbers"},
      {"map<int> x = n; return x;", "no such type of variables"},
      {"float x = v; return x;", "expected a number for \"x\", found list of float"},
      {"RVecF x = n; return x;", "expected a list of numbers for \"x\", found std::int32_t"},
      {"int x = s; return x;", "expected a number for \"x\", found string"},
      {"if (n) auto x = 1; return x;", "a variable stands in braces"},
      {"if (n) { auto x = 1; return x; } return x;", "\"x\" is a variable of braces that have ended"},
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
