// SPDX-License-Identifier: BSD-3-Clause
// What a plan is made of while it is built: the names of its definitions, their variations, and its
// selections.
#pragma once

#include "engine/compiler.h"
#include "expression/binder.h"
#include "expression/collections.h"
#include "expression/conversions.h"
#include "expression/unsigned_wrapping.h"
#include "expression/value_content.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace skimline {

class PlanBuilder::Implementation : public NameTable {
 public:
  Implementation(const Schema& schema, StoredBytes stored_bytes)
      : schema_(schema), compiler_(schema, std::move(stored_bytes)) {}

  std::optional<NodeId> find(std::string_view name) override {
    std::optional<std::string> known = known_name(name);
    if (!known) return find_member(name);
    if (is_redefined_later(*known)) known = definitions_.at(*known).original;
    mentioned_.insert(*known);
    if (const auto replaced = replaced_->find(*known); replaced != replaced_->end()) return replaced->second;
    if (const auto definition = definitions_.find(*known); definition != definitions_.end())
      return definition->second.node;
    const std::optional<std::size_t> column = schema_.find(*known);
    Node node;
    node.kind = NodeKind::kColumn;
    node.type = schema_[*column].type;
    node.column = *column;
    node.text = in_expression(schema_[*column].name);
    return compiler_.graph().add(std::move(node));
  }

  // Objects count as used by those that use a member.
  std::optional<NodeId> find_member(std::string_view name) {
    if (schema_.is_withheld(name)) return built_in(name);  // as a member it would be the other column
    const auto found = collections_.find(name, *this, compiler_.graph());
    if (!found) return built_in(name);
    mention(found->objects.empty() ? std::string(name) : found->objects);
    return found->values;
  }

  void mention(const std::string& objects) {
    if (!mentioned_.insert(objects).second) return;
    for (const std::string& source : collections_.sources_of(objects)) mention(source);
  }

  static bool is_member_of(std::string_view name, std::string_view objects) {
    return name.starts_with(objects) && name.size() > objects.size() &&
           (name[objects.size()] == '.' || name[objects.size()] == '_');
  }

  // A column, alias or definition that would be a member of objects of that name.
  std::optional<std::string> name_that_begins_with(const std::string& objects) {
    if (sorted_names_.empty())
      for (std::string& name : schema_names()) sorted_names_.insert(std::move(name));
    for (; num_sorted_ < defined_names_.size(); ++num_sorted_)
      sorted_names_.insert(defined_names_[num_sorted_]);
    for (const char* separator : {".", "_"}) {
      const auto found = sorted_names_.lower_bound(objects + separator);
      if (found != sorted_names_.end() && is_member_of(*found, objects)) return *found;
    }
    return std::nullopt;
  }

  std::optional<std::string> counted_member(std::string_view collection) const override {
    return collections_.counted_member(collection);
  }

  void add_collection(MemberColumns collection) { collections_.add(std::move(collection)); }

  std::string collection_of(const VariedExpression& expression) {
    const NodeId node = bind_type(expression.text, expression.variation);
    return collections_.sized_like(node, compiler_.graph(), schema_);
  }

  void define_objects(const ObjectDefinition& objects) {
    check_new(objects.name);
    if (const auto name = name_that_begins_with(objects.name))
      throw SchemaError("\"" + objects.name + "\" cannot name objects: there is a column \"" + *name + "\"");
    collections_.add(objects);
    objects_.push_back(objects.name);
  }

  void check_objects(const std::string& name) {
    collections_.check(name, *this, compiler_.graph());
    mentioned_.clear();
  }

  // What failed was meant, and is not here.
  std::vector<std::string> candidates_for(std::string_view name) override {
    if (failed_.contains(std::string(name)) || !suggestions_.take()) return {};
    std::vector<std::string> all = names(), members = collections_.names();
    all.insert(all.end(), members.begin(), members.end());
    return all;
  }

  std::vector<std::string> schema_names() const {
    std::vector<std::string> names = schema_.names();
    for (const Schema::Alias& alias : schema_.aliases()) names.push_back(alias.name);
    return names;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names = schema_names();
    names.insert(names.end(), defined_names_.begin(), defined_names_.end());
    return names;
  }

  // A dot is an underscore, as in names.
  std::vector<std::string> matching(std::string_view pattern) const override {
    const bool is_literal = quoted_name(pattern).has_value();
    const std::string wanted = with_underscores(pattern);
    const auto is_wanted = [&](const std::string& name) {
      return is_literal ? matches_pattern(name, pattern) : matches_pattern(with_underscores(name), wanted);
    };
    std::set<std::size_t> columns;
    for (std::size_t i = 0; i < schema_.size(); ++i)
      if (is_wanted(schema_[i].name)) columns.insert(i);
    for (const Schema::Alias& alias : schema_.aliases())
      if (is_wanted(alias.name)) columns.insert(alias.column);
    std::vector<std::string> names;
    for (const std::size_t column : columns) names.push_back(schema_[column].name);
    return names;
  }

  const UserFunctions& functions() const override { return functions_; }
  std::vector<std::string> function_candidates() override {
    return suggestions_.take() ? functions_.names() : std::vector<std::string>();
  }

  std::string_view description_of(std::size_t column) const override { return schema_[column].description; }

  void warn(ExpressionWarning warning) override {
    if (warned_.emplace(warning.text, warning.offset, warning.message).second)
      warnings_.push_back(std::move(warning));
  }

  // From the inner ones outwards.
  std::optional<std::vector<NodeId>> conditions() const override {
    if (is_typing_) return std::nullopt;
    std::vector<NodeId> all;
    for (auto each = narrowed_.find(selection_); each != narrowed_.end();
         each = narrowed_.find(each->second.first))
      all.push_back(each->second.second);
    return all;
  }

  std::vector<ExpressionWarning> take_warnings() { return std::exchange(warnings_, {}); }

  // Without the entries that it is for.
  NodeId bind_type(std::string_view expression, VariationId variation = kNominal) {
    const IsTyping typing(*this);
    return bind(expression, variation);
  }

  NodeId bind(std::string_view expression, VariationId variation = kNominal) {
    const InVariation names(*this, variation);
    return bind_expression(expression, *this, compiler_.graph());
  }

  void define(const std::string& name, std::string_view expression, VariationId variation) {
    check_new(name);
    mentioned_.clear();
    failed_.insert(name);
    const NodeId node = bind(expression, variation);
    failed_.erase(name);
    Definition& definition = add_definition(name, node);
    definition.needs = std::exchange(mentioned_, {});
    if (variation.index != kNominal.index) return;
    definition.expression = expression;
    for (std::size_t other = 1; other < variations_.size(); ++other) follow(name, {other});
  }

  void redefine(const std::string& name, const std::string& original, std::string_view expression) {
    const std::optional<std::size_t> column = schema_.find(name);
    if (!column) throw unknown(name);
    const std::string known = schema_[*column].name;
    if (definitions_.contains(known)) throw SchemaError("\"" + known + "\" is defined twice");
    if (variations_.size() > 1) throw InternalError("a column is redefined behind a variation");
    check_new(original);
    mentioned_.clear();
    const NodeId before = node_of(known), node = redefinition(*column, expression);
    definitions_.emplace(original, Definition{before});
    defined_names_.push_back(original);
    // What is there already was made with the original, and stays so.
    std::set<std::string> needs = std::exchange(mentioned_, {});
    for (auto& [other, definition] : definitions_) rename(definition.needs, known, original);
    rename(needs, known, original);
    Definition& definition = add_definition(known, node);
    definition.needs = std::move(needs);
    definition.expression = expression;
    definition.original = original;
  }

  VariationId vary(const std::string& variation_name, const std::vector<Replacement>& replacements) {
    std::map<std::string, NodeId> replaced;
    for (const Replacement& each : replacements) {
      const std::optional<std::string> name = known_name(each.name);
      if (!name) throw unknown(each.name);
      replaced[*name] = replacement(each);
    }
    variations_.push_back(std::move(replaced));
    const VariationId variation{variations_.size() - 1};
    try {
      for (const std::string& name : defined_names_) follow(name, variation);
    } catch (...) {
      variations_.pop_back();
      throw;
    }
    for (const auto& [name, node] : variations_.back()) compiler_.name(node, name + " in " + variation_name);
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

  void define_function(std::string_view signature, std::string_view body) {
    functions_.add(signature, body, suggestions_);
  }

  void define_ranges(const std::string& name, const RangesByKey& ranges) {
    check_new(name);
    functions_.add_ranges(name, ranges);
  }

  void define_external(ExternalFunction function) { functions_.add_external(std::move(function)); }

  SelectionId select(SelectionId parent, std::string_view expression, VariationId variation) {
    mentioned_.clear();
    const Within within(*this, parent);
    NodeId condition = bind(expression, variation);
    const Type type = compiler_.graph()[condition].type;
    if (type.is_jagged() || !is_integer(type.scalar))
      throw ExpressionError(expression, 0, expression.size(),
                            "a selection must be one bool per entry: this is " + name_of(type) +
                                (type.is_jagged() ? " (use Any or All)" : ""));
    condition = convert(condition, ScalarType::kBool, compiler_.graph());
    use_mentioned();
    const auto [known, is_new] = selections_.try_emplace({parent.index, condition});
    if (is_new) {
      known->second = {compiler_.select(parent.index, condition)};
      narrowed_.emplace(known->second.index, std::pair(parent.index, condition));
    }
    return known->second;
  }

  void fill(SelectionId selection, const std::vector<VariedExpression>& expressions,
            Accumulator& accumulator) {
    mentioned_.clear();
    const Within within(*this, selection);
    std::vector<NodeId> nodes;
    for (const VariedExpression& expression : expressions) {
      nodes.push_back(bind(expression.text, expression.variation));
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
    mentioned_.clear();
    std::vector<NodeId> nodes;
    for (const std::string& name : names) nodes.push_back(node_of(name));
    use_mentioned();
    compiler_.write(selection.index, std::move(nodes), sink);
  }

  // By way of definitions too, each of which needs only those before it.
  std::set<std::string> needed_names() const {
    std::set<std::string> needed = used_;
    for (auto name = defined_names_.rbegin(); name != defined_names_.rend(); ++name)
      if (needed.contains(*name))
        needed.insert(definitions_.at(*name).needs.begin(), definitions_.at(*name).needs.end());
    return needed;
  }

  std::vector<std::string> unused_definitions() const {
    const std::set<std::string> needed = needed_names();
    std::vector<std::string> unused;
    for (const std::string& name : defined_names_)
      if (!definitions_.at(name).is_constant && !needed.contains(name)) unused.push_back(name);
    for (const std::string& name : objects_)
      if (!needed.contains(name)) unused.push_back(name);
    return unused;
  }

  NodeId node_of(std::string_view name) {
    if (const std::optional<NodeId> node = find(name)) return *node;
    throw unknown(name);
  }

  Type type(NodeId node) const { return compiler_.graph()[node].type; }

  void check_fills(std::string_view expression, NodeId node) const {
    const ScalarType scalar = type(node).scalar;
    if (is_number(scalar) || scalar == ScalarType::kString) return;
    throw ExpressionError(expression, 0, expression.size(),
                          "a histogram is filled with numbers or strings: this is " + name_of(type(node)));
  }

  const ValueContent& content_of(const VariedExpression& expression) {
    return content_of(bind_type(expression.text, expression.variation));
  }

  // From the innermost condition outwards.
  const ValueContent& content_of(SelectionId selection) {
    const auto [known, is_new] = contents_of_selections_.try_emplace(selection.index);
    ValueContent& content = known->second;
    if (!is_new) return content;
    for (auto each = narrowed_.find(selection.index); each != narrowed_.end();
         each = narrowed_.find(each->second.first))
      append(content, content_of(each->second.second));
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
  struct Definition {
    NodeId node = 0;
    std::string expression = {};       // empty if no variation changes it
    std::set<std::string> needs = {};  // the columns and definitions that it names
    bool is_constant = false;
    std::string original = {};  // of a column, the name that it has without this
    std::size_t order = 0;      // which it is of all
  };

  // What names meant at a definition while it lives.
  class AsAt {
   public:
    AsAt(Implementation& plan, const Definition& definition) : plan_(plan) {
      plan_.bound_at_ = definition.order;
    }
    ~AsAt() { plan_.bound_at_ = kNow; }
    AsAt(const AsAt&) = delete;
    AsAt& operator=(const AsAt&) = delete;

   private:
    Implementation& plan_;
  };

  // What names mean while it lives.
  class InVariation {
   public:
    InVariation(Implementation& plan, VariationId variation) : plan_(plan) {
      plan_.replaced_ = &plan_.variations_.at(variation.index);
    }
    ~InVariation() { plan_.replaced_ = &plan_.variations_.front(); }
    InVariation(const InVariation&) = delete;
    InVariation& operator=(const InVariation&) = delete;

   private:
    Implementation& plan_;
  };

  // That only types are asked for while it lives.
  class IsTyping {
   public:
    explicit IsTyping(Implementation& plan) : plan_(plan) { plan_.is_typing_ = true; }
    ~IsTyping() { plan_.is_typing_ = false; }
    IsTyping(const IsTyping&) = delete;
    IsTyping& operator=(const IsTyping&) = delete;

   private:
    Implementation& plan_;
  };

  // Which entries expressions are for while it lives.
  class Within {
   public:
    Within(Implementation& plan, SelectionId selection) : plan_(plan) { plan_.selection_ = selection.index; }
    ~Within() { plan_.selection_ = kAllEntries.index; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    Implementation& plan_;
  };

  const ValueContent& content_of(NodeId node) {
    const auto [known, is_new] = contents_.try_emplace(node);
    if (is_new) known->second = skimline::content_of(node, compiler_.graph(), schema_);
    return known->second;
  }

  // Histograms are of sizes.
  void warn_of_difference(const std::string& expression, NodeId node) {
    const NodeId difference = compiler_.graph()[node].difference;
    if (difference == kNoNode) return;
    const std::vector<NodeId> known = conditions().value();
    if (std::none_of(known.begin(), known.end(),
                     [&](NodeId each) { return sees_to(each, difference, compiler_.graph().nodes()); }))
      warn({expression, 0, expression.size(), warning_of_difference(difference, compiler_.graph().nodes())});
  }

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

  Definition& add_definition(const std::string& name, NodeId node) {
    compiler_.name(node, name);
    defined_names_.push_back(name);
    Definition& definition = definitions_.emplace(name, Definition{node}).first->second;
    definition.order = defined_names_.size() - 1;
    return definition;
  }

  // Also by what is bound at the moment.
  bool is_redefined_later(const std::string& name) const {
    const auto found = definitions_.find(name);
    return found != definitions_.end() && !found->second.original.empty() && found->second.order >= bound_at_;
  }

  static void rename(std::set<std::string>& names, const std::string& from, const std::string& to) {
    if (names.erase(from) != 0) names.insert(to);
  }

  SchemaError unknown(std::string_view name) const {
    return SchemaError("unknown column \"" + std::string(name) + "\"" + did_you_mean_column(name, names()));
  }

  // A definition's name, or that of a column as the schema has it.
  std::optional<std::string> known_name(std::string_view name) const {
    if (std::string given(name); definitions_.contains(given)) return given;
    const std::optional<std::size_t> column = schema_.find(name);
    return column ? std::optional(schema_[*column].name) : std::nullopt;
  }

  NodeId replacement(const Replacement& each) {
    mentioned_.clear();
    const NodeId node = bind(each.expression);
    use_mentioned();
    const Type nominal = type(node_of(each.name));
    mentioned_.clear();
    return of_same_kind(node, nominal, each);
  }

  NodeId redefinition(std::size_t column, std::string_view expression, VariationId variation = kNominal) {
    const ColumnInfo& info = schema_[column];
    return of_same_kind(bind(expression, variation), info.type, {info.name, std::string(expression)});
  }

  NodeId of_same_kind(NodeId node, Type nominal, const Replacement& each) {
    const Type varied = type(node);
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
    std::map<std::string, NodeId>& replaced = variations_[variation.index];
    const Definition& definition = definitions_.at(name);
    const auto is_replaced = [&](const std::string& each) { return replaced.contains(each); };
    if (is_replaced(name) || definition.expression.empty() ||
        std::none_of(definition.needs.begin(), definition.needs.end(), is_replaced))
      return;
    const AsAt names(*this, definition);
    const NodeId node = definition.original.empty()
                            ? bind(definition.expression, variation)
                            : redefinition(*schema_.find(name), definition.expression, variation);
    mentioned_.clear();
    if (node != definition.node) replaced.emplace(name, node);
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
  Collections collections_;
  std::vector<std::string> objects_;  // defined ones
  std::set<std::tuple<std::string, std::size_t, std::string>> warned_;
  std::vector<ExpressionWarning> warnings_;
  std::unordered_map<std::string, Definition> definitions_;
  std::vector<std::string> defined_names_;
  // Of columns, aliases and so many definitions, once objects are defined.
  std::set<std::string> sorted_names_;
  std::size_t num_sorted_ = 0;
  static constexpr std::size_t kNow = ~std::size_t{0};
  std::size_t bound_at_ = kNow;             // behind how many definitions, of what is bound at the moment
  std::unordered_set<std::string> failed_;  // definitions with mistakes
  SuggestionLimit suggestions_;
  // By variation and name what stands for it, definitions that follow included; the first is nominal.
  std::deque<std::map<std::string, NodeId>> variations_{1};
  const std::map<std::string, NodeId>* replaced_ = &variations_.front();  // in what is bound at the moment
  std::map<std::pair<std::size_t, NodeId>, SelectionId> selections_;      // by parent and condition
  std::unordered_map<std::size_t, std::pair<std::size_t, NodeId>>
      narrowed_;  // by selection: parent and condition
  std::unordered_map<NodeId, ValueContent> contents_;
  std::unordered_map<std::size_t, ValueContent> contents_of_selections_;
  std::size_t selection_ = kAllEntries.index;  // of what is bound at the moment
  bool is_typing_ = false;
  std::set<std::string> mentioned_;  // by what is bound at the moment
  std::set<std::string> used_;       // by selections, fills and outputs
};

}  // namespace skimline
