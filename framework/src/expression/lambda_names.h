// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the body of a lambda.
#pragma once

#include "expression/inner_names.h"
#include "expression/syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// The parameters of a lambda, which stand for the elements of lists, and variables with a value for each
/// element. What mentions none of them is an expression of the names outside.
class LambdaNames : public InnerNames {
 public:
  explicit LambdaNames(NameTable& outer) : InnerNames(outer) {}
  /// The parameters and variables of others, with other names outside.
  LambdaNames(const LambdaNames& others, NameTable& outer)
      : InnerNames(outer), parameters_(others.parameters_) {}

  void add(std::string name, NodeId list) { parameters_.emplace_back(std::move(name), list); }

  /// The first of those that the parameters stand for elements of.
  NodeId list() const { return parameters_.front().second; }

  bool mentions(const Syntax& syntax) const {
    if (syntax.kind == SyntaxKind::kName && !syntax.is_quoted && has(syntax.name)) return true;
    return std::any_of(syntax.operands.begin(), syntax.operands.end(),
                       [&](const SyntaxPointer& operand) { return mentions(*operand); });
  }

  std::optional<NodeId> find(std::string_view name) override {
    for (const auto& [known, list] : parameters_)
      if (known == name) return list;
    return outer().find(name);
  }
  std::vector<std::string> candidates_for(std::string_view name) override {
    return outer().candidates_for(name);
  }
  std::vector<std::string> matching(std::string_view pattern) const override {
    return outer().matching(pattern);
  }
  const Schema::Unusable* unusable_match(std::string_view pattern) const override {
    return outer().unusable_match(pattern);
  }

 private:
  bool has(std::string_view name) const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [&](const auto& each) { return each.first == name; });
  }

  std::vector<std::pair<std::string, NodeId>> parameters_;
};

}  // namespace skimline
