// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/plan.h"

#include "dataflow/compiler.h"
#include "expression/binder.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace skimline {

Plan::Plan(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

const std::vector<std::string>& Plan::columns_read() const { return program_->columns_read; }

class PlanBuilder::Implementation : public NameTable {
 public:
  Implementation(const Schema& schema, StoredBytes stored_bytes)
      : schema_(schema), compiler_(schema, std::move(stored_bytes)) {}

  std::optional<NodeId> find(std::string_view name) override {
    const auto definition = definitions_.find(std::string(name));
    if (definition != definitions_.end()) {
      mentioned_.insert(definition->first);
      return definition->second;
    }
    const std::optional<std::size_t> column = schema_.find(name);
    if (!column) return built_in(name);
    Node node;
    node.kind = NodeKind::kColumn;
    node.type = schema_[*column].type;
    node.column = *column;
    node.text = schema_[*column].name;
    return compiler_.graph().add(std::move(node));
  }

  std::vector<std::string> candidates() const override {
    std::vector<std::string> names = schema_.names();
    names.insert(names.end(), defined_names_.begin(), defined_names_.end());
    return names;
  }

  std::vector<std::string> matching(std::string_view pattern) const override {
    std::vector<std::string> names;
    for (const std::string& name : schema_.names())
      if (matches_pattern(name, pattern)) names.push_back(name);
    return names;
  }

  const UserFunctions& functions() const override { return functions_; }

  void warn(ExpressionWarning warning) override {
    if (warned_.emplace(warning.text, warning.offset, warning.message).second)
      warnings_.push_back(std::move(warning));
  }

  std::vector<ExpressionWarning> take_warnings() { return std::exchange(warnings_, {}); }

  NodeId bind(std::string_view expression) { return bind_expression(expression, *this, compiler_.graph()); }

  void define(const std::string& name, std::string_view expression) {
    check_new(name);
    mentioned_.clear();
    add_definition(name, bind(expression));
    needs_.emplace(name, std::exchange(mentioned_, {}));
  }

  void define_constant(const std::string& name, const ConstantValue& value) {
    check_new(name);
    Node node;
    node.kind = NodeKind::kConstant;
    node.constant = std::visit([this](const auto& each) { return constant(each); }, value);
    node.type = flat(node.constant.scalar);
    node.text = name;
    add_definition(name, compiler_.graph().add(std::move(node)));
  }

  void define_function(std::string_view signature, std::string_view body) { functions_.add(signature, body); }

  void define_ranges(const std::string& name, const RangesByKey& ranges) {
    check_new(name);
    functions_.add_ranges(name, ranges);
  }

  void define_external(ExternalFunction function) { functions_.add_external(std::move(function)); }

  SelectionId select(SelectionId parent, std::string_view expression) {
    mentioned_.clear();
    NodeId condition = bind(expression);
    const Type type = compiler_.graph()[condition].type;
    if (type.is_jagged() || !is_integer(type.scalar))
      throw ExpressionError(expression, 0, expression.size(),
                            "a selection must be one bool per entry: this is " + name_of(type) +
                                (type.is_jagged() ? " (use Any or All)" : ""));
    condition = convert(condition, ScalarType::kBool, compiler_.graph());
    use_mentioned();
    return {compiler_.select(parent.index, condition)};
  }

  void fill(SelectionId selection, const std::vector<std::string>& expressions, Accumulator& accumulator) {
    mentioned_.clear();
    std::vector<NodeId> nodes;
    for (const std::string& expression : expressions) {
      nodes.push_back(bind(expression));
      check_fills(expression, nodes.back());
    }
    Graph& graph = compiler_.graph();
    const auto depth = [&](NodeId node) { return graph[node].type.depth; };
    const NodeId like = *std::max_element(nodes.begin(), nodes.end(),
                                          [&](NodeId a, NodeId b) { return depth(a) < depth(b); });
    for (NodeId& node : nodes)
      if (depth(node) < depth(like)) node = broadcast(node, like, depth(like), graph);
    use_mentioned();
    compiler_.fill(selection.index, std::move(nodes), accumulator);
  }

  void write(SelectionId selection, const std::vector<std::string>& names, Sink& sink) {
    mentioned_.clear();
    std::vector<NodeId> nodes;
    for (const std::string& name : names) nodes.push_back(node_of(name));
    use_mentioned();
    compiler_.write(selection.index, std::move(nodes), sink);
  }

  std::vector<std::string> unused_definitions() const {
    std::set<std::string> used = used_;
    std::vector<std::string> unused;
    // A definition needs only those before it.
    for (auto name = defined_names_.rbegin(); name != defined_names_.rend(); ++name) {
      const auto needs = needs_.find(*name);
      if (needs == needs_.end()) continue;
      if (used.contains(*name))
        used.insert(needs->second.begin(), needs->second.end());
      else
        unused.push_back(*name);
    }
    std::reverse(unused.begin(), unused.end());
    return unused;
  }

  NodeId node_of(std::string_view name) {
    if (const std::optional<NodeId> node = find(name)) return *node;
    throw SchemaError("unknown column \"" + std::string(name) + "\"" + did_you_mean(name, candidates()));
  }

  Type type(NodeId node) const { return compiler_.graph()[node].type; }

  void check_fills(std::string_view expression, NodeId node) const {
    const ScalarType scalar = type(node).scalar;
    if (is_number(scalar) || scalar == ScalarType::kString) return;
    throw ExpressionError(expression, 0, expression.size(),
                          "a histogram is filled with numbers or strings: this is " + name_of(type(node)));
  }

  Plan build() && { return Plan(std::make_shared<const Program>(std::move(compiler_).finish())); }

 private:
  Constant constant(bool value) const { return Constant::of(value); }
  Constant constant(double value) const { return Constant::of(value); }
  Constant constant(const std::string& value) { return Constant::of(compiler_.graph().intern(value)); }
  Constant constant(std::int64_t value) const {
    const auto narrow = static_cast<std::int32_t>(value);
    return narrow == value ? Constant::of(narrow) : Constant::of(value);
  }

  void use_mentioned() { used_.merge(std::exchange(mentioned_, {})); }

  void check_new(const std::string& name) const {
    if (definitions_.contains(name)) throw SchemaError("\"" + name + "\" is defined twice");
    if (schema_.find(name)) throw SchemaError("\"" + name + "\" is already a column of the input");
  }

  void add_definition(const std::string& name, NodeId node) {
    definitions_.emplace(name, node);
    compiler_.name(node, name);
    defined_names_.push_back(name);
  }

  std::optional<NodeId> built_in(std::string_view name) {
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
    return compiler_.graph().add(std::move(node));
  }

  Schema schema_;
  Compiler compiler_;
  UserFunctions functions_;
  std::set<std::tuple<std::string, std::size_t, std::string>> warned_;
  std::vector<ExpressionWarning> warnings_;
  std::unordered_map<std::string, NodeId> definitions_;
  std::vector<std::string> defined_names_;
  std::map<std::string, std::set<std::string>> needs_;  // by definition, those that it names
  std::set<std::string> mentioned_;                     // by what is bound at the moment
  std::set<std::string> used_;                          // by selections, fills and outputs
};

PlanBuilder::PlanBuilder(const Schema& schema, StoredBytes stored_bytes)
    : implementation_(std::make_unique<Implementation>(schema, std::move(stored_bytes))) {}
PlanBuilder::~PlanBuilder() = default;
PlanBuilder::PlanBuilder(PlanBuilder&&) noexcept = default;
PlanBuilder& PlanBuilder::operator=(PlanBuilder&&) noexcept = default;

void PlanBuilder::define(const std::string& name, std::string_view expression) {
  implementation_->define(name, expression);
}

void PlanBuilder::define_constant(const std::string& name, const ConstantValue& value) {
  implementation_->define_constant(name, value);
}

void PlanBuilder::define_function(std::string_view signature, std::string_view body) {
  implementation_->define_function(signature, body);
}

void PlanBuilder::define_ranges(const std::string& name, RangesByKey ranges) {
  implementation_->define_ranges(name, ranges);
}

void PlanBuilder::define_external(ExternalFunction function) {
  implementation_->define_external(std::move(function));
}

SelectionId PlanBuilder::select(SelectionId parent, std::string_view expression) {
  return implementation_->select(parent, expression);
}

void PlanBuilder::fill(SelectionId selection, const std::vector<std::string>& expressions,
                       Accumulator& accumulator) {
  implementation_->fill(selection, expressions, accumulator);
}

void PlanBuilder::write(SelectionId selection, const std::vector<std::string>& names, Sink& sink) {
  implementation_->write(selection, names, sink);
}

Type PlanBuilder::type_of(std::string_view name) const {
  return implementation_->type(implementation_->node_of(name));
}

Type PlanBuilder::type_of_expression(std::string_view expression) const {
  return implementation_->type(implementation_->bind(expression));
}

std::vector<std::string> PlanBuilder::names() const { return implementation_->candidates(); }

std::vector<std::string> PlanBuilder::unused_definitions() const {
  return implementation_->unused_definitions();
}

std::vector<ExpressionWarning> PlanBuilder::take_warnings() { return implementation_->take_warnings(); }

Plan PlanBuilder::build() && { return std::move(*implementation_).build(); }

}  // namespace skimline
