// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan_builder.h"

#include <utility>

namespace skimline {

Plan::Plan(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

const std::vector<std::string>& Plan::columns_read() const { return program_->columns_read; }

PlanBuilder::PlanBuilder(const Schema& schema, StoredBytes stored_bytes)
    : implementation_(std::make_unique<Implementation>(schema, std::move(stored_bytes))) {}
PlanBuilder::~PlanBuilder() = default;
PlanBuilder::PlanBuilder(PlanBuilder&&) noexcept = default;
PlanBuilder& PlanBuilder::operator=(PlanBuilder&&) noexcept = default;

void PlanBuilder::define(const std::string& name, std::string_view expression, VariationId variation) {
  implementation_->define(name, expression, variation);
}

void PlanBuilder::add_collection(MemberColumns collection) {
  implementation_->add_collection(std::move(collection));
}

bool PlanBuilder::has_collection(const std::string& name) const {
  return implementation_->counted_member(name).has_value();
}

std::string PlanBuilder::collection_of(const VariedExpression& expression) {
  return implementation_->collection_of(expression);
}

void PlanBuilder::define_objects(const ObjectDefinition& objects) {
  implementation_->define_objects(objects);
}

void PlanBuilder::check_objects(const std::string& name) { implementation_->check_objects(name); }

void PlanBuilder::redefine(const std::string& name, const std::string& original,
                           std::string_view expression) {
  implementation_->redefine(name, original, expression);
}

void PlanBuilder::define_constant(const std::string& name, const ConstantValue& value) {
  implementation_->define_constant(name, value);
}

void PlanBuilder::define_function(std::string_view signature, std::string_view body) {
  implementation_->define_function(signature, body);
}

void PlanBuilder::define_ranges(const std::string& name, const RangesByKey& ranges) {
  implementation_->define_ranges(name, ranges);
}

void PlanBuilder::define_external(ExternalFunction function) {
  implementation_->define_external(std::move(function));
}

VariationId PlanBuilder::vary(const std::string& name, const std::vector<Replacement>& replacements) {
  return implementation_->vary(name, replacements);
}

SelectionId PlanBuilder::select(SelectionId parent, std::string_view expression, VariationId variation) {
  return implementation_->select(parent, expression, variation);
}

void PlanBuilder::fill(SelectionId selection, const std::vector<std::string>& expressions,
                       Accumulator& accumulator) {
  std::vector<VariedExpression> nominal;
  for (const std::string& expression : expressions) nominal.push_back({expression});
  implementation_->fill(selection, nominal, accumulator);
}

void PlanBuilder::fill_varied(SelectionId selection, const std::vector<VariedExpression>& expressions,
                              Accumulator& accumulator) {
  implementation_->fill(selection, expressions, accumulator);
}

std::size_t PlanBuilder::value_number(const VariedExpression& expression) {
  return implementation_->bind_type(expression.text, expression.variation);
}

ValueContent PlanBuilder::content_of(const VariedExpression& expression) {
  return implementation_->content_of(expression);
}

ValueContent PlanBuilder::content_of(SelectionId selection) const {
  return implementation_->content_of(selection);
}

void PlanBuilder::count_only(const std::vector<SelectionId>& selections) {
  implementation_->count_only(selections);
}

void PlanBuilder::only_write() { implementation_->only_write(); }

void PlanBuilder::write(SelectionId selection, const std::vector<std::string>& names, Sink& sink) {
  implementation_->write(selection, names, sink);
}

Type PlanBuilder::type_of(std::string_view name) const {
  return implementation_->type(implementation_->node_of(name));
}

Type PlanBuilder::type_of_expression(std::string_view expression) const {
  return implementation_->type(implementation_->bind_type(expression));
}

std::vector<std::string> PlanBuilder::names() const { return implementation_->names(); }

std::vector<std::string> PlanBuilder::unused_definitions() const {
  return implementation_->unused_definitions();
}

bool PlanBuilder::is_used(const std::string& name) const {
  return implementation_->needed_names().contains(name);
}

std::vector<ExpressionWarning> PlanBuilder::take_warnings() { return implementation_->take_warnings(); }

Plan PlanBuilder::build() && { return std::move(*implementation_).build(); }

}  // namespace skimline
