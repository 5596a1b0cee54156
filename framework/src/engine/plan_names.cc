// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan_names.h"

#include "expression/binder.h"

#include "skimline/framework/column_name.h"

#include <algorithm>

namespace skimline {
namespace {

// Whether a name fits a pattern, in which a dot is an underscore, as in names.
auto fits(std::string_view pattern) {
  return [pattern, is_literal = quoted_name(pattern).has_value(),
          spelled = with_underscores(pattern)](const std::string& name) {
    return is_literal ? matches_pattern(name, pattern) : matches_pattern(with_underscores(name), spelled);
  };
}

}  // namespace

NodeId PlanNames::bind(std::string_view expression, VariationId variation) {
  const Temporarily<Replaced> names(replaced_, &known_.variations.at(variation.index));
  return bind_parsed(parsed(expression), expression, *this, known_.graph);
}

const Syntax& PlanNames::parsed(std::string_view expression) {
  std::string text(expression);
  const auto known = parsed_.find(text);
  if (known != parsed_.end()) return *known->second;
  return *parsed_.emplace(std::move(text), parse(expression)).first->second;
}

NodeId PlanNames::bind_type(std::string_view expression, VariationId variation) {
  const Temporarily is_typing(is_typing_, true);
  return bind(expression, variation);
}

NodeId PlanNames::bind_at(const Definition& definition, VariationId variation) {
  const Temporarily at(bound_at_, definition.order);
  return bind(definition.expression, variation);
}

NodeId PlanNames::bind_definition(const std::string& name, std::string_view expression,
                                  VariationId variation) {
  failed_.insert(name);
  const NodeId node = bind(expression, variation);
  failed_.erase(name);
  return node;
}

NodeId PlanNames::node_of(std::string_view name) {
  if (const std::optional<NodeId> node = find(name)) return *node;
  throw known_.definitions.unknown(name);
}

std::optional<NodeId> PlanNames::find(std::string_view name) {
  std::optional<std::string> known = known_.definitions.known_name(name);
  if (!known) return find_member(name);
  const Definition* definition = known_.definitions.find(*known);
  if (definition && is_made_later(*definition)) {
    if (definition->original.empty()) return find_member(name);
    known = definition->original;
    definition = known_.definitions.find(*known);
  }
  mentioned_.insert(*known);
  if (const auto replaced = replaced_->find(*known); replaced != replaced_->end()) return replaced->second;
  return definition ? definition->node : column_called(*known);
}

NodeId PlanNames::column_called(const std::string& name) {
  const std::size_t column = known_.schema.find(name).value();
  Node node;
  node.kind = NodeKind::kColumn;
  node.type = known_.schema[column].type;
  node.column = column;
  node.text = in_expression(known_.schema[column].name);
  return known_.graph.add(std::move(node));
}

// Objects count as used by those that use a member.
std::optional<NodeId> PlanNames::find_member(std::string_view name) {
  if (known_.schema.is_withheld(name)) return built_in(name);  // as a member it would be another column
  const auto found = known_.collections.find(name, *this, known_.graph);
  if (!found) return built_in(name);
  mention(found->objects.empty() ? std::string(name) : found->objects);
  return found->values;
}

void PlanNames::mention(const std::string& objects) {
  if (!mentioned_.insert(objects).second) return;
  for (const std::string& source : known_.collections.sources_of(objects)) mention(source);
}

std::optional<NodeId> PlanNames::built_in(std::string_view name) {
  Node node;
  node.text = name;
  if (name == "entry_" || name == "rdfentry_") {
    node.kind = NodeKind::kEntry;
    node.type = flat(ScalarType::kUInt64);
  } else if (name == "file_") {
    node.kind = NodeKind::kFile;
    node.type = flat(ScalarType::kString);
  } else {
    return std::nullopt;
  }
  return known_.graph.add(std::move(node));
}

// Also by what is bound at the moment.
bool PlanNames::is_made_later(const Definition& definition) const { return definition.order >= bound_at_; }

// What failed was meant, and is not here.
std::vector<std::string> PlanNames::candidates_for(std::string_view name) {
  if (failed_.contains(std::string(name)) || !known_.suggestions.take()) return {};
  std::vector<std::string> all = known_.definitions.all(), members = known_.collections.names();
  all.insert(all.end(), members.begin(), members.end());
  return all;
}

std::vector<std::string> PlanNames::matching(std::string_view pattern) const {
  const Schema& schema = known_.schema;
  const auto is_wanted = fits(pattern);
  std::set<std::size_t> columns;
  for (std::size_t i = 0; i < schema.size(); ++i)
    if (is_wanted(schema[i].name)) columns.insert(i);
  for (const Schema::Alias& alias : schema.aliases())
    if (is_wanted(alias.name)) columns.insert(alias.column);
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(schema[column].name);
  return names;
}

const Schema::Unusable* PlanNames::unusable_match(std::string_view pattern) const {
  const auto is_wanted = fits(pattern);
  const std::vector<Schema::Unusable>& unusable = known_.schema.unusable();
  const auto found =
      std::find_if(unusable.begin(), unusable.end(), [&](const auto& each) { return is_wanted(each.name); });
  return found == unusable.end() ? nullptr : &*found;
}

std::vector<std::string> PlanNames::function_candidates() {
  return known_.suggestions.take() ? known_.functions.names() : std::vector<std::string>();
}

void PlanNames::warn(ExpressionWarning warning) {
  if (warned_.emplace(warning.text, warning.offset, warning.message).second)
    warnings_.push_back(std::move(warning));
}

std::optional<std::vector<NodeId>> PlanNames::conditions() const {
  if (is_typing_) return std::nullopt;
  return known_.selections.conditions(selection_);
}

}  // namespace skimline
