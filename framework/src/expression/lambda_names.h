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
  /// The list is the first one of those that the parameters stand for elements of.
  LambdaNames(NodeId list, NameTable& outer) : InnerNames(outer), list_(list) {}
  /// The parameters and variables of others, with other names outside.
  LambdaNames(const LambdaNames& others, NameTable& outer)
      : InnerNames(outer), list_(others.list_), elements_(others.elements_) {}

  void add(Declaration declared, NodeId list) {
    remove(declared.name);
    elements_.emplace_back(std::move(declared), list);
  }
  /// Of a variable that has got a value that is no element.
  void remove(std::string_view name) {
    std::erase_if(elements_, [&](const auto& each) { return each.first.name == name; });
  }

  NodeId list() const { return list_; }

  bool mentions(const Syntax& syntax) const {
    const bool is_name = syntax.kind == SyntaxKind::kName || syntax.kind == SyntaxKind::kAssignment;
    if (is_name && !syntax.is_quoted && declared(syntax.name)) return true;
    return std::any_of(syntax.operands.begin(), syntax.operands.end(),
                       [&](const SyntaxPointer& operand) { return mentions(*operand); });
  }

  const Declaration* declaration(std::string_view name) const override {
    const auto* found = declared(name);
    return found ? &found->first : outer().declaration(name);
  }
  std::optional<NodeId> find(std::string_view name) override {
    const auto* found = declared(name);
    return found ? std::optional(found->second) : outer().find(name);
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
  const std::pair<Declaration, NodeId>* declared(std::string_view name) const {
    const auto found = std::find_if(elements_.begin(), elements_.end(),
                                    [&](const auto& each) { return each.first.name == name; });
    return found == elements_.end() ? nullptr : &*found;
  }

  NodeId list_;
  std::vector<std::pair<Declaration, NodeId>> elements_;
};

}  // namespace skimline
