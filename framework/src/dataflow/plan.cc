// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/plan.h"

#include "dataflow/compiler.h"
#include "expression/binder.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <unordered_map>

namespace skimline {

Plan::Plan(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

const std::vector<std::string>& Plan::columns_read() const { return program_->columns_read; }

class PlanBuilder::Implementation : public NameTable {
 public:
  explicit Implementation(const Schema& schema) : schema_(schema), compiler_(schema) {}

  std::optional<NodeId> find(std::string_view name) override {
    const auto definition = definitions_.find(std::string(name));
    if (definition != definitions_.end()) return definition->second;
    const std::optional<std::size_t> column = schema_.find(name);
    if (!column) return std::nullopt;
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

  NodeId bind(std::string_view expression) { return bind_expression(expression, *this, compiler_.graph()); }

  void define(const std::string& name, std::string_view expression) {
    if (definitions_.contains(name)) throw SchemaError("\"" + name + "\" is defined twice");
    if (schema_.find(name)) throw SchemaError("\"" + name + "\" is already a column of the input");
    definitions_.emplace(name, bind(expression));
    defined_names_.push_back(name);
  }

  SelectionId select(SelectionId parent, std::string_view expression) {
    NodeId condition = bind(expression);
    const Type type = compiler_.graph()[condition].type;
    if (type.is_jagged() || is_floating(type.scalar))
      throw ExpressionError(expression, 0, expression.size(),
                            "a selection must be one bool per entry: this is " + name_of(type) +
                                (type.is_jagged() ? " (use Any or All)" : ""));
    condition = convert(condition, ScalarType::kBool, compiler_.graph());
    compiler_.add_selection(compiler_.enter(compiler_.selection(parent.index), condition));
    return {compiler_.num_selections() - 1};
  }

  void fill(SelectionId selection, const std::vector<std::string>& expressions, Accumulator& accumulator) {
    std::vector<NodeId> nodes;
    for (const std::string& expression : expressions) nodes.push_back(bind(expression));
    Graph& graph = compiler_.graph();
    const auto is_list = [&](NodeId node) { return graph[node].type.is_jagged(); };
    const auto list = std::find_if(nodes.begin(), nodes.end(), is_list);
    if (list != nodes.end()) {
      const NodeId like = *list;
      for (NodeId& node : nodes)
        if (!is_list(node)) node = broadcast(node, like, graph);
    }
    compiler_.fill(compiler_.selection(selection.index), nodes, accumulator);
  }

  void write(SelectionId selection, const std::vector<std::string>& names, Sink& sink) {
    std::vector<NodeId> nodes;
    for (const std::string& name : names) nodes.push_back(node_of(name));
    compiler_.write(compiler_.selection(selection.index), nodes, sink);
  }

  NodeId node_of(std::string_view name) {
    if (const std::optional<NodeId> node = find(name)) return *node;
    throw SchemaError("unknown column \"" + std::string(name) + "\"" + did_you_mean(name, candidates()));
  }

  Type type(NodeId node) const { return compiler_.graph()[node].type; }

  Plan build() && { return Plan(std::make_shared<const Program>(std::move(compiler_).finish())); }

 private:
  Schema schema_;
  Compiler compiler_;
  std::unordered_map<std::string, NodeId> definitions_;
  std::vector<std::string> defined_names_;
};

PlanBuilder::PlanBuilder(const Schema& schema) : implementation_(std::make_unique<Implementation>(schema)) {}
PlanBuilder::~PlanBuilder() = default;
PlanBuilder::PlanBuilder(PlanBuilder&&) noexcept = default;
PlanBuilder& PlanBuilder::operator=(PlanBuilder&&) noexcept = default;

void PlanBuilder::define(const std::string& name, std::string_view expression) {
  implementation_->define(name, expression);
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

Plan PlanBuilder::build() && { return std::move(*implementation_).build(); }

}  // namespace skimline
