// SPDX-License-Identifier: BSD-3-Clause
// What a plan is made of while it is built: definitions and their variations, selections, and what is made of
// them.
#include "engine/compiler.h"
#include "engine/plan_names.h"
#include "expression/conversions.h"
#include "expression/unsigned_wrapping.h"
#include "expression/value_content.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace skimline {

class PlanBuilder::Implementation {
 public:
  Implementation(const Schema& schema, StoredBytes stored_bytes)
      : schema_(schema), compiler_(schema, std::move(stored_bytes)) {}

  // How names are known and bound.
  KnownNames& known() { return known_; }
  PlanNames& names() { return names_; }

  std::string collection_of(const VariedExpression& expression) {
    const NodeId node = names_.bind_type(expression.text, expression.variation);
    return known_.collections.sized_like(node, compiler_.graph(), schema_);
  }

  void define_objects(const ObjectDefinition& objects) {
    known_.definitions.check_new(objects.name);
    if (const auto name = known_.definitions.member_of(objects.name))
      throw SchemaError("\"" + objects.name + "\" cannot name objects: there is a column \"" + *name + "\"");
    known_.collections.add(objects);
    objects_.push_back(objects.name);
  }

  void check_objects(const std::string& name) {
    known_.collections.check(name, names_, compiler_.graph());
    names_.take_mentioned();
  }

  void define(const std::string& name, std::string_view expression, VariationId variation) {
    check_new(name);
    names_.take_mentioned();
    const NodeId node = names_.bind_definition(name, expression, variation);
    Definition& definition = add_definition(name, node);
    definition.needs = names_.take_mentioned();
    if (variation.index != kNominal.index) return;
    definition.expression = expression;
    for (std::size_t other = 1; other < known_.variations.size(); ++other) follow(name, {other});
  }

  void redefine(const std::string& name, const std::string& original, std::string_view expression) {
    const std::optional<std::size_t> column = schema_.find(name);
    if (!column) throw known_.definitions.unknown(name);
    const std::string column_name = schema_[*column].name;
    if (known_.definitions.find(column_name)) throw SchemaError("\"" + column_name + "\" is defined twice");
    if (known_.variations.size() > 1) throw InternalError("a column is redefined behind a variation");
    known_.definitions.check_new(original);
    names_.take_mentioned();
    const NodeId before = names_.node_of(column_name);
    const NodeId node = of_type_of(*column, names_.bind(expression), expression);
    known_.definitions.add_original(column_name, original, before);
    std::set<std::string> needs = names_.take_mentioned();
    rename(needs, column_name, original);
    Definition& definition = add_definition(column_name, node);
    definition.needs = std::move(needs);
    definition.expression = expression;
    definition.original = original;
  }

  VariationId vary(const std::string& variation_name, const std::vector<Replacement>& replacements) {
    std::map<std::string, NodeId> replaced;
    for (const Replacement& each : replacements) {
      const std::optional<std::string> name = known_.definitions.known_name(each.name);
      if (!name) throw known_.definitions.unknown(each.name);
      replaced[*name] = replacement(each);
    }
    known_.variations.push_back(std::move(replaced));
    const VariationId variation{known_.variations.size() - 1};
    try {
      for (const std::string& name : known_.definitions.in_order()) follow(name, variation);
    } catch (...) {
      known_.variations.pop_back();
      throw;
    }
    for (const auto& [name, node] : known_.variations.back())
      compiler_.name(node, name + " in " + variation_name);
    return variation;
  }

  void define_constant(const std::string& name, const ConstantValue& value) {
    check_new(name);
    Node node;
    node.kind = NodeKind::kConstant;
    node.constant = std::visit([this](const auto& each) { return constant(each); }, value);
    node.type = flat(node.constant.scalar);
    node.text = name;
    add_definition(name, compiler_.graph().add(std::move(node))).is_constant = true;
  }

  void define_ranges(const std::string& name, const RangesByKey& ranges) {
    known_.definitions.check_new(name);
    known_.functions.add_ranges(name, ranges);
  }

  SelectionId select(SelectionId parent, std::string_view expression, VariationId variation) {
    names_.take_mentioned();
    const auto within = names_.within(parent);
    NodeId condition = names_.bind(expression, variation);
    const Type type = type_of(condition);
    if (type.is_jagged() || !is_integer(type.scalar))
      throw ExpressionError(expression, 0, expression.size(),
                            "a selection must be one bool per entry: this is " + name_of(type) +
                                (type.is_jagged() ? " (use Any or All)" : ""));
    condition = convert(condition, ScalarType::kBool, compiler_.graph());
    use_mentioned();
    if (const std::optional<SelectionId> known = known_.selections.find(parent, condition)) return *known;
    const SelectionId selection{compiler_.select(parent.index, condition)};
    known_.selections.add(selection, parent, condition);
    return selection;
  }

  void fill(SelectionId selection, const std::vector<VariedExpression>& expressions,
            Accumulator& accumulator) {
    names_.take_mentioned();
    const auto within = names_.within(selection);
    std::vector<NodeId> nodes;
    for (const VariedExpression& expression : expressions) {
      nodes.push_back(names_.bind(expression.text, expression.variation));
      check_fills(expression.text, nodes.back());
      warn_of_difference(expression.text, nodes.back());
    }
    Graph& graph = compiler_.graph();
    const NodeId like = deepest_of(nodes, graph);
    const int depth = graph[like].type.depth;
    for (NodeId& node : nodes)
      if (graph[node].type.depth < depth) node = broadcast(node, like, depth, graph);
    use_mentioned();
    compiler_.fill(selection.index, std::move(nodes), accumulator);
  }

  void write(SelectionId selection, const std::vector<std::string>& names, Sink& sink) {
    names_.take_mentioned();
    std::vector<NodeId> nodes;
    for (const std::string& name : names) nodes.push_back(names_.node_of(name));
    use_mentioned();
    compiler_.write(selection.index, std::move(nodes), sink);
  }

  std::set<std::string> needed_names() const { return known_.definitions.needed_by(used_); }

  std::vector<std::string> unused_definitions() const {
    const std::set<std::string> needed = needed_names();
    std::vector<std::string> unused = known_.definitions.unused(needed);
    for (const std::string& name : objects_)
      if (!needed.contains(name)) unused.push_back(name);
    return unused;
  }

  Type type_of(NodeId node) const { return compiler_.graph()[node].type; }

  const ValueContent& content_of(NodeId node) {
    const auto [known, is_new] = contents_.try_emplace(node);
    if (is_new) known->second = skimline::content_of(node, compiler_.graph(), schema_);
    return known->second;
  }

  // From the innermost condition outwards.
  const ValueContent& content_of(SelectionId selection) {
    const auto [known, is_new] = contents_of_selections_.try_emplace(selection.index);
    ValueContent& content = known->second;
    if (!is_new) return content;
    for (const NodeId condition : known_.selections.conditions(selection))
      append(content, content_of(condition));
    return content;
  }

  void count_only(const std::vector<SelectionId>& selections) {
    std::set<std::size_t> counted;
    for (const SelectionId selection : selections) counted.insert(selection.index);
    compiler_.count_only(std::move(counted));
  }

  void only_write() { compiler_.only_write(); }

  Plan build() && { return Plan(std::make_shared<const Program>(std::move(compiler_).finish())); }

 private:
  // "good.size()" would be that of a definition, and "good.pt" a member of the objects.
  void check_new(const std::string& name) const {
    known_.definitions.check_new(name);
    if (known_.collections.are_defined(name))
      throw SchemaError("\"" + name + "\" is the name of objects already");
  }

  void check_fills(std::string_view expression, NodeId node) const {
    const ScalarType scalar = type_of(node).scalar;
    if (is_number(scalar) || scalar == ScalarType::kString) return;
    throw ExpressionError(expression, 0, expression.size(),
                          "a histogram is filled with numbers or strings: this is " + name_of(type_of(node)));
  }

  // Histograms are of sizes.
  void warn_of_difference(const std::string& expression, NodeId node) {
    const NodeId difference = compiler_.graph()[node].difference;
    if (difference == kNoNode) return;
    const std::vector<NodeId> known = names_.conditions().value();
    if (std::none_of(known.begin(), known.end(),
                     [&](NodeId each) { return sees_to(each, difference, compiler_.graph().nodes()); }))
      names_.warn(
          {expression, 0, expression.size(), warning_of_difference(difference, compiler_.graph().nodes())});
  }

  Constant constant(bool value) const { return Constant::of(value); }
  Constant constant(double value) const { return Constant::of(value); }
  Constant constant(const std::string& value) { return Constant::of(compiler_.graph().intern(value)); }
  Constant constant(std::int64_t value) const {
    const auto narrow = static_cast<std::int32_t>(value);
    return narrow == value ? Constant::of(narrow) : Constant::of(value);
  }

  void use_mentioned() { used_.merge(names_.take_mentioned()); }

  Definition& add_definition(const std::string& name, NodeId node) {
    compiler_.name(node, name);
    return known_.definitions.add(name, node);
  }

  NodeId replacement(const Replacement& each) {
    names_.take_mentioned();
    const NodeId node = names_.bind(each.expression);
    use_mentioned();
    const Type nominal = type_of(names_.node_of(each.name));
    names_.take_mentioned();
    return of_same_kind(node, nominal, each);
  }

  NodeId of_type_of(std::size_t column, NodeId node, std::string_view expression) {
    const ColumnInfo& info = schema_[column];
    return of_same_kind(node, info.type, {info.name, std::string(expression)});
  }

  NodeId of_same_kind(NodeId node, Type nominal, const Replacement& each) {
    const Type varied = type_of(node);
    const bool is_whole_for_real =
        is_floating(nominal.scalar) && is_number(varied.scalar) && is_integer(varied.scalar);
    const bool has_same_kind = varied.scalar == nominal.scalar || is_whole_for_real ||
                               (is_floating(varied.scalar) && is_floating(nominal.scalar)) ||
                               (is_integer(varied.scalar) && is_integer(nominal.scalar));
    if (varied.depth != nominal.depth || !has_same_kind)
      throw ExpressionError(
          each.expression, 0, each.expression.size(),
          "\"" + each.name + "\" is a " + name_of(nominal) + ", but this is a " + name_of(varied));
    if (is_whole_for_real) node = convert(node, nominal.scalar, compiler_.graph());
    return node;
  }

  // Computes a definition from what a variation replaces, if it depends on that.
  void follow(const std::string& name, VariationId variation) {
    std::map<std::string, NodeId>& replaced = known_.variations[variation.index];
    const Definition& definition = *known_.definitions.find(name);
    const auto is_replaced = [&](const std::string& each) { return replaced.contains(each); };
    if (is_replaced(name) || definition.expression.empty() ||
        std::none_of(definition.needs.begin(), definition.needs.end(), is_replaced))
      return;
    NodeId node = names_.bind_at(definition, variation);
    if (!definition.original.empty()) node = of_type_of(*schema_.find(name), node, definition.expression);
    names_.take_mentioned();
    if (node != definition.node) replaced.emplace(name, node);
  }

  Schema schema_;
  Compiler compiler_;
  KnownNames known_{schema_, compiler_.graph()};
  PlanNames names_{known_};
  std::vector<std::string> objects_;  // defined ones
  std::unordered_map<NodeId, ValueContent> contents_;
  std::unordered_map<std::size_t, ValueContent> contents_of_selections_;
  std::set<std::string> used_;  // by selections, fills and outputs
};

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
  implementation_->known().collections.add(std::move(collection));
}

bool PlanBuilder::has_collection(const std::string& name) const {
  return implementation_->names().counted_member(name).has_value();
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
  KnownNames& known = implementation_->known();
  known.functions.add(signature, body, known.suggestions);
}

void PlanBuilder::define_ranges(const std::string& name, const RangesByKey& ranges) {
  implementation_->define_ranges(name, ranges);
}

void PlanBuilder::define_external(ExternalFunction function) {
  implementation_->known().functions.add_external(std::move(function));
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
  return implementation_->names().bind_type(expression.text, expression.variation);
}

ValueContent PlanBuilder::content_of(const VariedExpression& expression) {
  return implementation_->content_of(
      implementation_->names().bind_type(expression.text, expression.variation));
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
  return implementation_->type_of(implementation_->names().node_of(name));
}

Type PlanBuilder::type_of_expression(std::string_view expression) const {
  return implementation_->type_of(implementation_->names().bind_type(expression));
}

Type PlanBuilder::type_of_expression(const VariedExpression& expression) const {
  return implementation_->type_of(implementation_->names().bind_type(expression.text, expression.variation));
}

std::vector<std::string> PlanBuilder::names() const { return implementation_->known().definitions.all(); }

std::vector<std::string> PlanBuilder::unused_definitions() const {
  return implementation_->unused_definitions();
}

bool PlanBuilder::is_used(const std::string& name) const {
  return implementation_->needed_names().contains(name);
}

std::vector<ExpressionWarning> PlanBuilder::take_warnings() {
  return implementation_->names().take_warnings();
}

Plan PlanBuilder::build() && { return std::move(*implementation_).build(); }

}  // namespace skimline
