// SPDX-License-Identifier: BSD-3-Clause
// What names mean where expressions are bound.
#pragma once

#include "expression/graph.h"
#include "expression/syntax.h"
#include "expression/user_functions.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// What names mean in an expression.
class NameTable {
 public:
  virtual ~NameTable() = default;
  virtual std::optional<NodeId> find(std::string_view name) = 0;
  /// The declaration of a variable or parameter; null for what else has a name.
  virtual const Declaration* declaration(std::string_view name) const {
    static_cast<void>(name);
    return nullptr;
  }
  /// What may be meant by a name that is none.
  virtual std::vector<std::string> candidates_for(std::string_view name) = 0;
  /// Names of columns that match a pattern with `*` and `?`, in order.
  virtual std::vector<std::string> matching(std::string_view pattern) const = 0;
  /// What matches a pattern, too, but can be no column; null if nothing does.
  virtual const Schema::Unusable* unusable_match(std::string_view pattern) const {
    static_cast<void>(pattern);
    return nullptr;
  }
  virtual const UserFunctions& functions() const = 0;
  /// Functions of the user that may be meant by a name that is none.
  virtual std::vector<std::string> function_candidates() = 0;
  virtual void warn(ExpressionWarning warning) = 0;
  /// Conditions that hold for all entries that the expression is evaluated for; nothing if it is not known
  /// yet which entries these are.
  virtual std::optional<std::vector<NodeId>> conditions() const = 0;
  /// What a column of the source says of itself, in each file that says something else.
  virtual std::vector<std::string_view> descriptions_of(std::size_t column) const {
    static_cast<void>(column);
    return {};
  }
  /// For the name of a collection, that of a list with as many elements; nothing if it is none.
  virtual std::optional<std::string> counted_member(std::string_view collection) const {
    static_cast<void>(collection);
    return std::nullopt;
  }
};

}  // namespace skimline
