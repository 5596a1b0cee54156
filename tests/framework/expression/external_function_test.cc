// SPDX-License-Identifier: BSD-3-Clause
// Functions whose code lies outside of the language, against naive loops.
#include "skimline/framework/external_function.h"

#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using testing::SummingAccumulator;
using testing::WritingSink;
using Texts = std::vector<std::string>;
using Views = std::span<const ColumnView>;

double minus(double a, double b) { return a - b; }
float half(float x) { return x / 2; }
bool is_odd(std::int32_t x) { return x % 2 != 0; }
double mixed(std::int32_t a, float b, double c) { return a + 10 * double{b} + 100 * c; }
double forty_two() { return 42; }
double scaled(std::string_view name, double x) { return x * static_cast<double>(name.size()); }

void add_arguments(MemorySource& source) {
  using Lists = std::vector<std::vector<float>>;
  source.add<float>("hits", std::vector<Lists>{{{1, 2}, {}, {3}}, {}, {{4, 5, 6}}, {{}, {7}}});
  source.add<float>("pt", Lists{{10, 20, 30}, {}, {40}, {50, 60}});
  source.add<float>("wrong", Lists{{1, 2, 3}, {}, {4, 5}, {6}});
  source.add<float>("scale", std::vector<float>{1, 2.75, 3, 4});
  source.add<std::int32_t>("n", std::vector<std::int32_t>{2, 0, -3, 1});
  source.add_strings("name", Texts{"muon", "", "electron", "muon"});
}

// Counts the entries that it is asked for.
ExternalFunction counting(std::atomic<std::size_t>& values) {
  const auto call = [&values](std::size_t count, const void* const* arguments, void* results) {
    values += count;
    std::copy_n(static_cast<const double*>(arguments[0]), count, static_cast<double*>(results));
  };
  return {"seen", ElementFunction{{ScalarType::kDouble}, ScalarType::kDouble, call}};
}

ExternalFunction batch(std::size_t num_parameters, Type type, BatchFunction::Call call) {
  return {"batch", BatchFunction{num_parameters, type, std::move(call)}};
}

void define_all(PlanBuilder& builder) {
  builder.define_external({"minus", element_function(minus)});
  builder.define_external({"half", element_function(half)});
  builder.define_external({"is_odd", element_function(is_odd)});
  builder.define_external({"mixed", element_function(mixed)});
  builder.define_external({"forty_two", element_function(forty_two)});
  builder.define_external({"scaled", element_function(scaled)});
}

Texts evaluate_call(const std::string& expression, const std::string& selection = "true",
                    const std::vector<ExternalFunction>& functions = {}) {
  MemorySource source(2);
  add_arguments(source);
  PlanBuilder builder(source.schema());
  define_all(builder);
  for (const ExternalFunction& function : functions) builder.define_external(function);
  builder.define("result", expression);
  WritingSink sink;
  builder.write(builder.select(kAllEntries, selection), {"result"}, sink);
  run(std::move(builder).build(), source, {});
  return sink.columns.empty() ? Texts{} : sink.columns[0];
}

std::string type_of_call(const std::string& expression) {
  MemorySource source(2);
  add_arguments(source);
  PlanBuilder builder(source.schema());
  define_all(builder);
  return name_of(builder.type_of_expression(expression));
}

std::string problem_with_call(const std::string& expression) {
  try {
    type_of_call(expression);
  } catch (const ExpressionError& error) {
    return error.problem();
  }
  return "";
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ExternalFunctions, OfElementsHaveTheShapeOfTheirDeepestArgument) {
  EXPECT_EQ(evaluate_call("minus(scale, n)"), (Texts{"-1", "2.75", "6", "3"}));
  EXPECT_EQ(evaluate_call("minus(pt, n)"), (Texts{"{8, 18, 28}", "{}", "{43}", "{49, 59}"}));
  EXPECT_EQ(evaluate_call("minus(n, pt)"), (Texts{"{-8, -18, -28}", "{}", "{-43}", "{-49, -59}"}));
  EXPECT_EQ(evaluate_call("minus(hits, pt)"),
            (Texts{"{{-9, -8}, {}, {-27}}", "{}", "{{-36, -35, -34}}", "{{}, {-53}}"}));
  EXPECT_EQ(evaluate_call("minus(hits, scale)"),
            (Texts{"{{0, 1}, {}, {2}}", "{}", "{{1, 2, 3}}", "{{}, {3}}"}));
  EXPECT_EQ(evaluate_call("minus(hits, 1)"), (Texts{"{{0, 1}, {}, {2}}", "{}", "{{3, 4, 5}}", "{{}, {6}}"}));
  EXPECT_EQ(evaluate_call("minus(3, 1)"), (Texts{"2", "2", "2", "2"}));
  EXPECT_EQ(evaluate_call("forty_two()"), (Texts{"42", "42", "42", "42"}));
  EXPECT_EQ(evaluate_call("Sum(minus(pt, 1)) + forty_two()", "n > 0"), (Texts{"99", "150"}));
}

TEST(ExternalFunctions, ConvertArgumentsAsACallInCppDoes) {
  EXPECT_EQ(evaluate_call("is_odd(scale)"), (Texts{"1", "0", "1", "0"}));  // 2.75 becomes 2
  EXPECT_EQ(evaluate_call("half(n)"), (Texts{"1", "0", "-1.5", "0.5"}));
  EXPECT_EQ(evaluate_call("mixed(scale, n, n > 0)"), (Texts{"121", "2", "-27", "114"}));
  EXPECT_EQ(type_of_call("half(n)"), "float");
  EXPECT_EQ(type_of_call("half(hits)"), "list of lists of float");
  EXPECT_EQ(type_of_call("is_odd(pt)"), "list of bool");
  EXPECT_EQ(type_of_call("mixed(1, 2, 3)"), "double");
}

TEST(ExternalFunctions, RefuseWrongArguments) {
  EXPECT_EQ(problem_with_call("minus(scale)"), "minus(double, double) takes 2 arguments, not 1");
  EXPECT_EQ(problem_with_call("half()"), "half(float) takes 1 argument, not 0");
  EXPECT_EQ(problem_with_call("minus(name, 1)"),
            "minus(double, double) does not take (string, std::int32_t)");
  EXPECT_EQ(problem_with_call("mixed"), "\"mixed\" is a function and needs arguments in parentheses");
  EXPECT_EQ(problem_with_call("minos(1, 2)"), "unknown function \"minos\" (did you mean \"minus\"?)");
  EXPECT_NE(error_of([] { evaluate_call("minus(pt, wrong)"); }).find("lists of different sizes"),
            std::string::npos);
}

// By its first value below zero.
ExternalFunction positive() {
  const auto call = [](std::size_t count, const void* const* arguments, void* results) {
    const auto* values = static_cast<const double*>(arguments[0]);
    for (std::size_t i = 0; i < count; ++i) {
      if (values[i] < 0) throw ElementError(i, "the value is negative");
      static_cast<double*>(results)[i] = values[i];
    }
  };
  return {"positive", ElementFunction{{ScalarType::kDouble}, ScalarType::kDouble, call}};
}

ExternalFunction with_names(bool refuses_truncation) {
  ElementFunction function = element_function(mixed);
  function.names = {"a", "b", "c"};
  function.refuses_truncation = refuses_truncation;
  return {"named", function};
}

TEST(ExternalFunctions, TakeStrings) {
  EXPECT_EQ(evaluate_call("scaled(\"abc\", scale)"), (Texts{"3", "8.25", "9", "12"}));
  EXPECT_EQ(evaluate_call("scaled(name, n)"), (Texts{"8", "0", "-24", "4"}));
  EXPECT_EQ(evaluate_call("scaled(name, pt)"), (Texts{"{40, 80, 120}", "{}", "{320}", "{200, 240}"}));
  EXPECT_EQ(evaluate_call("scaled(name, hits)"),
            (Texts{"{{4, 8}, {}, {12}}", "{}", "{{32, 40, 48}}", "{{}, {28}}"}));
  EXPECT_EQ(evaluate_call("scaled(n > 0 ? name : \"x\", 1)"), (Texts{"4", "1", "1", "4"}));
  EXPECT_EQ(evaluate_call("scaled(\"abc\", 2)", "n > 0"), (Texts{"6", "6"}));
  EXPECT_EQ(evaluate_call("scaled(name, 1)", "n > 0"), (Texts{"4", "4"}));
  EXPECT_EQ(type_of_call("scaled(name, pt)"), "list of double");
  EXPECT_EQ(problem_with_call("scaled(1, 2)"),
            "scaled(string, double) does not take (std::int32_t, std::int32_t)");
  EXPECT_EQ(problem_with_call("scaled(name, name)"), "scaled(string, double) does not take (string, string)");
}

TEST(ExternalFunctions, NameTheEntryOfAnElementWithoutResult) {
  const auto error = [](const std::string& expression, const std::string& selection = "true") {
    return error_of([&] { evaluate_call(expression, selection, {positive()}); });
  };
  EXPECT_EQ(error("positive(n)"), EvaluationError(2, "positive(n)", "the value is negative").what());
  EXPECT_EQ(error("1 + positive(45 - pt)"),
            EvaluationError(3, "positive(45 - pt)", "the value is negative").what());
  EXPECT_EQ(error("positive(45 - pt)", "n > 0"),
            EvaluationError(3, "positive(45 - pt)", "the value is negative").what());
  EXPECT_EQ(error("positive(25 - pt)"),
            EvaluationError(0, "positive(25 - pt)", "the value is negative").what());
  EXPECT_EQ(error("positive(6.5 - hits)"),
            EvaluationError(3, "positive(6.5 - hits)", "the value is negative").what());
  EXPECT_EQ(error("positive(5.5 - hits)"),
            EvaluationError(2, "positive(5.5 - hits)", "the value is negative").what());
  EXPECT_EQ(error("positive(-1)", "n < 0"),
            EvaluationError(2, "positive(-1)", "the value is negative").what());
  EXPECT_EQ(error("positive(n)", "n >= 0"), "");
}

TEST(ExternalFunctions, MayNameTheirParameters) {
  const auto problem = [](const std::string& expression, bool refuses_truncation) {
    try {
      evaluate_call(expression, "true", {with_names(refuses_truncation)});
    } catch (const ExpressionError& error) {
      return error.text().substr(error.offset(), error.length()) + ": " + error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(problem("named(n, 2)", false),
            "named(n, 2): named(std::int32_t a, float b, double c) takes 3 arguments, not 2");
  EXPECT_EQ(problem("named(n, name, 1)", false), "name: \"b\" must be a number, not a string");
  EXPECT_EQ(problem("named(scale, 1, 2)", false), "");
  EXPECT_EQ(problem("named(scale, 1, 2)", true), "scale: \"a\" must be an integer, not a float");
  EXPECT_EQ(problem("named(n > 0, 1, 2)", true), "");
}

TEST(ExternalFunctions, NeedANameOfTheirOwn) {
  Schema schema;
  PlanBuilder builder(schema);
  const auto problem = [&](ExternalFunction function) {
    return error_of([&] { builder.define_external(std::move(function)); });
  };
  EXPECT_EQ(problem({"f", element_function(half)}), "");
  EXPECT_EQ(problem({"f", element_function(half)}), "the function \"f\" is defined twice");
  EXPECT_EQ(problem({"hypot", element_function(half)}), "\"hypot\" is a function of the language");
  for (const char* name : {"", "1f", "a b", "f()", "a.b", "x + g", "f(x)", "true"})
    EXPECT_EQ(problem({name, element_function(half)}),
              "\"" + std::string(name) + "\" is no name that a function can have");
  EXPECT_EQ(problem({"g", ElementFunction{}}), "the function \"g\" has nothing to call");
  EXPECT_EQ(problem({"g", ElementFunction{{ScalarType::kLorentzVector},
                                          ScalarType::kFloat,
                                          [](std::size_t, const void* const*, void*) {}}}),
            "the function \"g\" must take numbers or strings and return numbers");
  EXPECT_EQ(problem(batch(1, flat(ScalarType::kString), [](Views, std::size_t, BatchResult&) {})),
            "the function \"batch\" must return numbers or lists of them, not string");
  EXPECT_THROW(builder.define_function("f(x)", "x"), ExpressionError);
  builder.define_function("g(x)", "f(x) + 1");
  EXPECT_EQ(problem({"g", element_function(half)}), "the function \"g\" is defined twice");
  EXPECT_EQ(builder.type_of_expression("g(1)"), flat(ScalarType::kFloat));
}

TEST(ExternalFunctions, AreCalledForWhatSurvivesOnly) {
  const auto seen_by = [](const std::string& selection, const std::string& expression) {
    std::atomic<std::size_t> values = 0;
    evaluate_call(expression, selection, {counting(values)});
    return values.load();
  };
  EXPECT_EQ(seen_by("true", "seen(scale)"), 4u);
  EXPECT_EQ(seen_by("n > 0", "seen(scale)"), 2u);
  EXPECT_EQ(seen_by("n > 0", "seen(pt)"), 5u);
  EXPECT_EQ(seen_by("n > 100", "seen(scale)"), 0u);
  EXPECT_EQ(seen_by("true", "n > 0 && seen(scale) > 0"), 2u);
  EXPECT_EQ(seen_by("true", "n > 0 || seen(scale) > 0"), 2u);
  EXPECT_EQ(seen_by("true", "n == 0 ? seen(scale) : 1."), 1u);
  EXPECT_EQ(seen_by("n > 0 && seen(scale) > 0", "1"), 2u);
  EXPECT_EQ(seen_by("size(pt) > 2 && seen(scale) > 0", "1"), 1u);
  EXPECT_EQ(seen_by("seen(n) > 0", "seen(n) + seen(n)"), 4u);  // equal calls are one
  EXPECT_EQ(seen_by("true", "seen(1)"), 4u);                   // never folded
}

TEST(ExternalFunctions, WithTheSameArgumentsAreNotConfused) {
  const auto twice = [](Views arguments, std::size_t count, BatchResult& result) {
    auto* values = static_cast<float*>(result.reserve_values(count));
    for (std::size_t i = 0; i < count; ++i) values[i] = 2 * arguments[0].data<float>()[i];
  };
  EXPECT_EQ(
      evaluate_call("half(scale) + other_half(scale) + batch(scale)", "true",
                    {{"other_half", ElementFunction{{ScalarType::kFloat},
                                                    ScalarType::kFloat,
                                                    [](std::size_t count, const void* const*, void* results) {
                                                      std::fill_n(static_cast<float*>(results), count, 100.f);
                                                    }}},
                     batch(1, flat(ScalarType::kFloat), twice)}),
      (Texts{"102.5", "106.875", "107.5", "110"}));
}

TEST(ExternalFunctions, OfColumnsSeeWholeLists) {
  // For each entry, the sum of its values and the number of them.
  const auto call = [](Views arguments, std::size_t count, BatchResult& result) {
    const ColumnView& list = arguments[0];
    EXPECT_EQ(list.type, jagged(ScalarType::kFloat));
    EXPECT_EQ(list.length, count);
    auto* values = static_cast<double*>(result.reserve_values(2 * count));
    std::uint32_t* offsets = result.reserve_offsets(count + 1);
    for (std::size_t i = 0; i <= count; ++i) offsets[i] = static_cast<std::uint32_t>(2 * i);
    for (std::size_t i = 0; i < count; ++i) {
      const float* begin = list.data<float>() + list.offsets[i];
      const float* end = list.data<float>() + list.offsets[i + 1];
      values[2 * i] = std::accumulate(begin, end, 0.);
      values[2 * i + 1] = static_cast<double>(end - begin);
    }
  };
  const ExternalFunction function = batch(1, jagged(ScalarType::kDouble), call);
  EXPECT_EQ(evaluate_call("batch(pt)", "true", {function}),
            (Texts{"{60, 3}", "{0, 0}", "{40, 1}", "{110, 2}"}));
  EXPECT_EQ(evaluate_call("batch(pt)[0]", "n != 0", {function}), (Texts{"60", "40", "110"}));
}

TEST(ExternalFunctions, OfColumnsGetConstantsAndListsOfLists) {
  const auto call = [](Views arguments, std::size_t count, BatchResult& result) {
    EXPECT_TRUE(arguments[1].is_constant);
    const ColumnView& lists = arguments[0];
    const std::size_t num_lists = lists.offsets[count];
    const std::size_t num_values = lists.inner_offsets[num_lists];
    auto* values = static_cast<float*>(result.reserve_values(num_values));
    for (std::size_t i = 0; i < num_values; ++i)
      values[i] = lists.data<float>()[i] * static_cast<float>(*arguments[1].data<std::int32_t>());
    std::copy_n(lists.offsets, count + 1, result.reserve_offsets(count + 1));
    std::copy_n(lists.inner_offsets, num_lists + 1, result.reserve_offsets(num_lists + 1, 1));
  };
  EXPECT_EQ(evaluate_call("batch(hits, 3)", "n != 0", {batch(2, doubly_jagged(ScalarType::kFloat), call)}),
            (Texts{"{{3, 6}, {}, {9}}", "{{12, 15, 18}}", "{{}, {21}}"}));
}

TEST(ExternalFunctions, MayWriteAnyByteAsBool) {
  const auto call = [](Views arguments, std::size_t count, BatchResult& result) {
    auto* bytes = static_cast<unsigned char*>(result.reserve_values(count));
    for (std::size_t i = 0; i < count; ++i)
      bytes[i] = static_cast<unsigned char>(arguments[0].data<std::int32_t>()[i]);
  };
  const std::vector<ExternalFunction> functions{batch(1, flat(ScalarType::kBool), call)};
  EXPECT_EQ(evaluate_call("batch(n) + batch(n)", "true", functions), (Texts{"2", "0", "2", "2"}));
  EXPECT_EQ(evaluate_call("n", "batch(n)", functions), (Texts{"2", "-3", "1"}));
}

// A result with given numbers of values, and given offsets.
std::string fault_of(Type type, std::size_t num_values, const std::vector<std::uint32_t>& offsets,
                     const std::vector<std::uint32_t>& inner = {}) {
  const auto call = [&](Views, std::size_t, BatchResult& result) {
    std::fill_n(static_cast<float*>(result.reserve_values(num_values)), num_values, 1.f);
    if (!offsets.empty()) std::copy(offsets.begin(), offsets.end(), result.reserve_offsets(offsets.size()));
    if (!inner.empty()) std::copy(inner.begin(), inner.end(), result.reserve_offsets(inner.size(), 1));
  };
  return error_of([&] { evaluate_call("batch(pt)", "true", {batch(1, type, call)}); });
}

TEST(ExternalFunctions, MustReturnTheDeclaredShape) {
  const Type number = flat(ScalarType::kFloat), list = jagged(ScalarType::kFloat);
  const Type lists = doubly_jagged(ScalarType::kFloat);
  const std::string returned = "the function \"batch\" returned ";
  EXPECT_EQ(fault_of(number, 2, {}), "");
  EXPECT_EQ(fault_of(number, 1, {}), returned + "1 value for 2 entries");
  EXPECT_EQ(fault_of(number, 3, {}), returned + "3 values for 2 entries");
  EXPECT_EQ(fault_of(number, 2, {0, 1, 2}), returned + "a list of float per entry instead of a float");
  EXPECT_EQ(fault_of(list, 5, {0, 2, 5}), "");
  EXPECT_EQ(fault_of(list, 0, {0, 0, 0}), "");
  EXPECT_EQ(fault_of(list, 2, {}), returned + "a float per entry instead of a list of float");
  EXPECT_EQ(fault_of(list, 5, {0, 5}), returned + "2 offsets for 2 lists, which need one more than lists");
  EXPECT_EQ(fault_of(list, 5, {1, 2, 5}), returned + "offsets that begin with 1 instead of 0");
  EXPECT_EQ(fault_of(list, 5, {0, 6, 5}), returned + "offsets that decrease");
  EXPECT_EQ(fault_of(list, 5, {0, 2, 4}), returned + "offsets that end with 4 for 5 values");
  EXPECT_EQ(fault_of(lists, 3, {0, 1, 2}, {0, 3, 3}), "");
  EXPECT_EQ(fault_of(lists, 3, {0, 1, 3}, {0, 3, 3}), returned + "offsets that end with 3 for 2 values");
  EXPECT_EQ(fault_of(lists, 3, {0, 1, 2}, {0, 3, 4}), returned + "offsets that end with 4 for 3 values");
  const auto nothing = [](Views, std::size_t, BatchResult&) {};
  EXPECT_EQ(error_of([&] { evaluate_call("batch(pt)", "true", {batch(1, number, nothing)}); }),
            returned + "0 values for 2 entries");
  const auto twice = [](Views, std::size_t count, BatchResult& result) {
    result.reserve_values(count);
    result.reserve_values(count);
  };
  EXPECT_NE(error_of([&] { evaluate_call("batch(pt)", "true", {batch(1, number, twice)}); }), "");
}

std::vector<std::int64_t> first_numbers(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(ExternalFunctions, MayThrowAndTheEarliestSliceWins) {
  const auto call = [](std::size_t count, const void* const* arguments, void* results) {
    const auto* numbers = static_cast<const std::int64_t*>(arguments[0]);
    for (std::size_t i = 0; i < count; ++i)
      if (numbers[i] >= 500) throw std::out_of_range("number " + std::to_string(numbers[i]));
    std::fill_n(static_cast<double*>(results), count, 1.);
  };
  for (const int threads : {1, 4}) {
    MemorySource source(10);
    source.add("number", first_numbers(1000));
    PlanBuilder builder(source.schema());
    builder.define_external({"f", ElementFunction{{ScalarType::kInt64}, ScalarType::kDouble, call}});
    SummingAccumulator sum;
    builder.fill(kAllEntries, {"f(number)"}, sum);
    RunOptions options;
    options.threads = threads;
    try {
      run(std::move(builder).build(), source, options);
      ADD_FAILURE();
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "number 500");
    }
  }
}

TEST(ExternalFunctions, CannotPassOffErrorsAsThoseOfTheRun) {
  const auto with = [](const std::function<void()>& fail) {
    const auto call = [fail](std::size_t, const void* const*, void*) { fail(); };
    return error_of([&] {
      evaluate_call("f(n)", "true", {{"f", ElementFunction{{ScalarType::kInt32}, ScalarType::kFloat, call}}});
    });
  };
  EXPECT_NE(with([] { throw EvaluationError(1u << 30, "x", "is too large"); }).find("is too large"),
            std::string::npos);
  EXPECT_NE(with([] { throw FileError("a.root", "is missing"); }).find("is missing"), std::string::npos);
}

TEST(ExternalFunctions, GiveTheSameWithManyThreads) {
  constexpr std::size_t kEntries = 100'000;
  double expected = 0;
  for (std::size_t i = 0; i < kEntries; ++i)
    if (i % 3 == 0) expected += static_cast<double>(i) - static_cast<double>(i % 7);
  for (const int threads : {1, 2, 8}) {
    MemorySource source(5000);
    source.add("number", first_numbers(kEntries));
    PlanBuilder builder(source.schema());
    define_all(builder);
    SummingAccumulator sum;
    builder.fill(builder.select(kAllEntries, "minus(number % 3, 0) == 0"), {"minus(number, number % 7)"},
                 sum);
    RunOptions options;
    options.threads = threads;
    run(std::move(builder).build(), source, options);
    EXPECT_EQ(sum.sum, expected);
  }
}

TEST(ExternalFunctions, AreShownByNameInThePlan) {
  MemorySource source;
  add_arguments(source);
  PlanBuilder builder(source.schema());
  define_all(builder);
  SummingAccumulator sum;
  builder.fill(kAllEntries, {"minus(scale, 1)"}, sum);
  EXPECT_NE(std::move(builder).build().description().find("minus(scale, 1) (double)"), std::string::npos);
}

extern "C" {
double sum_of_8(double a, double b, double c, double d, double e, double f, double g, double h) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
float product_of_floats(float a, float b) { return a * b; }
bool are_equal(std::int64_t a, std::int64_t b) { return a == b; }
void weighted(std::int64_t count, const void* const* arguments, void* results) {
  const auto* numbers = static_cast<const std::int32_t*>(arguments[0]);
  const auto* weights = static_cast<const float*>(arguments[1]);
  for (std::int64_t i = 0; i < count; ++i) static_cast<double*>(results)[i] = numbers[i] * double{weights[i]};
}
}

template <typename Function>
const void* address_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}

TEST(ExternalFunctions, AreMadeOfAddresses) {
  using enum ScalarType;
  const std::vector<ExternalFunction> functions{
      {"sum8", element_function_at(address_of(sum_of_8), std::vector(8, kDouble), kDouble)},
      {"product", element_function_at(address_of(product_of_floats), {kFloat, kFloat}, kFloat)},
      {"equal", element_function_at(address_of(are_equal), {kInt64, kInt64}, kBool)},
      {"answer", element_function_at(address_of(forty_two), {}, kDouble)},
      {"weighted", array_function_at(address_of(weighted), {kInt32, kFloat}, kDouble)}};
  EXPECT_EQ(evaluate_call("sum8(n, 1, 2, 3, 4, 5, 6, 7)", "true", functions),
            (Texts{"170", "168", "165", "169"}));
  EXPECT_EQ(evaluate_call("product(pt, scale)", "n > 0", functions), (Texts{"{10, 20, 30}", "{200, 240}"}));
  EXPECT_EQ(evaluate_call("equal(n, 1)", "true", functions), (Texts{"0", "0", "0", "1"}));
  EXPECT_EQ(evaluate_call("answer()", "n > 0", functions), (Texts{"42", "42"}));
  EXPECT_EQ(evaluate_call("weighted(n, pt)", "true", functions),
            (Texts{"{20, 40, 60}", "{}", "{-120}", "{50, 60}"}));
}

TEST(ExternalFunctions, AreNotMadeOfOtherAddresses) {
  using enum ScalarType;
  const auto problem = [](std::vector<ScalarType> parameters, ScalarType result) {
    return error_of([&] { element_function_at(address_of(minus), std::move(parameters), result); });
  };
  EXPECT_EQ(problem({kDouble, kDouble}, kDouble), "");
  EXPECT_NE(problem({kDouble, kFloat}, kDouble).find("a function double(double, float) cannot be called"),
            std::string::npos);
  EXPECT_NE(problem({kDouble}, kFloat), "");
  EXPECT_NE(problem({kUInt8}, kUInt8), "");
  EXPECT_NE(problem(std::vector(9, kDouble), kDouble), "");
  EXPECT_EQ(error_of([] { element_function_at(nullptr, {kDouble}, kDouble); }),
            "a function cannot be at address 0");
  EXPECT_EQ(error_of([] { array_function_at(nullptr, {kDouble}, kDouble); }),
            "a function cannot be at address 0");
}

}  // namespace
}  // namespace skimline
