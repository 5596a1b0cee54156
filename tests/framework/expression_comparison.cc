// SPDX-License-Identifier: BSD-3-Clause
// Runs a case through both evaluators.
#include "engine_run.h"
#include "expression_case.h"
#include "expression_generator.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <map>
#include <optional>

namespace skimline::testing {
namespace {

// What the naive evaluator says of a case.
struct Expected {
  std::vector<ValueRows> outputs;  ///< of the entries that have answers, each with its number in front
  std::vector<Type> types;         ///< of the definitions
  std::vector<bool> ok;            ///< by entry
  std::optional<std::size_t> first_fault;
  std::set<std::string> problems;  ///< of that entry
  /// The first that has no answer or is left out, by the order in which its conditions are asked for.
  std::optional<std::size_t> first_doubtful;
  std::size_t num_faults = 0;
  bool is_refused = false;
  std::string refusal;
};

// "int8_t" of "128 would become -128 beside a list of std::int8_t: ..."; empty for other problems.
std::string type_that_changes(const std::string& problem) {
  constexpr std::string_view kBefore = " beside a list of ";
  const std::size_t found = problem.find(kBefore);
  if (problem.find(" would become ") == std::string::npos || found == std::string::npos) return "";
  const std::size_t begin = found + kBefore.size();
  const std::string type = problem.substr(begin, problem.find(": ", begin) - begin);
  return type.starts_with("std::") ? type.substr(5) : type;
}

class NaiveRun {
 public:
  explicit NaiveRun(const ExpressionCase& tried) : case_(tried), columns_(columns_of(tried)) {
    for (const auto& [signature, body] : ExpressionGenerator::user_functions())
      evaluator_.define_function({signature, body});
    for (const auto& definition : tried.definitions)
      evaluator_.define(definition.name, definition.expression);
    expected_.outputs.resize(tried.outputs.size());
  }

  /// Whether the engine may refuse this part of an expression: it has no answer in any entry, is an index
  /// that no list has, or a number that the type of a list does not hold.
  bool may_be_refused(const ExpressionError& error) {
    const std::string expression = error.text().substr(error.offset(), error.length());
    if (const std::string type = type_that_changes(error.problem()); !type.empty())
      return is_always_changed(evaluator_, expression, type, columns_);
    const bool is_index = error.problem().starts_with("elements are counted from 0");
    return is_index ? is_always_negative(evaluator_, expression, columns_)
                    : has_no_answer(evaluator_, expression, columns_);
  }

  Expected run() {
    try {
      find_types();
      for (std::size_t number = 0; number < columns_.num_entries(); ++number) evaluate(number);
    } catch (const NaiveRefusal& refusal) {
      expected_.is_refused = true;
      expected_.refusal = refusal.what();
    }
    return std::move(expected_);
  }

 private:
  void find_types() {
    const auto entry = columns_.entry(0);
    for (const auto& definition : case_.definitions)
      expected_.types.push_back(evaluator_.type_of(definition.expression, *entry));
    for (const auto& selection : case_.selections) {
      const Type type = evaluator_.type_of(selection.expression, *entry);
      if (type.depth > 0 || !is_integer(type.scalar)) throw NaiveRefusal("not a selection");
    }
  }

  void evaluate(std::size_t number) {
    const auto entry = columns_.entry(number);
    std::set<std::string> problems;
    const auto value_of = [&](const std::string& expression) -> std::optional<Value> {
      NaiveContext context;
      try {
        return evaluator_.evaluate(expression, *entry, context);
      } catch (const NaiveFault& fault) {
        problems.insert(fault.problems.begin(), fault.problems.end());
        return std::nullopt;
      }
    };
    std::vector<bool> selected{true};
    for (const auto& selection : case_.selections) {
      bool passes = selected[selection.parent];
      if (passes) {
        const auto value = value_of("bool(" + selection.expression + ")");
        passes = value && std::get<bool>(value->scalar);
        if (!value && !expected_.first_doubtful &&
            evaluator_.has_false_condition(selection.expression, *entry))
          expected_.first_doubtful = number;
      }
      selected.push_back(passes);
    }
    std::vector<std::vector<Value>> rows(case_.outputs.size());
    std::map<std::string, std::optional<Value>> values;
    for (std::size_t i = 0; i < case_.outputs.size(); ++i) {
      if (!selected[case_.outputs[i].selection]) continue;
      rows[i].push_back(flat_value(static_cast<std::uint64_t>(number)));
      for (const std::string& name : case_.outputs[i].names) {
        if (!values.contains(name)) values[name] = value_of(name);
        if (values[name]) rows[i].push_back(*values[name]);
      }
    }
    expected_.ok.push_back(problems.empty());
    if (!problems.empty()) return add_fault(number, problems);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows[i].empty()) expected_.outputs[i].push_back(std::move(rows[i]));
  }

  void add_fault(std::size_t number, const std::set<std::string>& problems) {
    ++expected_.num_faults;
    if (expected_.first_fault) return;
    expected_.first_fault = number;
    expected_.problems = problems;
  }

  const ExpressionCase& case_;
  const RandomColumns& columns_;
  NaiveEvaluator evaluator_;
  Expected expected_;
};

Difference difference_of_faults(const ExpressionCase& tried, const Expected& expected) {
  EngineRun engine(columns_of(tried), tried, expected.ok, EngineRun::Entries::kAll);
  const std::string wanted =
      *expected.problems.begin() + " at entry " + std::to_string(*expected.first_fault);
  try {
    engine.run(tried.threads);
  } catch (const EvaluationError& error) {
    const std::string message = error.what();
    // The engine puts numbers around some of them.
    const auto is_said = [&](const std::string& problem) {
      return message.find(problem) != std::string::npos;
    };
    if (error.entry() == *expected.first_fault &&
        std::any_of(expected.problems.begin(), expected.problems.end(), is_said))
      return {};
    return {DifferenceKind::kFault, "the engine says: " + message + "; expected: " + wanted};
  }
  return {DifferenceKind::kFault, "the engine finds no fault; expected: " + wanted};
}

Difference difference_of_rows(const ValueRows& ours, const ValueRows& theirs,
                              const ExpressionCase::Output& output) {
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    for (std::size_t c = 0; c < ours[i].size(); ++c) {
      if (are_same(ours[i][c], theirs[i][c])) continue;
      const std::string name = c == 0 ? "entry_" : output.names[c - 1];
      return {DifferenceKind::kValue, name + " in entry " + text_of(theirs[i][0]) + ": the engine says " +
                                          text_of(ours[i][c]) + ", expected " + text_of(theirs[i][c])};
    }
  }
  if (ours.size() == theirs.size()) return {};
  return {DifferenceKind::kValue, "the engine selects " + std::to_string(ours.size()) +
                                      " entries, expected " + std::to_string(theirs.size())};
}

Difference difference_of_values(const ExpressionCase& tried, const Expected& expected) {
  const auto entries = expected.num_faults > 0 ? EngineRun::Entries::kOk : EngineRun::Entries::kAll;
  EngineRun engine(columns_of(tried), tried, expected.ok, entries);
  for (std::size_t i = 0; i < tried.definitions.size(); ++i)
    if (engine.types()[i] != expected.types[i])
      return {DifferenceKind::kType, tried.definitions[i].name + " is " + name_of(engine.types()[i]) +
                                         ", expected " + name_of(expected.types[i])};
  engine.run(tried.threads);
  for (std::size_t i = 0; i < tried.outputs.size(); ++i) {
    const Difference found = difference_of_rows(engine.rows(i), expected.outputs[i], tried.outputs[i]);
    if (found.kind != DifferenceKind::kNone) return found;
  }
  return {};
}

}  // namespace

Comparison compare(const ExpressionCase& tried) {
  Comparison result;
  Expected expected;
  NaiveRun naive(tried);
  try {
    expected = naive.run();
    result.num_faults = expected.num_faults;
    for (const auto& rows : expected.outputs)
      for (const auto& row : rows) result.num_values += row.size() - 1;
    if (expected.is_refused) {  // nothing is known that could be compared
      const EngineRun accepted(columns_of(tried), tried, expected.ok, EngineRun::Entries::kAll);
      result.difference = {DifferenceKind::kRefused,
                           "the engine accepts what makes no sense: " + expected.refusal};
      return result;
    }
    result.difference = difference_of_values(tried, expected);
    const bool is_certain = expected.first_fault && expected.first_doubtful != expected.first_fault;
    if (result.difference.kind == DifferenceKind::kNone && is_certain)
      result.difference = difference_of_faults(tried, expected);
  } catch (const ExpressionError& error) {
    result.is_refused = expected.is_refused || naive.may_be_refused(error);
    if (!result.is_refused)
      result.difference = {DifferenceKind::kRefused, std::string("the engine refuses it: ") + error.what()};
  } catch (const std::exception& error) {
    result.difference = {DifferenceKind::kCrash, error.what()};
  }
  return result;
}

}  // namespace skimline::testing
