// SPDX-License-Identifier: BSD-3-Clause
// Values of expressions, against the same computation written in C++.
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/maths.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using Rows = CollectingSink::Rows;

const float kInfinity = std::numeric_limits<float>::infinity();

void add_columns(MemorySource& source) {
  source.add<float>("x", std::vector<float>{0.f, -1.5f, 3.f, kInfinity});
  source.add<std::int32_t>("n", std::vector<std::int32_t>{0, 2, 1, 3});
  source.add<std::int32_t>("m",
                           std::vector<std::int32_t>{7, -7, 0, std::numeric_limits<std::int32_t>::max()});
  source.add<bool>("flag", std::vector<bool>{true, false, true, false});
  source.add<float>("pt", std::vector<std::vector<float>>{{}, {10.f, 20.f}, {30.f}, {5.f, 40.f, 7.f}});
  source.add<float>("eta", std::vector<std::vector<float>>{{}, {-1.f, 2.5f}, {.5f}, {0.f, -3.f, 1.f}});
  source.add<bool>("tight", std::vector<std::vector<bool>>{{}, {true, true}, {false}, {true, false, true}});
}

Rows evaluate(const std::string& expression, const std::string& selection = "true") {
  MemorySource source;
  add_columns(source);
  PlanBuilder builder(source.schema());
  builder.define("result", expression);
  CollectingSink sink;
  builder.write(builder.select(kAllEntries, selection), {"result"}, sink);
  run(std::move(builder).build(), source, {});
  return sink.columns.empty() ? Rows{} : sink.columns[0];
}

TEST(Evaluation, GivesWhatCxxGives) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::pair<const char*, Rows> cases[] = {
      {"x * 2 + 1", {{1}, {-2}, {7}, {inf}}},
      {"n + m", {{7}, {-5}, {1}, {-2147483646.}}},
      {"7 / 2", {{3}, {3}, {3}, {3}}},
      {"m % 4", {{3}, {-3}, {0}, {3}}},
      {"m / 2.", {{3.5}, {-3.5}, {0}, {1073741823.5}}},
      {"n << 2", {{0}, {8}, {4}, {12}}},
      {"n & 1 | 4", {{4}, {4}, {5}, {5}}},
      {"-n", {{0}, {-2}, {-1}, {-3}}},
      {"!flag", {{0}, {1}, {0}, {1}}},
      {"x > 0", {{0}, {0}, {1}, {1}}},
      {"x > 0 ? n : -1", {{-1}, {-1}, {1}, {3}}},
      {"flag && x > 0", {{0}, {0}, {1}, {0}}},
      {"flag || x > 0", {{1}, {0}, {1}, {1}}},
      {"pt * 2", {{}, {20, 40}, {60}, {10, 80, 14}}},
      {"pt + n", {{}, {12, 22}, {31}, {8, 43, 10}}},
      {"pt > 8", {{}, {1, 1}, {1}, {0, 1, 0}}},
      {"pt > 8 && abs(eta) < 2.4", {{}, {1, 0}, {1}, {0, 0, 0}}},
      {"pt[pt > 8]", {{}, {10, 20}, {30}, {40}}},
      {"pt[pt > 8 && abs(eta) < 2.4]", {{}, {10}, {30}, {}}},
      {"pt[tight]", {{}, {10, 20}, {}, {5, 7}}},
      {"Sum(pt)", {{0}, {30}, {30}, {52}}},
      {"Sum(tight)", {{0}, {2}, {0}, {2}}},
      {"Sum(pt > 8)", {{0}, {2}, {1}, {1}}},
      {"Any(pt > 35)", {{0}, {0}, {0}, {1}}},
      {"All(pt > 8)", {{1}, {1}, {1}, {0}}},
      {"pt.size()", {{0}, {2}, {1}, {3}}},
      {"size(pt[pt > 8])", {{0}, {2}, {1}, {1}}},
      {"n > 0 ? Max(pt) : -1", {{-1}, {20}, {30}, {40}}},
      {"n > 0 && Min(pt) < 8", {{0}, {0}, {0}, {1}}},
      {"n == 0 || pt[0] > 8", {{1}, {1}, {1}, {0}}},
      {"n > 1 && pt[1] > 30", {{0}, {0}, {0}, {1}}},
      {"n > 0 ? pt[n - 1] : 0", {{0}, {20}, {30}, {7}}},
      {"n > 1 ? pt[eta > 0] : pt", {{}, {20}, {30}, {7}}},
      {"sqrt(n * n)", {{0}, {2}, {1}, {3}}},
      {"pow(n, 2)", {{0}, {4}, {1}, {9}}},
      {"min(n, 2)", {{0}, {2}, {1}, {2}}},
      {"signbit(fmin(pt * 0, pt * -0.))", {{}, {1, 1}, {1}, {1, 1, 1}}},
      {"signbit(fmin(pt * -0., pt * 0))", {{}, {1, 1}, {1}, {1, 1, 1}}},
      {"signbit(fmax(pt * 0, pt * -0.))", {{}, {0, 0}, {0}, {0, 0, 0}}},
      {"signbit(fmax(pt * -0., pt * 0))", {{}, {0, 0}, {0}, {0, 0, 0}}},
      {"fmin(pt, sqrt(-pt)) - fmax(sqrt(-pt), pt)", {{}, {0, 0}, {0}, {0, 0, 0}}},
      {"hypot(pt, pt) > 20", {{}, {0, 1}, {1}, {0, 1, 0}}},
      {"true ? n : m", {{0}, {2}, {1}, {3}}},
      {"1 + 2 * 3", {{7}, {7}, {7}, {7}}},
      {"abs(m)", {{7}, {7}, {0}, {2147483647.}}},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(evaluate(text), expected) << text;
}

TEST(Evaluation, UsesFunctionsOfFloatsForFloats) {
  const Rows rows = evaluate("sin(pt)");
  const float pt[] = {10.f, 20.f, 30.f};
  EXPECT_EQ(rows[1], (std::vector<double>{maths::sin(pt[0]), maths::sin(pt[1])}));
  EXPECT_EQ(evaluate("exp(pt / 7)")[2], (std::vector<double>{maths::exp(pt[2] / 7)}));
}

TEST(Evaluation, ComputesMassesAndAnglesInTheTypeOfTheArguments) {
  const float pt[] = {10.f, 20.f}, eta[] = {-1.f, 2.5f};
  float x = 0, y = 0, z = 0, energy = 0;
  for (int i = 0; i < 2; ++i) {
    const float px = pt[i] * maths::cos(eta[i]), py = pt[i] * maths::sin(eta[i]),
                pz = pt[i] * maths::sinh(eta[i]);
    x += px;
    y += py;
    z += pz;
    energy += std::sqrt(px * px + py * py + pz * pz + pt[i] * pt[i]);
  }
  const float mass = std::sqrt(energy * energy - x * x - y * y - z * z);
  EXPECT_EQ(evaluate("InvariantMass(pt, eta, eta, pt)")[1], std::vector<double>{mass});
  const Rows distances = evaluate("DeltaR(x, 1.f, 3.f, -3.f)");
  EXPECT_NEAR(distances[0][0], std::hypot(1., 2 * M_PI - 6), 1e-6);
}

// The right side of && must not be evaluated for entries that the left side decides, in filters and values
// alike.
TEST(Evaluation, ReadsOnlyWhatIsThere) {
  EXPECT_EQ(evaluate("pt[0]", "n > 0 && pt[0] > 8"), (Rows{{10}, {30}}));
  EXPECT_EQ(evaluate("n > 0 && (n < 2 || pt[1] > 15) && pt[0] < 25"), (Rows{{0}, {1}, {0}, {1}}));
  EXPECT_EQ(evaluate("100 / n", "n != 0"), (Rows{{50}, {100}, {33}}));
}

TEST(Evaluation, NamesTheEntryWithoutAnAnswer) {
  const std::pair<const char*, const char*> cases[] = {
      {"pt[0]", "index 0 is out of range of a list of size 0 in \"pt[0]\" at entry 0"},
      {"n < 3 || pt[n] > 0", "index 3 is out of range of a list of size 3 in \"pt[n]\" at entry 3"},
      {"n > 0 ? pt[n - 3] : 0", "index -1 is out of range of a list of size 2 in \"pt[n - 3]\" at entry 1"},
      {"100 / m", "integer division by zero in \"100 / m\" at entry 2"},
      {"100 / (pt > 8)", "integer division by zero in \"100 / (pt > 8)\" at entry 3"},
      {"Max(pt)", "Max of an empty list in \"Max(pt)\" at entry 0"},
      {"pt + eta[eta > 0]", "lists of different sizes, 2 and 1, in \"pt + eta[eta > 0]\" at entry 1"},
      {"pt[tight[tight]]", "lists of different sizes, 1 and 0, in \"pt[tight[tight]]\" at entry 2"},
  };
  for (const auto& [text, message] : cases) {
    try {
      evaluate(text);
      ADD_FAILURE() << text << " had an answer";
    } catch (const EvaluationError& error) {
      EXPECT_STREQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace skimline
