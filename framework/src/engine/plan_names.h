// SPDX-License-Identifier: BSD-3-Clause
// What names in the expressions of a plan mean: at a point among its definitions, in a variation, for the
// entries of a selection.
#pragma once

#include "engine/defined_names.h"
#include "engine/selection_tree.h"
#include "expression/collections.h"
#include "expression/name_table.h"
#include "expression/syntax.h"
#include "expression/user_functions.h"

#include "skimline/framework/suggestion_limit.h"

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace skimline {

/// Gives a variable another value while it lives.
template <typename Value>
class Temporarily {
 public:
  Temporarily(Value& variable, Value value)
      : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Temporarily() { variable_ = std::move(before_); }
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;

 private:
  Value& variable_;
  Value before_;
};

/// What there is that names can mean. Schema and graph must outlive it.
struct KnownNames {
  const Schema& schema;
  Graph& graph;
  DefinedNames definitions{schema};
  UserFunctions functions{};
  Collections collections{};
  SelectionTree selections{};
  SuggestionLimit suggestions{};
  /// By variation and name what stands for it, definitions that follow included; the first is nominal.
  std::deque<std::map<std::string, NodeId>> variations{1};
};

class PlanNames : public NameTable {
 public:
  explicit PlanNames(KnownNames& known) : known_(known) {}

  /// Returns the value of an expression, for the entries of within().
  NodeId bind(std::string_view expression, VariationId variation = kNominal);
  /// The same where no entries are known.
  NodeId bind_type(std::string_view expression, VariationId variation = kNominal);
  /// As names were at a definition.
  NodeId bind_at(const Definition& definition, VariationId variation);
  /// The value of an expression that defines `name`, which is not suggested once it has failed.
  NodeId bind_definition(const std::string& name, std::string_view expression, VariationId variation);

  /// Of these entries expressions are, while it lives.
  Temporarily<SelectionId> within(SelectionId selection) { return {selection_, selection}; }

  /// Throws SchemaError for a name of nothing.
  NodeId node_of(std::string_view name);
  /// What was named since the last call, by way of objects too.
  std::set<std::string> take_mentioned() { return std::exchange(mentioned_, {}); }
  std::vector<ExpressionWarning> take_warnings() { return std::exchange(warnings_, {}); }

  std::optional<NodeId> find(std::string_view name) override;
  std::vector<std::string> candidates_for(std::string_view name) override;
  std::vector<std::string> matching(std::string_view pattern) const override;
  const Schema::Unusable* unusable_match(std::string_view pattern) const override;
  const UserFunctions& functions() const override { return known_.functions; }
  std::vector<std::string> function_candidates() override;
  void warn(ExpressionWarning warning) override;
  std::optional<std::vector<NodeId>> conditions() const override;
  std::vector<std::string_view> descriptions_of(std::size_t column) const override {
    const ColumnInfo& info = known_.schema[column];
    std::vector<std::string_view> descriptions{info.description};
    descriptions.insert(descriptions.end(), info.other_descriptions.begin(), info.other_descriptions.end());
    return descriptions;
  }
  std::optional<std::string> counted_member(std::string_view collection) const override {
    return known_.collections.counted_member(collection);
  }

 private:
  using Replaced = const std::map<std::string, NodeId>*;

  const Syntax& parsed(std::string_view expression);
  std::optional<NodeId> find_member(std::string_view name);
  std::optional<NodeId> built_in(std::string_view name);
  NodeId column_called(const std::string& name);
  void mention(const std::string& objects);
  bool is_made_later(const Definition& definition) const;

  KnownNames& known_;
  std::unordered_set<std::string> failed_;  // definitions with mistakes
  std::set<std::tuple<std::string, std::size_t, std::string>> warned_;
  std::vector<ExpressionWarning> warnings_;
  std::set<std::string> mentioned_;
  std::unordered_map<std::string, SyntaxPointer> parsed_;  // by expression: variations bind most of them anew

  // Of what is bound at the moment.
  static constexpr std::size_t kNow = ~std::size_t{0};
  std::size_t bound_at_ = kNow;  // behind how many definitions
  Replaced replaced_ = &known_.variations.front();
  SelectionId selection_ = kAllEntries;
  bool is_typing_ = false;
};

}  // namespace skimline
