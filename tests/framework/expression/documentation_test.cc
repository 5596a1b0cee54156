// SPDX-License-Identifier: BSD-3-Clause
// Runs every example of docs/expression-language.md.
#include "expression/function_names.h"
#include "expression/function_registry.h"
#include "expression/root_functions.h"
#include "expression/syntax.h"
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::MemorySource;
using testing::WritingSink;

constexpr std::size_t kEvents = 3;

void add_documented_columns(MemorySource& source) {
  using Floats = std::vector<std::vector<float>>;
  using Texts = std::vector<std::vector<std::string>>;
  source.add<std::uint32_t>("nMuon", std::vector<std::uint32_t>{0, 2, 3});
  source.add<float>("Muon_pt", Floats{{}, {40, 25}, {50, 8, 30}});
  source.add<float>("Muon_eta", Floats{{}, {.5f, -2.5f}, {1, 2, -1}});
  source.add<float>("Muon_phi", Floats{{}, {0, 3}, {1, -3, 3}});
  source.add<float>("Muon_mass", Floats{{}, {.1f, .1f}, {.1f, .1f, .1f}});
  source.add<std::int32_t>("Muon_charge", std::vector<std::vector<std::int32_t>>{{}, {1, -1}, {1, 1, -1}});
  source.add<bool>("Muon_tightId", std::vector<std::vector<bool>>{{}, {true, false}, {true, true, false}});
  source.add<float>("Jet_pt", Floats{{30}, {80, 60, 35}, {25, 50}});
  source.add<float>("Jet_eta", Floats{{1}, {0, 2, -1}, {3, -2}});
  source.add<float>("Jet_tracks", std::vector<Floats>{{{1, 2}}, {{}, {3}, {5, 4}}, {{6}, {8, 7}}});
  using Numbers = std::vector<std::vector<std::int32_t>>;
  source.add<std::int32_t>("Jet_hits", std::vector<std::vector<Numbers>>{
                                           {{{1, 0}, {}}}, {{}, {{2}}, {{3}, {4, 5}}}, {{{6}}, {{}, {7}}}});
  source.add<float>("MET_pt", std::vector<float>{10, 32.5f, 7});
  source.add<bool>("HLT_IsoMu24", std::vector<bool>{false, true, true});
  source.add<bool>("HLT_Mu50", std::vector<bool>{false, false, true});
  source.add_strings("paths", Texts{{}, {"HLT_IsoMu24"}, {"HLT_IsoMu24", "HLT_Mu50"}});
  source.add<std::int32_t>("run", std::vector<std::int32_t>{1, 1, 2});
  source.add<std::uint64_t>("event", std::vector<std::uint64_t>{11, 12, 13});
}

// The value in one event as text, "!" if it has no answer there.
std::string evaluate_at(const std::string& expression, std::size_t event) {
  MemorySource source;
  add_documented_columns(source);
  PlanBuilder builder(source.schema());
  builder.define("result", expression);
  WritingSink sink;
  builder.write(builder.select(kAllEntries, "entry_ == " + std::to_string(event)), {"result"}, sink);
  try {
    run(std::move(builder).build(), source, {});
  } catch (const EvaluationError&) {
    return "!";
  }
  return sink.columns.at(0).at(0);
}

std::string documented_type(const std::string& expression) {
  MemorySource source;
  add_documented_columns(source);
  return name_of(PlanBuilder(source.schema()).type_of_expression(expression));
}

struct Example {
  std::string expression;
  std::string type;
  std::vector<std::string> values;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The numbers of a value, and everything between them: "{{1, 2}, {}}" is 1, 2 and "{{,},{}}".
struct Parts {
  std::vector<double> numbers;
  std::string rest;
};

Parts parts_of(const std::string& value) {
  Parts parts;
  bool is_quoted = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    is_quoted ^= value[i] == '"';
    std::size_t length = 0;
    const bool may_be_number =
        !is_quoted && std::string_view("{,;( ").find(value[i]) == std::string_view::npos;
    try {
      if (may_be_number) parts.numbers.push_back(std::stod(value.substr(i), &length));
    } catch (const std::invalid_argument&) {
      length = 0;
    }
    if (length > 0)
      i += length - 1;
    else if (is_quoted || value[i] != ' ')
      parts.rest += value[i];
  }
  return parts;
}

// `expression -> type  value | value | value`, where two blanks end the type.
Example parse_example(const std::string& line) {
  Example example;
  const std::size_t arrow = line.find("->");
  example.expression = trimmed(line.substr(0, arrow));
  const std::string rest = trimmed(line.substr(arrow + 2));
  const std::size_t type_end = rest.find("  ");
  example.type = rest.substr(0, type_end);
  std::istringstream values(rest.substr(type_end));
  for (std::string value; std::getline(values, value, '|');) example.values.push_back(trimmed(value));
  return example;
}

std::vector<Example> examples() {
  std::ifstream page(SKIMLINE_SOURCE_DIR "/docs/expression-language.md");
  std::vector<Example> found;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```"))
      is_inside = line == "```expressions";
    else if (is_inside)
      found.push_back(parse_example(line));
  }
  return found;
}

// The page shows about seven digits.
void expect_same(const std::string& value, const std::string& shown, const std::string& where) {
  const Parts mine = parts_of(value), expected = parts_of(shown);
  EXPECT_EQ(mine.rest, expected.rest) << where;
  ASSERT_EQ(mine.numbers.size(), expected.numbers.size()) << where << ": " << value;
  for (std::size_t i = 0; i < mine.numbers.size(); ++i) {
    const double a = mine.numbers[i], b = expected.numbers[i];
    EXPECT_TRUE(a == b || std::abs(a - b) <= 1e-6 * (1 + std::abs(a)) || (std::isnan(a) && std::isnan(b)))
        << where << ": " << value << " instead of " << shown;
  }
}

TEST(Documentation, ExamplesGiveWhatTheyShow) {
  const std::vector<Example> all = examples();
  ASSERT_GT(all.size(), 150u);
  for (const Example& example : all) {
    EXPECT_EQ(documented_type(example.expression), example.type) << example.expression;
    ASSERT_EQ(example.values.size(), kEvents) << example.expression;
    for (std::size_t event = 0; event < kEvents; ++event)
      expect_same(evaluate_at(example.expression, event), example.values[event],
                  example.expression + ", event " + std::to_string(event));
  }
}

void add_calls(const Syntax& syntax, std::set<std::string>& names) {
  if (syntax.kind == SyntaxKind::kCall) names.insert(syntax.name);
  for (const SyntaxPointer& operand : syntax.operands) add_calls(*operand, names);
}

TEST(Documentation, HasAnExampleOfEveryFunction) {
  std::set<std::string> shown;
  for (const Example& example : examples()) add_calls(*parse(example.expression), shown);
  for (const std::string& name : function_names()) EXPECT_TRUE(shown.contains(name)) << name;
}

// Functions stand as `name(` in the tables of their chapter.
std::set<std::string> documented_functions() {
  std::ifstream page(SKIMLINE_SOURCE_DIR "/docs/expression-language.md");
  const std::regex call("`([A-Za-z_0-9:]+)\\(");
  std::set<std::string> names;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_inside = line == "## Functions";
    if (!is_inside || !line.starts_with("| ")) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), call), end; match != end; ++match)
      names.insert((*match)[1]);
  }
  return names;
}

TEST(Documentation, DescribesTheFunctionsThatExist) {
  const std::set<std::string> described = documented_functions();
  for (const std::string& name : function_names()) EXPECT_TRUE(described.contains(name)) << name;
  for (const std::string& name : root_function_names()) EXPECT_TRUE(described.contains(name)) << name;
  for (const std::string& name : described) EXPECT_TRUE(is_built_in_function(name)) << name;
}

}  // namespace
}  // namespace skimline
