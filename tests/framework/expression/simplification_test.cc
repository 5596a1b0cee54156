// SPDX-License-Identifier: BSD-3-Clause
// Expressions of pairs and triples, of which simple forms have kernels of their own, against forms that have
// not: adding 0 to the indexes hides where they come from.
#include "engine/program.h"
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <random>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::MemorySource;
using testing::WritingSink;
using Lists = std::vector<std::vector<float>>;

constexpr int kEntries = 700;

Lists random_lists(std::mt19937& random, int smallest, int shift) {
  Lists lists;
  std::uniform_real_distribution<float> value(-3, 3);
  for (int entry = 0; entry < kEntries; ++entry) {
    std::vector<float> list(static_cast<std::size_t>(smallest + entry % 9 + shift));
    for (float& each : list) each = value(random);
    lists.push_back(std::move(list));
  }
  return lists;
}

void add_operands(MemorySource& source) {
  std::mt19937 random(5);
  source.add<float>("pt", random_lists(random, 3, 0));
  source.add<float>("eta", random_lists(random, 3, 0));
  source.add<float>("phi", random_lists(random, 3, 0));
  source.add<float>("longer", random_lists(random, 3, 2));
  source.add<float>("shorter", random_lists(random, 3, -1));
  source.add<float>("few", random_lists(random, 0, 0));
  std::vector<std::uint32_t> choices;
  for (int entry = 0; entry < kEntries; ++entry) choices.push_back(static_cast<std::uint32_t>(random() % 3));
  source.add<std::uint32_t>("choice", choices);
}

std::vector<std::string> evaluate_simplified(const std::string& expression) {
  MemorySource source(200);
  add_operands(source);
  PlanBuilder builder(source.schema());
  builder.define("p4", "P4(pt, eta, phi, 0.1)");
  builder.define("q4", "P4(pt, phi, eta, 0.2)");
  builder.define("ends", "Reverse(Range(size(pt)))");
  builder.define("c", "Combinations(pt, 2)");
  builder.define("t", "Combinations(pt, 3)");
  builder.define("f", "Combinations(few, 2)");
  builder.define("result", expression);
  WritingSink sink;
  builder.write(kAllEntries, {"result"}, sink);
  try {
    run(std::move(builder).build(), source, {.threads = 2, .stop = nullptr, .progress = {}, .observe = {}});
  } catch (const EvaluationError& error) {
    return {std::to_string(error.entry()) + error.what()};
  }
  return sink.columns[0];
}

// The expression with "c[k]" and so on hidden.
std::string hidden(std::string expression) {
  for (const char* list : {"c[", "t[", "f["}) {
    for (std::size_t at = 0; (at = expression.find(list, at)) != std::string::npos; at += 4) {
      const bool is_name = at > 0 && std::isalnum(static_cast<unsigned char>(expression[at - 1]));
      if (is_name) continue;
      expression.replace(at, 4, "(" + expression.substr(at, 4) + " + 0ul)");
    }
  }
  return expression;
}

TEST(Simplification, GivesTheSameValues) {
  const char* expressions[] = {
      "Take(pt, c[0])",
      "Take(longer, c[1])",
      "Take(pt, t[0])",
      "Take(pt, t[1])",
      "Take(pt, t[2])",
      "Take(p4, c[0]) + Take(p4, c[1])",
      "(Take(p4, c[0]) + Take(p4, c[1])).mass()",
      "Take(p4, t[0]) + Take(p4, t[1])",
      "Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[2])",
      "(Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[2])).M()",
      "Take(p4, t[2]) + Take(p4, t[1]) + Take(p4, t[0])",
      "(Take(p4, t[0]) + (Take(p4, t[1]) + Take(p4, t[2]))).mass()",
      "(Take(p4, c[0]) + Take(p4, c[1]))[choice].pt()",
      "(Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[2]))[choice % 1].energy()",
      "(Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[2])).mass()[choice % 1]",
      "(Take(p4, c[0]) + Take(p4, c[1])).eta()[choice]",
      "(Take(p4, c[0]) + Take(p4, c[1])).M()[choice]",
      "p4.pt()[choice]",
      "Take(p4, c[1]).phi()[choice]",
      "Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[1])",
      "Take(p4, c[0]) + Take(q4, c[1])",
      "Take(p4, t[1]) + Take(p4, t[1])",
      "100ul / Take(ends, c[0])",
      "Flatten(Take(ForEach(pt, eta), c[1]))",
      "Take(longer, t[1]) > 0.5",
      "2 * Take(pt, c[0]) - 1",
      "-abs(Take(pt, t[2]))",
      "Take(p4, c[0]).pt() * Take(pt, c[1])",
      "c[0][choice]",
      "c[1][choice]",
      "t[2][0]",
      "Take(pt, c[1])[choice]",
      "Take(pt, t[1])[0]",
      "pt[c[1][ArgMin((Take(p4, c[0]) + Take(p4, c[1])).mass())]]",
  };
  for (const char* expression : expressions)
    EXPECT_EQ(evaluate_simplified(expression), evaluate_simplified(hidden(expression))) << expression;
}

TEST(Simplification, FindsTheSameFaults) {
  const char* expressions[] = {"Take(shorter, c[1])",
                               "Take(shorter, t[2])",
                               "Take(shorter, t[2])[0]",
                               "Take(few, f[0])",
                               "f[0][0]",
                               "Take(pt, t[0])[choice]",
                               "c[1][choice + 1]",
                               "t[0][choice - 100]",
                               "abs(Take(shorter, c[1]))",
                               "p4.pt()[choice + 2]",
                               "(Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[2])).mass()[choice]"};
  for (const char* expression : expressions) {
    const std::vector<std::string> problem = evaluate_simplified(expression);
    ASSERT_EQ(problem.size(), 1u) << expression;
    // The part that is named differs by the hidden sum.
    const std::size_t end = problem[0].find(" in ");
    EXPECT_EQ(problem[0].substr(0, end), evaluate_simplified(hidden(expression))[0].substr(0, end))
        << expression;
  }
}

TEST(Simplification, MakesNoListsOfIndexes) {
  MemorySource source;
  add_operands(source);
  PlanBuilder builder(source.schema());
  builder.define("p4", "P4(pt, eta, phi, 0.1)");
  builder.define("t", "Combinations(pt, 3)");
  builder.define("sum", "Take(p4, t[0]) + Take(p4, t[1]) + Take(p4, t[2])");
  builder.define("best", "ArgMin(abs(sum.mass() - 172.5))");
  WritingSink sink;
  builder.define("result", "sum[best].pt() + pt[t[0][best]]");
  builder.write(kAllEntries, {"result"}, sink);
  const Plan plan = std::move(builder).build();
  int num_expanding = 0;
  for (const Step& step : plan.program().steps)
    num_expanding += step.kind == StepKind::kKernel && plan.program().graph[step.node].expands;
  EXPECT_EQ(num_expanding, 0) << plan.description();
}

}  // namespace
}  // namespace skimline
