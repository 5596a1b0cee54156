// SPDX-License-Identifier: BSD-3-Clause
#include "expression_case.h"

#include "expression_generator.h"

#include <istream>
#include <sstream>

namespace skimline::testing {
namespace {

// The parser refuses the longest; values of definitions make them long in a few steps.
std::string short_expression(ExpressionGenerator& generator) {
  constexpr std::size_t kMaxLength = 4000;
  for (;;)
    if (std::string expression = generator.expression(); expression.size() <= kMaxLength) return expression;
}

}  // namespace

ExpressionCase random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed * 7919);
  ExpressionCase made;
  // Columns are the costly part: many cases share them.
  made.columns_seed = seed / 64;
  if (random() % 2000 == 0) {
    // More than one batch in a slice.
    made.num_entries = 5000;
    made.slice_entries = 4500;
  } else {
    const std::uint64_t slices[] = {1, 7, 16, 64};
    made.slice_entries = slices[random() % std::size(slices)];
  }
  made.threads = random() % 4 == 0 ? 2 : 1;

  const RandomColumns types(1, 1);
  NaiveEvaluator evaluator;
  for (const auto& [signature, body] : ExpressionGenerator::user_functions())
    evaluator.define_function({signature, body});
  ExpressionGenerator generator(seed, {});
  std::vector<std::string> names;
  const std::size_t num_definitions = 1 + random() % 3;
  for (std::size_t i = 0; i < num_definitions; ++i) {
    const std::string name = "e" + std::to_string(i);
    made.definitions.push_back({name, short_expression(generator)});
    names.push_back(name);
    evaluator.define(name, made.definitions.back().expression);
    try {
      generator.add_name(name, evaluator.type_of(name, *types.entry(0)));
    } catch (const NaiveRefusal&) {
      // The comparison will tell whether the engine refuses it too.
    }
  }
  const std::size_t num_selections = random() % 3;
  for (std::size_t i = 0; i < num_selections; ++i)
    made.selections.push_back({random() % (i + 1), generator.condition()});
  made.outputs.push_back({random() % (num_selections + 1), names});
  if (random() % 2 == 0)
    made.outputs.push_back({random() % (num_selections + 1), {names[random() % names.size()]}});
  return made;
}

std::string text_of(const ExpressionCase& shown) {
  std::ostringstream text;
  text << "columns " << shown.columns_seed << "\nentries " << shown.num_entries << "\nslice "
       << shown.slice_entries << "\nthreads " << shown.threads << "\n";
  for (const auto& definition : shown.definitions)
    text << "define " << definition.name << " " << definition.expression << "\n";
  for (const auto& selection : shown.selections)
    text << "select " << selection.parent << " " << selection.expression << "\n";
  for (const auto& output : shown.outputs) {
    text << "write " << output.selection;
    for (const std::string& name : output.names) text << " " << name;
    text << "\n";
  }
  return text.str();
}

ExpressionCase read_case(std::istream& input) {
  ExpressionCase made;
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    std::string key, rest;
    words >> key;
    if (key == "columns") words >> made.columns_seed;
    if (key == "entries") words >> made.num_entries;
    if (key == "slice") words >> made.slice_entries;
    if (key == "threads") words >> made.threads;
    if (key == "define") {
      made.definitions.emplace_back();
      words >> made.definitions.back().name >> std::ws;
      std::getline(words, made.definitions.back().expression);
    } else if (key == "select") {
      made.selections.emplace_back();
      words >> made.selections.back().parent >> std::ws;
      std::getline(words, made.selections.back().expression);
    } else if (key == "write") {
      made.outputs.emplace_back();
      words >> made.outputs.back().selection;
      for (std::string name; words >> name;) made.outputs.back().names.push_back(name);
    }
  }
  return made;
}

}  // namespace skimline::testing
