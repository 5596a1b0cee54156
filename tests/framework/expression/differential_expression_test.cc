// SPDX-License-Identifier: BSD-3-Clause
// Random expressions over random columns: the engine gives what an evaluator gives that takes one entry at a
// time, type, bits and faults included.
//
// SKIMLINE_FUZZ_SECONDS: how long. SKIMLINE_FUZZ_SEED: the first case. What differs is made small and saved
// in <build>/expression_cases; SKIMLINE_EXPRESSION_CASE=<file> tries such a file again.
#include "expression/function_registry.h"
#include "expression_case.h"
#include "expression_generator.h"
#include "fuzz_time.h"
#include "naive_functions.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::Comparison;
using testing::DifferenceKind;
using testing::ExpressionCase;

#ifdef SKIMLINE_SANITIZED
constexpr std::uint64_t kCases = 400;
#else
constexpr std::uint64_t kCases = 4000;
#endif
constexpr int kMaxFailures = 5;

std::string saved(const ExpressionCase& failed, std::uint64_t seed) {
  const std::filesystem::path folder = SKIMLINE_EXPRESSION_CASES_DIR;
  std::filesystem::create_directories(folder);
  const std::filesystem::path path = folder / ("seed-" + std::to_string(seed) + ".case");
  std::ofstream(path) << text_of(failed);
  return path.string();
}

void report(const ExpressionCase& failed, DifferenceKind kind, std::uint64_t seed) {
  const ExpressionCase small = kind == DifferenceKind::kRefused ? failed : shrunk(failed, kind);
  ADD_FAILURE() << compare(small).difference.message << "\n"
                << text_of(small) << "saved as " << saved(small, seed);
}

std::uint64_t first_seed() {
  const char* text = std::getenv("SKIMLINE_FUZZ_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

TEST(DifferentialExpressions, GiveTheValuesOfTheNaiveEvaluator) {
  const testing::FuzzTime time;
  const std::uint64_t first = first_seed();
  int num_failures = 0;
  std::size_t num_refused = 0, num_faults = 0, num_values = 0;
  std::uint64_t seed = first;
  for (; (seed < first + kCases || time.is_left()) && num_failures < kMaxFailures; ++seed) {
    const ExpressionCase tried = testing::random_case(seed);
    const Comparison result = compare(tried);
    num_refused += result.is_refused;
    num_faults += result.num_faults > 0;
    num_values += result.num_values;
    if (result.difference.kind == DifferenceKind::kNone) continue;
    ++num_failures;
    report(tried, result.difference.kind, seed);
  }
  const std::uint64_t num_cases = seed - first;
  RecordProperty("cases", std::to_string(num_cases));
  RecordProperty("values", std::to_string(num_values));
  if (num_failures > 0) return;
  EXPECT_LT(num_refused * 20, num_cases) << "the generator makes expressions that are refused";
  EXPECT_GT(num_faults * 20, num_cases);
  EXPECT_LT(num_faults * 2, num_cases);
  EXPECT_GT(num_values, num_cases * 20);
}

TEST(DifferentialExpressions, OfSavedCasesStayRight) {
  std::vector<std::filesystem::path> paths;
  if (const char* path = std::getenv("SKIMLINE_EXPRESSION_CASE")) paths.emplace_back(path);
  const std::filesystem::path known = SKIMLINE_SOURCE_DIR "/tests/framework/expression_cases";
  for (const auto& file : std::filesystem::directory_iterator(known)) paths.push_back(file.path());
  ASSERT_FALSE(paths.empty());
  for (const auto& path : paths) {
    std::ifstream file(path);
    const ExpressionCase tried = testing::read_case(file);
    ASSERT_FALSE(tried.outputs.empty()) << path;
    const Comparison result = compare(tried);
    EXPECT_EQ(result.difference.kind, DifferenceKind::kNone) << path << ": " << result.difference.message;
    EXPECT_FALSE(result.is_refused) << path;
  }
}

// A function that only the engine knows would never be compared.
TEST(DifferentialExpressions, KnowEveryFunction) {
  const std::vector<std::string> generated = testing::ExpressionGenerator::function_names();
  for (const std::string& name : function_names()) {
    EXPECT_NE(testing::find_naive_function(name), nullptr) << name;
    EXPECT_NE(std::find(generated.begin(), generated.end(), name), generated.end()) << name;
  }
}

TEST(DifferentialExpressions, UseEveryFunctionAndOperator) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed)
    for (const auto& definition : testing::random_case(seed).definitions) all += definition.expression + "\n";
  std::vector<std::string> wanted;
  for (const std::string& name : function_names()) wanted.push_back(name + "(");
  for (const char* op :
       {" + ",  " - ",  " * ",  " / ", " % ",    " << ",   " >> ",   " < ",    " <= ",   " > ",
        " >= ", " == ", " != ", " & ", " | ",    " ^ ",    " && ",   " || ",   " ? ",    "(~",
        "(!",   "(-",   "(+",   ")[",  "AnyOf(", "AllOf(", "twice(", "entry_", "float(", "size_t("})
    wanted.emplace_back(op);
  for (const std::string& part : wanted) EXPECT_NE(all.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace skimline
