// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the body of a lambda.
#pragma once

#include "expression/name_table.h"
#include "expression/syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// The parameters of a lambda, which stand for the elements of lists. What mentions none of them is an
/// expression of the names outside.
class LambdaNames : public NameTable {
 public:
  explicit LambdaNames(NameTable& outer) : outer_(outer) {}

  void add(std::string name, NodeId list) { parameters_.emplace_back(std::move(name), list); }

  NameTable& outer() const { return outer_; }
  bool mentions(const Syntax& syntax) const {
    if (syntax.kind == SyntaxKind::kName && !syntax.is_quoted && has(syntax.name)) return true;
    return std::any_of(syntax.operands.begin(), syntax.operands.end(),
                       [&](const SyntaxPointer& operand) { return mentions(*operand); });
  }

  std::optional<NodeId> find(std::string_view name) override {
    for (const auto& [known, list] : parameters_)
      if (known == name) return list;
    return outer_.find(name);
  }
  std::vector<std::string> candidates_for(std::string_view name) override {
    return outer_.candidates_for(name);
  }
  std::vector<std::string> matching(std::string_view pattern) const override {
    return outer_.matching(pattern);
  }
  const UserFunctions& functions() const override { return outer_.functions(); }
  std::string_view description_of(std::size_t column) const override { return outer_.description_of(column); }
  void warn(ExpressionWarning warning) override { outer_.warn(std::move(warning)); }
  std::optional<std::vector<NodeId>> conditions() const override { return outer_.conditions(); }

 private:
  bool has(std::string_view name) const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [&](const auto& each) { return each.first == name; });
  }

  NameTable& outer_;
  std::vector<std::pair<std::string, NodeId>> parameters_;
};

}  // namespace skimline
