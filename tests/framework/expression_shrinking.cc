// SPDX-License-Identifier: BSD-3-Clause
// Makes a case that shows a difference smaller, part by part, as long as it still shows one.
#include "expression/syntax.h"
#include "expression_case.h"

#include <algorithm>

namespace skimline::testing {
namespace {

std::string part_of(const std::string& text, TextRange range) {
  return text.substr(range.offset, range.length);
}

// Texts with one part of an expression replaced by one of its operands, or by a column.
void add_smaller_texts(const std::string& text, const Syntax& syntax, std::vector<std::string>& smaller) {
  const auto with = [&](const std::string& replacement) {
    std::string changed = text;
    changed.replace(syntax.range.offset, syntax.range.length, replacement);
    if (changed.size() < text.size()) smaller.push_back(changed);
  };
  for (const auto& operand : syntax.operands) {
    with(part_of(text, operand->range));
    with("(" + part_of(text, operand->range) + ")");
  }
  if (!syntax.operands.empty())
    for (const char* leaf : {"1", "k", "f", "a_f", "h_f"}) with(leaf);
  for (const auto& operand : syntax.operands) add_smaller_texts(text, *operand, smaller);
}

std::vector<std::string> smaller_texts(const std::string& text) {
  std::vector<std::string> smaller;
  add_smaller_texts(text, *parse(text), smaller);
  return smaller;
}

template <typename Parts>
void add_without_each(const ExpressionCase& whole, Parts ExpressionCase::*parts,
                      std::vector<ExpressionCase>& smaller) {
  for (std::size_t i = 0; i < (whole.*parts).size(); ++i) {
    ExpressionCase made = whole;
    (made.*parts).erase((made.*parts).begin() + static_cast<std::ptrdiff_t>(i));
    smaller.push_back(std::move(made));
  }
}

std::vector<ExpressionCase> smaller_cases(const ExpressionCase& whole) {
  std::vector<ExpressionCase> smaller;
  if (whole.threads > 1) smaller.push_back(whole), smaller.back().threads = 1;
  if (whole.outputs.size() > 1) add_without_each(whole, &ExpressionCase::outputs, smaller);
  for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
    for (std::size_t n = 0; whole.outputs[i].names.size() > 1 && n < whole.outputs[i].names.size(); ++n) {
      smaller.push_back(whole);
      auto& names = smaller.back().outputs[i].names;
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(n));
    }
    if (whole.outputs[i].selection > 0) smaller.push_back(whole), smaller.back().outputs[i].selection = 0;
  }
  add_without_each(whole, &ExpressionCase::definitions, smaller);
  if (!whole.selections.empty()) smaller.push_back(whole), smaller.back().selections.pop_back();
  for (std::size_t i = 0; i < whole.definitions.size(); ++i)
    for (const std::string& text : smaller_texts(whole.definitions[i].expression))
      smaller.push_back(whole), smaller.back().definitions[i].expression = text;
  for (std::size_t i = 0; i < whole.selections.size(); ++i)
    for (const std::string& text : smaller_texts(whole.selections[i].expression))
      smaller.push_back(whole), smaller.back().selections[i].expression = text;
  return smaller;
}

bool is_sound(const ExpressionCase& tried) {
  for (const auto& output : tried.outputs)
    if (output.selection > tried.selections.size()) return false;
  for (const auto& output : tried.outputs)
    for (const std::string& name : output.names)
      if (std::none_of(tried.definitions.begin(), tried.definitions.end(),
                       [&](const auto& definition) { return definition.name == name; }))
        return false;
  return true;
}

}  // namespace

ExpressionCase shrunk(const ExpressionCase& tried, DifferenceKind kind) {
  ExpressionCase best = tried;
  bool is_smaller = true;
  for (int round = 0; is_smaller && round < 200; ++round) {
    is_smaller = false;
    for (ExpressionCase& candidate : smaller_cases(best)) {
      if (!is_sound(candidate) || compare(candidate).difference.kind != kind) continue;
      best = std::move(candidate);
      is_smaller = true;
      break;
    }
  }
  return best;
}

}  // namespace skimline::testing
