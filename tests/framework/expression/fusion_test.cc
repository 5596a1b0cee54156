// SPDX-License-Identifier: BSD-3-Clause
// Reductions of pairs and triples, which make no lists, against the naive evaluator, plain loops, and the
// same reductions of lists that are made because something else needs them too.
#include "engine/program.h"
#include "engine_run.h"
#include "expression/subset_reductions.h"
#include "expression_case.h"
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using testing::WritingSink;

std::size_t num_fused(const Plan& plan) {
  const auto& steps = plan.program().steps;
  return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.kind == StepKind::kKernel && plan.program().graph[step.node].kernel == reduce_subsets;
  }));
}

// Of pt, eta, phi, mass, charge, a_*, all of one size n, and flat columns: random_columns.h.
constexpr const char* kPairSum = "(Take(P4(pt, eta, phi, mass), c[0]) + Take(P4(pt, eta, phi, mass), c[1]))";
constexpr const char* kTripleSum =
    "(Take(P4(pt, eta, phi, mass), t[0]) + Take(P4(pt, eta, phi, mass), t[1]) + Take(P4(pt, eta, phi, mass), "
    "t[2]))";

std::string with_sums(std::string text) {
  for (const auto& [name, sum] : {std::pair{"PAIR", kPairSum}, std::pair{"TRIPLE", kTripleSum}})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, std::string(name).size(), sum);
  return text;
}

constexpr const char* kReductions[] = {
    "ArgMin(abs(PAIR.mass() - 91.2))",
    "ArgMax(PAIR.mass())",
    "Min(PAIR.M())",
    "Max(PAIR.mass() * 2 + 1)",
    "Sum(PAIR.mass())",
    "Any(PAIR.mass() > 60 && PAIR.mass() < 120)",
    "All(PAIR.mass() > x)",
    "Sum(PAIR.mass() > 20 && Take(charge, c[0]) != Take(charge, c[1]))",
    "ArgMin(abs(float(PAIR.mass()) - f))",
    "Max(PAIR.pt())",
    "Min(PAIR.energy() / PAIR.mass())",
    "Sum(Take(pt, c[0]) * Take(pt, c[1]))",
    "ArgMax(Take(a_i64, c[0]) - Take(a_i64, c[1]))",
    "Min(Take(a_u32, c[1]) + Take(a_u32, c[0]))",
    "Max(Take(a_u64, c[1]) ^ k)",
    "Sum(Take(a_i32, c[0]) * Take(a_i32, c[1]))",
    "Sum(Take(a_f, c[0]) + Take(a_f, c[1]))",
    "Any(Take(tight, c[0]) && Take(tight, c[1]))",
    "All(Take(a_d, c[0]))",
    "Any(Take(a_s, c[0]) == Take(a_s, c[1]))",
    "Sum(c[0] < k)",
    "Max(c[1] - c[0])",
    "ArgMin(DeltaR(Take(eta, c[0]), Take(eta, c[1]), Take(phi, c[0]), Take(phi, c[1])))",
    "ArgMin(abs(TRIPLE.mass() - 172.5))",
    "ArgMax(TRIPLE.pt())",
    "Max(TRIPLE.mass())",
    "Sum(TRIPLE.mass() > 30)",
    "Any(Take(tight, t[0]) || Take(tight, t[1]) || Take(tight, t[2]))",
    "Min(max(Take(a_f, t[0]), Take(a_f, t[1]), Take(a_f, t[2])))",
    "Sum((t[0] + 1) * t[1] - t[2])",
    "ArgMax(Take(a_d, t[2]) - y)",
};

Plan plan_of(const testing::ExpressionCase& tried) {
  const testing::RandomColumns& columns = testing::columns_of(tried);
  const auto source = columns.source(tried.slice_entries, std::vector<bool>(columns.num_entries(), true));
  PlanBuilder builder(source->schema());
  for (const auto& [name, expression] : tried.definitions) builder.define(name, expression);
  WritingSink sink;
  builder.write(kAllEntries, tried.outputs[0].names, sink);
  return std::move(builder).build();
}

TEST(Fusion, GivesTheValuesOfTheNaiveEvaluator) {
  for (const char* reduction : kReductions) {
    testing::ExpressionCase tried;
    tried.columns_seed = 11;
    tried.num_entries = 300;
    tried.slice_entries = 170;
    tried.definitions = {{"c", "Combinations(pt, 2)"},
                         {"t", "Combinations(pt, 3)"},
                         {"guarded", "n > 2 ? " + with_sums(reduction) + " : 0"}};
    tried.outputs = {{0, {"guarded"}}};
    const testing::Comparison result = compare(tried);
    EXPECT_EQ(result.difference.kind, testing::DifferenceKind::kNone)
        << reduction << ": " << result.difference.message;
    EXPECT_FALSE(result.is_refused) << reduction;
    EXPECT_GT(result.num_values, 250u) << reduction;
    EXPECT_EQ(num_fused(plan_of(tried)), 1u) << reduction;
  }
}

// Lists of vectors, "p" below, so that many sums are the same and some are NaN.
struct Vectors {
  std::vector<std::vector<double>> x, y, z, energy;
};

Vectors random_vectors(const std::vector<std::size_t>& sizes, unsigned seed, double nan_fraction) {
  std::mt19937 random(seed);
  std::bernoulli_distribution is_nan(nan_fraction);
  Vectors made;
  const auto list = [&](std::size_t size, int least) {
    std::vector<double> values(size);
    for (double& value : values) {
      value = least + static_cast<int>(random() % 5);
      if (is_nan(random)) value = std::numeric_limits<double>::quiet_NaN();
    }
    return values;
  };
  for (const std::size_t size : sizes) {
    made.x.push_back(list(size, -2));
    made.y.push_back(list(size, -2));
    made.z.push_back(list(size, -2));
    made.energy.push_back(list(size, 1));
  }
  return made;
}

std::vector<double> triple_masses(const Vectors& p, std::size_t entry) {
  std::vector<double> masses;
  const std::size_t size = p.x[entry].size();
  const auto sum = [&](const auto& component, std::size_t i, std::size_t j, std::size_t k) {
    return component[entry][i] + component[entry][j] + component[entry][k];
  };
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i + 1; j < size; ++j)
      for (std::size_t k = j + 1; k < size; ++k) {
        const double x = sum(p.x, i, j, k), y = sum(p.y, i, j, k), z = sum(p.z, i, j, k);
        const double energy = sum(p.energy, i, j, k);
        const double square = energy * energy - x * x - y * y - z * z;
        masses.push_back(square < 0 ? -std::sqrt(-square) : std::sqrt(square));
      }
  return masses;
}

CollectingSink::Rows reduced(const Vectors& p, const std::vector<std::string>& reductions,
                             std::uint64_t slice, std::size_t expected_fused) {
  MemorySource source(slice);
  source.add("x", p.x).add("y", p.y).add("z", p.z).add("energy", p.energy);
  CollectingSink sink;
  CollectingSink::Rows columns;
  for (const std::string& reduction : reductions) {
    PlanBuilder builder(source.schema());
    builder.define("p", "P4PxPyPzE(x, y, z, energy)");
    builder.define("t", "Combinations(x, 3)");
    builder.define("m", "(Take(p, t[0]) + Take(p, t[1]) + Take(p, t[2])).mass()");
    builder.define("result", reduction);
    CollectingSink written;
    builder.write(kAllEntries, {"result"}, written);
    const Plan plan = std::move(builder).build();
    EXPECT_EQ(num_fused(plan), expected_fused) << reduction;
    run(plan, source, {.threads = 2, .stop = nullptr, .progress = {}, .observe = {}});
    columns.emplace_back();
    for (const auto& row : written.columns[0]) columns.back().push_back(row[0]);
  }
  return columns;
}

void expect_plain_loops(const std::vector<std::size_t>& sizes, double nan_fraction, std::uint64_t slice) {
  const Vectors p = random_vectors(sizes, 3, nan_fraction);
  const CollectingSink::Rows rows = reduced(
      p, {"ArgMin(abs(m - 4.5))", "Max(m)", "Sum(m)", "Sum(m > 3)", "Any(m == 4)", "ArgMax(m)"}, slice, 1);
  for (std::size_t entry = 0; entry < sizes.size(); ++entry) {
    const std::vector<double> masses = triple_masses(p, entry);
    std::vector<double> distances;
    double total = 0;
    for (const double mass : masses) {
      distances.push_back(std::fabs(mass - 4.5));
      total += mass;
    }
    const auto number = [](const std::vector<double>& values, auto found) {
      return static_cast<double>(found - values.begin());
    };
    const double expected[] = {
        number(distances, std::min_element(distances.begin(), distances.end())),
        *std::max_element(masses.begin(), masses.end()),
        total,
        static_cast<double>(std::count_if(masses.begin(), masses.end(), [](double m) { return m > 3; })),
        static_cast<double>(std::count(masses.begin(), masses.end(), 4.0) > 0),
        number(masses, std::max_element(masses.begin(), masses.end()))};
    for (std::size_t i = 0; i < std::size(expected); ++i) {
      const bool are_nan = std::isnan(expected[i]) && std::isnan(rows[i][entry]);
      ASSERT_TRUE(are_nan || rows[i][entry] == expected[i])
          << "entry " << entry << ", " << i << ": " << rows[i][entry] << ", not " << expected[i];
    }
  }
}

TEST(Fusion, GivesTheFirstOfEqualValuesInBatchesOfAllSizes) {
  std::vector<std::size_t> sizes;
  std::mt19937 random(7);
  for (int entry = 0; entry < 9000; ++entry) sizes.push_back(3 + random() % 5);
  expect_plain_loops(sizes, 0, 5000);
  expect_plain_loops({sizes.begin(), sizes.begin() + 100}, 0, 1);
}

TEST(Fusion, TreatsNaNAsStdMinElementDoes) {
  std::vector<std::size_t> sizes;
  for (std::size_t entry = 0; entry < 2000; ++entry) sizes.push_back(3 + entry % 7);
  expect_plain_loops(sizes, 0.05, 700);
}

TEST(Fusion, TakesLongListsInParts) {
  expect_plain_loops({3, 40, 4, 40, 65, 40, 10, 11, 12, 13, 14, 15, 16, 17, 3}, 0, 100);
  expect_plain_loops({9, 40, 10, 40, 35, 40, 10, 11, 12, 13, 14, 15, 16, 17, 3}, 0.0005, 100);
}

// The best of all is in a part that begins with NaN, too.
TEST(Fusion, TakesPartsThatBeginWithNaN) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 17; size < 50; ++size) sizes.push_back(size);
  expect_plain_loops(sizes, 0.1, 100);
}

TEST(Fusion, MakesListsThatOthersNeed) {
  const Vectors p = random_vectors({3, 4, 5}, 1, 0);
  reduced(p, {"Max(m) - Min(m)", "Max(m) + back(m)", "Max(m + back(m))"}, 10, 0);
}

// Some of the masses are computed alone.
TEST(Fusion, MakesNoListForSomeOfItsElements) {
  const Vectors p = random_vectors({3, 4, 5, 9}, 1, 0);
  const auto rows = reduced(p, {"m[ArgMax(m)] + m[0]"}, 10, 1);
  for (std::size_t entry = 0; entry < 4; ++entry) {
    const std::vector<double> masses = triple_masses(p, entry);
    EXPECT_EQ(rows[0][entry], *std::max_element(masses.begin(), masses.end()) + masses[0]) << entry;
  }
}

std::string fault_of(const std::string& expression, bool makes_list, std::size_t expected_fused) {
  std::mt19937 random(2);
  MemorySource source(50);
  std::vector<std::vector<float>> pt, shorter;
  for (int entry = 0; entry < 120; ++entry) {
    pt.emplace_back(static_cast<std::size_t>(entry == 97 ? 500 : 3 + entry % 4), 1.f);
    shorter.emplace_back(pt.back().size() - (entry == 60 ? 1 : 0), 2.f);
  }
  source.add("pt", pt).add("shorter", shorter);
  std::vector<std::vector<float>> few = pt;
  few[33].resize(1);
  source.add("few", few);
  std::vector<std::vector<std::int32_t>> divisors;
  for (const auto& list : pt) divisors.emplace_back(list.size(), 1);
  divisors[60][0] = 0;
  source.add("divisors", divisors);
  PlanBuilder builder(source.schema());
  builder.define("result", expression);
  if (makes_list) builder.define("list", expression.substr(4, expression.size() - 5));
  WritingSink sink;
  builder.write(kAllEntries,
                makes_list ? std::vector<std::string>{"result", "list"} : std::vector<std::string>{"result"},
                sink);
  const Plan plan = std::move(builder).build();
  EXPECT_EQ(num_fused(plan), expected_fused) << expression;
  try {
    run(plan, source, {.threads = 1, .stop = nullptr, .progress = {}, .observe = {}});
  } catch (const EvaluationError& error) {
    const std::string text = error.what();
    return std::to_string(error.entry()) + text.substr(0, text.find(" in \""));
  }
  return "no fault";
}

TEST(Fusion, FindsTheFaultsOfTheLists) {
  for (const char* expression :
       {"Sum(Take(shorter, Combinations(pt, 2)[1]))", "Min(Take(few, Combinations(few, 3)[0]))",
        "Max(Take(pt, Combinations(pt, 3)[2]) * 2)", "Sum(Take(pt, Combinations(few, 2)[1]))",
        "Max((Take(P4(shorter, 0, 0, 0), Combinations(pt, 2)[0]) + "
        "Take(P4(shorter, 0, 0, 0), Combinations(pt, 2)[1])).mass())"}) {
    const std::string fault = fault_of(expression, false, 1);
    EXPECT_NE(fault, "no fault") << expression;
    EXPECT_EQ(fault, fault_of(expression, true, 0)) << expression;
  }
}

TEST(Fusion, LeavesWhatIsOfTwoListsOrMayFail) {
  const std::pair<const char*, const char*> faults[] = {
      {"Sum(Take(pt, Combinations(pt, 2)[0]) * Take(shorter, Combinations(shorter, 2)[1]))",
       "60lists of different sizes, 3 and 1,"},
      {"Sum(Take(pt, Combinations(pt, 2)[0]) * Take(pt, Combinations(pt, 3)[1]))",
       "0lists of different sizes, 3 and 1,"},
      {"Sum(10 / Take(divisors, Combinations(pt, 2)[1]))", "no fault"},
      {"Sum(10 / Take(divisors, Combinations(pt, 2)[0]))", "60integer division by zero"}};
  for (const auto& [expression, fault] : faults)
    EXPECT_EQ(fault_of(expression, false, 0), fault) << expression;
}

}  // namespace
}  // namespace skimline
