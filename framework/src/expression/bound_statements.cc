// SPDX-License-Identifier: BSD-3-Clause
// Statements in the bodies of functions. Values of variables are bound where they get them, and evaluated
// where they are used.
#include "expression/binding.h"
#include "expression/casts.h"
#include "expression/conversions.h"
#include "expression/variable_names.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

namespace skimline {
namespace {

// What follows a choice of which one way returns is bound for both: more than this are refused.
constexpr std::size_t kMaxStatements = 20000;

bool has_return(const Syntax& statement) {
  if (statement.kind == SyntaxKind::kReturn) return true;
  const bool has_inner = statement.kind == SyntaxKind::kBlock || statement.kind == SyntaxKind::kIf;
  return has_inner && std::any_of(statement.operands.begin(), statement.operands.end(),
                                  [](const SyntaxPointer& inner) { return has_return(*inner); });
}

// Variables from outside of a statement that it gives values.
void add_assigned(const Syntax& statement, std::set<std::string>& names) {
  if (statement.kind == SyntaxKind::kAssignment) names.insert(statement.name);
  std::set<std::string> inner;
  if (statement.kind == SyntaxKind::kBlock || statement.kind == SyntaxKind::kIf)
    for (const SyntaxPointer& each : statement.operands) add_assigned(*each, inner);
  for (const Declaration& own : declared_in(statement)) inner.erase(own.name);
  names.merge(inner);
}

}  // namespace

NodeId Binder::returned(const StatementPlace& place) {
  const auto& statements = place.block->operands;
  if (place.number == statements.size()) return end_of(place);
  const Syntax& statement = *statements[place.number];
  if (++*num_statements_ > kMaxStatements)
    fail(statement.range,
         "there are more than " + std::to_string(kMaxStatements) + " statements on all ways together");
  if (level_ == kMaxLevels) fail(statement.range, "expression is nested too deeply");
  ++level_;
  const StatementPlace rest{place.block, place.number + 1, place.behind, place.outcome, place.outer};
  const NodeId value = returned(statement, rest);
  --level_;
  return value;
}

NodeId Binder::returned(const Syntax& statement, const StatementPlace& rest) {
  switch (statement.kind) {
    case SyntaxKind::kReturn:
      return bind(*statement.operands[0]);
    case SyntaxKind::kBlock:
      return returned(begin_of(statement, rest));
    case SyntaxKind::kVariable:
      return with_values({statement.declared[0]}, {value_of_variable(statement)}, rest);
    case SyntaxKind::kAssignment: {
      const NodeId value = value_of_assignment(statement);
      return with_values({*names_.declaration(statement.name)}, {value}, rest);
    }
    case SyntaxKind::kIf:
      return has_return(statement) ? returned_by_choice(statement, rest) : behind_choice(statement, rest);
    default:
      throw InternalError("an expression is no statement");
  }
}

// More than one way may lead here with the same variables.
NodeId Binder::returned_once(const StatementPlace& place) {
  if (place.outcome) return returned(place);
  const std::pair key(place.block, place.number);
  if (const auto known = returned_.find(key); known != returned_.end()) return known->second;
  const NodeId value = returned(place);
  returned_.emplace(key, value);
  return value;
}

Binder::StatementPlace Binder::begin_of(const Syntax& block, const StatementPlace& rest) {
  std::set<std::string> assigned;
  add_assigned(block, assigned);
  return {&block, 0, &rest, rest.outcome, assigned.empty() ? this : nullptr};
}

NodeId Binder::end_of(const StatementPlace& place) {
  if (place.behind) return (place.outer ? *place.outer : *this).returned_once(*place.behind);
  if (!place.outcome) throw InternalError("a body returns nothing");
  for (const std::string& name : place.outcome->names) place.outcome->values.push_back(*names_.find(name));
  return kNoNode;
}

NodeId Binder::returned_by_choice(const Syntax& statement, const StatementPlace& rest) {
  const NodeId condition = condition_of(statement);
  conditions_.push_back(condition);
  const NodeId first = returned(begin_of(*statement.operands[1], rest));
  const bool has_other = statement.operands.size() > 2;
  const NodeId second = has_other ? returned(begin_of(*statement.operands[2], rest)) : returned_once(rest);
  conditions_.pop_back();
  const std::size_t num_known = graph_.size();
  const NodeId value = choice(statement, condition, first, second);
  // What it is shown as has what follows too.
  const std::size_t begin = statement.range.offset;
  if (value >= num_known && shown_.empty())
    graph_.name(value, std::string(text_.substr(begin, rest.block->range.end() - begin)));
  return value;
}

// Each variable has the value of the way that was chosen.
NodeId Binder::behind_choice(const Syntax& statement, const StatementPlace& rest) {
  std::set<std::string> assigned;
  add_assigned(statement, assigned);
  const NodeId condition = condition_of(statement);
  Outcome before{{assigned.begin(), assigned.end()}, {}};
  std::vector<Declaration> declared;
  for (const std::string& name : before.names) {
    const Declaration* known = names_.declaration(name);
    if (!known) fail_assignment(name, statement.range);
    declared.push_back(*known);
    before.values.push_back(*names_.find(name));
  }
  const std::vector<NodeId> first = values_behind(condition, *statement.operands[1], before.names);
  const std::vector<NodeId> second = statement.operands.size() > 2
                                         ? values_behind(condition, *statement.operands[2], before.names)
                                         : before.values;
  std::vector<NodeId> values;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_unknown = first[i] == kNoNode || second[i] == kNoNode;
    values.push_back(is_unknown              ? kNoNode
                     : first[i] == second[i] ? first[i]
                                             : choice(statement, condition, first[i], second[i]));
  }
  return with_values(declared, values, rest);
}

std::vector<NodeId> Binder::values_behind(NodeId condition, const Syntax& block,
                                          const std::vector<std::string>& names) {
  Outcome outcome{names, {}};
  conditions_.push_back(condition);
  returned({&block, 0, nullptr, &outcome, nullptr});
  conditions_.pop_back();
  return std::move(outcome.values);
}

// In a lambda, those with a value for each element are beside its parameters.
NodeId Binder::with_values(const std::vector<Declaration>& declared, const std::vector<NodeId>& values,
                           const StatementPlace& rest) {
  const auto is_of_elements = [&](NodeId value) {
    return lambda_ && value != kNoNode && type(value).is_jagged();
  };
  std::deque<VariableNames> variables;
  NameTable* outer = lambda_ ? &lambda_->outer() : &names_;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_of_elements(values[i])) outer = &variables.emplace_back(declared[i], values[i], *outer);
  std::optional<LambdaNames> elements;
  if (lambda_) elements.emplace(*lambda_, *outer);
  for (std::size_t i = 0; i < values.size() && elements; ++i)
    if (is_of_elements(values[i]))
      elements->add(declared[i], values[i]);
    else
      elements->remove(declared[i].name);
  Binder binder(text_, elements ? *elements : *outer, *this);
  binder.lambda_ = elements ? &*elements : nullptr;
  return binder.returned(rest);
}

NodeId Binder::value_of_variable(const Syntax& syntax) {
  if (syntax.operands.empty()) return kNoNode;
  const Declaration& declared = syntax.declared[0];
  const Syntax& initial = *syntax.operands[0];
  const NodeId value = bind(initial);
  if (is_list(value) && cast_target(declared.type) && !is_list_cast(declared.type))
    fail(initial.range, "expected a number for \"" + declared.name + "\", found " + type_name(value));
  return as_declared(value, declared, initial);
}

// A variable keeps its type, also where that is the one of its first value.
NodeId Binder::value_of_assignment(const Syntax& syntax) {
  const Declaration* declared = names_.declaration(syntax.name);
  if (!declared) fail_assignment(syntax.name, syntax.name_range);
  const Syntax& given = *syntax.operands[0];
  const NodeId value = bind(given), old = *names_.find(syntax.name);
  const bool is_list_wanted = old == kNoNode ? is_list_cast(declared->type) : is_list(old);
  const bool is_text = !is_number(type(value).scalar);
  if (is_list(value) != is_list_wanted ||
      (is_text && old != kNoNode && type(value).scalar != type(old).scalar))
    fail(given.range, "\"" + syntax.name + "\" is " + (old == kNoNode ? declared->type : type_name(old)) +
                          " and gets " + type_name(value));
  if (!declared->type.empty() || is_text || old == kNoNode) return as_declared(value, *declared, given);
  warn_of_converted_difference(value, type(old).scalar, given, given.range);
  return convert(value, type(old).scalar, graph_);
}

void Binder::fail_assignment(const std::string& name, TextRange range) const {
  fail(range, "\"" + name + "\" is no variable that could get a value; to compare, write \"==\"");
}

// What is of numbers takes lists of them too, element by element.
NodeId Binder::as_declared(NodeId value, const Declaration& declared, const Syntax& syntax) {
  const std::optional<ScalarType> scalar = cast_target(declared.type);
  if (!scalar) return value;
  const bool is_of_lists = is_list_cast(declared.type);
  if (!is_number(type(value).scalar) || (is_of_lists && !is_list(value)))
    fail(syntax.range, "expected " + std::string(is_of_lists ? "a list of numbers" : "a number") + " for \"" +
                           declared.name + "\", found " + type_name(value));
  warn_of_converted_difference(value, *scalar, syntax, syntax.range);
  return convert(value, *scalar, graph_);
}

}  // namespace skimline
