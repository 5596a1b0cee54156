// SPDX-License-Identifier: BSD-3-Clause
// Runs every example of docs/expression-language.md.
#include "memory_source.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

namespace skimline {
namespace {

using testing::CollectingSink;
using testing::MemorySource;
using Row = std::vector<double>;

constexpr std::size_t kEvents = 3;

void add_columns(MemorySource& source) {
  using Floats = std::vector<std::vector<float>>;
  source.add<std::uint32_t>("nMuon", std::vector<std::uint32_t>{0, 2, 3});
  source.add<float>("Muon_pt", Floats{{}, {40, 25}, {50, 8, 30}});
  source.add<float>("Muon_eta", Floats{{}, {.5f, -2.5f}, {1, 2, -1}});
  source.add<float>("Muon_phi", Floats{{}, {0, 3}, {1, -3, 3}});
  source.add<float>("Muon_mass", Floats{{}, {.1f, .1f}, {.1f, .1f, .1f}});
  source.add<std::int32_t>("Muon_charge", std::vector<std::vector<std::int32_t>>{{}, {1, -1}, {1, 1, -1}});
  source.add<bool>("Muon_tightId", std::vector<std::vector<bool>>{{}, {true, false}, {true, true, false}});
  source.add<float>("MET_pt", std::vector<float>{10, 32.5f, 7});
  source.add<std::int32_t>("run", std::vector<std::int32_t>{1, 1, 2});
  source.add<std::uint32_t>("event", std::vector<std::uint32_t>{0, 1, 2});
}

// The value in one event; nothing if it has no answer there.
std::optional<Row> evaluate(const std::string& expression, std::size_t event) {
  MemorySource source;
  add_columns(source);
  PlanBuilder builder(source.schema());
  builder.define("result", expression);
  CollectingSink sink;
  builder.write(builder.select(kAllEntries, "event == " + std::to_string(event)), {"result"}, sink);
  try {
    run(std::move(builder).build(), source, {});
  } catch (const EvaluationError&) {
    return std::nullopt;
  }
  return sink.columns.at(0).at(0);
}

std::string type_of(const std::string& expression) {
  MemorySource source;
  add_columns(source);
  return name_of(PlanBuilder(source.schema()).type_of_expression(expression));
}

struct Example {
  std::string expression;
  std::string type;
  std::vector<std::optional<Row>> values;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<Row> parse_value(std::string text) {
  if (trimmed(text) == "!") return std::nullopt;
  for (char& letter : text)
    if (letter == '{' || letter == '}' || letter == ',') letter = ' ';
  std::istringstream words(text);
  Row row;
  for (double value; words >> value;) row.push_back(value);
  return row;
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
  for (std::string value; std::getline(values, value, '|');) example.values.push_back(parse_value(value));
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

TEST(Documentation, ExamplesGiveWhatTheyShow) {
  const std::vector<Example> all = examples();
  ASSERT_GT(all.size(), 30u);
  for (const Example& example : all) {
    EXPECT_EQ(type_of(example.expression), example.type) << example.expression;
    ASSERT_EQ(example.values.size(), kEvents) << example.expression;
    for (std::size_t event = 0; event < kEvents; ++event) {
      const std::optional<Row> value = evaluate(example.expression, event);
      ASSERT_EQ(value.has_value(), example.values[event].has_value())
          << example.expression << ", event " << event;
      if (!value) continue;
      ASSERT_EQ(value->size(), example.values[event]->size()) << example.expression << ", event " << event;
      // The page shows about seven digits.
      for (std::size_t i = 0; i < value->size(); ++i)
        EXPECT_NEAR((*value)[i], (*example.values[event])[i], 1e-6 * (1 + std::abs((*value)[i])))
            << example.expression << ", event " << event;
    }
  }
}

}  // namespace
}  // namespace skimline
