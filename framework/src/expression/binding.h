// SPDX-License-Identifier: BSD-3-Clause
// One expression on its way from a syntax tree to nodes.
#pragma once

#include "expression/function_registry.h"
#include "expression/graph.h"
#include "expression/lambda_names.h"
#include "expression/name_table.h"
#include "expression/operators.h"
#include "expression/simplification.h"
#include "expression/syntax.h"
#include "expression/user_functions.h"

#include "skimline/framework/bit_fields.h"
#include "skimline/framework/error.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline {

/// Binds the text of one expression, or the body of one function. All members throw ExpressionError.
class Binder {
 public:
  // Binding is recursive: beyond this it would need more stack than there is. A function adds the levels of
  // its body to those of its call.
  static constexpr int kMaxLevels = 500;

  Binder(std::string_view text, NameTable& names, Graph& graph) : text_(text), names_(names), graph_(graph) {}

  /// Of what the text says as a whole.
  NodeId bind_whole(const Syntax& syntax);

 private:
  NodeId bind(const Syntax& syntax);

  // For what is bound on behalf of an expression: the body of a function that is called.
  Binder(std::string_view text, NameTable& names, const Binder& caller) : Binder(text, names, caller.graph_) {
    level_ = caller.level_;
    num_statements_ = caller.num_statements_;
    if (text.data() == caller.text_.data()) inverted_ = caller.inverted_;
    conditions_ = caller.conditions_;
    on_elements_ = caller.on_elements_;
    shown_ = caller.shown_;
  }

  NodeId bind_kind(const Syntax& syntax);
  NodeId name(const Syntax& syntax);
  NodeId unary(const Syntax& syntax);
  NodeId binary(const Syntax& syntax);
  NodeId binary(const Syntax& syntax, NodeId left, NodeId right, bool is_truncated_on_purpose);
  NodeId as_number(const Syntax& syntax, NodeId node, NodeId beside);
  NodeId short_circuit(const Syntax& syntax, NodeId left, NodeId right);
  NodeId conditional(const Syntax& syntax);
  NodeId condition_of(const Syntax& syntax);
  NodeId choice(const Syntax& syntax, NodeId condition, NodeId first, NodeId second);
  NodeId index(const Syntax& syntax);
  NodeId index(const Syntax& syntax, NodeId list, NodeId index);
  NodeId member_path(const Syntax& objects, const std::string& path, TextRange range);
  NodeId member_of_name(const Syntax& collection, const std::string& path, TextRange range);
  NodeId bind_behind(NodeId condition, const Syntax& syntax);

  NodeId call(const Syntax& syntax);
  void check_function(const Syntax& syntax) const;
  std::vector<NodeId> bind_operands(const Syntax& syntax);
  NodeId bind_operand(const Syntax& operand, const Syntax& call);
  NodeId momentum(const Syntax& syntax);
  NodeId call_constant(const Syntax& syntax, const Constant& constant);
  NodeId cast(const Syntax& syntax, ScalarType scalar);
  NodeId made_list(const Syntax& syntax, ScalarType scalar);
  void check_is_value(NodeId value, ScalarType scalar, const Syntax& syntax) const;
  NodeId pattern(const Syntax& syntax);
  std::vector<NodeId> flags_of(const Syntax& syntax);
  NodeId flag(const std::string& name, const Syntax& pattern);
  NodeId call_user_function(const UserFunction& function, std::vector<NodeId> arguments,
                            const Syntax& syntax);
  NodeId as_declared(NodeId value, const Declaration& declared, const Syntax& syntax);
  NodeId call_ranges(const std::string& ranges, std::vector<NodeId> operands, const Syntax& syntax);
  NodeId call_external(const std::shared_ptr<const ExternalFunction>& function, std::vector<NodeId> operands,
                       const Syntax& syntax);
  NodeId call_function(const Function& function, const std::vector<NodeId>& nodes, const Syntax& syntax);
  NodeId call_function(std::string_view name, const std::vector<NodeId>& nodes, const Syntax& syntax);
  NodeId call_composed(const std::vector<ComposedStep>& steps, const std::vector<NodeId>& nodes,
                       const Syntax& syntax);
  // How many levels of lists are around those that the function works on.
  int levels_around(const Function& function, const std::vector<NodeId>& nodes) const;
  // Nodes as a function sees them that works on what is so many lists deep.
  std::vector<Argument> seen(const std::vector<NodeId>& nodes, int levels) const;
  void check_count(std::size_t count, std::size_t expected, const std::string& signature,
                   const Syntax& syntax) const;

  NodeId bits(const Syntax& syntax);
  BitField bit_field(const Syntax& syntax, NodeId value) const;
  std::optional<std::size_t> column_of(NodeId node) const;

  // What variables are at the end of statements that return nothing.
  struct Outcome {
    std::vector<std::string> names;
    std::vector<NodeId> values;
  };
  // Where statements go on: at one of a block, then behind that block, or else with the outcome.
  struct StatementPlace {
    const Syntax* block;
    std::size_t number;
    const StatementPlace* behind;
    Outcome* outcome;
    Binder* outer;  // for which variables are as behind the block, if that gives them no values; else null
  };
  NodeId returned(const StatementPlace& place);
  NodeId returned(const Syntax& statement, const StatementPlace& rest);
  NodeId returned_once(const StatementPlace& place);
  NodeId end_of(const StatementPlace& place);
  StatementPlace begin_of(const Syntax& block, const StatementPlace& rest);
  NodeId returned_by_choice(const Syntax& statement, const StatementPlace& rest);
  NodeId behind_choice(const Syntax& statement, const StatementPlace& rest);
  std::vector<NodeId> values_behind(NodeId condition, const Syntax& block,
                                    const std::vector<std::string>& names);
  NodeId with_values(const std::vector<Declaration>& declared, const std::vector<NodeId>& values,
                     const StatementPlace& rest);
  NodeId value_of_variable(const Syntax& syntax);
  NodeId value_of_assignment(const Syntax& syntax);
  [[noreturn]] void fail_assignment(const std::string& name, TextRange range) const;

  NodeId call_with_lambda(const Syntax& syntax);
  Binder outside() const;
  NodeId whole(const Syntax& syntax);
  NodeId where_elements_are(NodeId node, const Syntax& syntax);
  NodeId element_of_whole(const Syntax& syntax);
  NodeId bind_lambda(const Syntax& lambda, const std::vector<NodeId>& lists);
  NodeId bind_elements(const Syntax& body, const Syntax& lambda, const std::vector<NodeId>& lists);
  NodeId mapped(const Syntax& syntax, const std::vector<NodeId>& lists);
  NodeId filtered(const Syntax& syntax, NodeId list);
  NodeId sorted(const Syntax& syntax, NodeId list);

  NodeId apply(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax);
  NodeId add_simplified(Node node) { return graph_.add(simplified(std::move(node), graph_)); }
  NodeId apply_to_inner_lists(const Operation& operation, int levels, std::vector<NodeId> operands,
                              const Syntax& syntax);
  Node kernel_node(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax);
  int make_one_shape(std::vector<NodeId>& operands);
  NodeId apply_loop(const Operation& operation, std::vector<NodeId> operands, const Syntax& syntax);
  Node make(NodeKind kind, Type result, std::vector<NodeId> inputs, const Syntax& syntax) const;
  NodeId add(NodeKind kind, Type result, std::vector<NodeId> inputs, const Syntax& syntax);
  void check_bounds(NodeId node, const Syntax& syntax) const;

  void warn(TextRange range, const std::optional<std::string>& message);
  void warn_of_difference(NodeId value, const Syntax& syntax, TextRange range);
  void warn_of_converted_difference(NodeId value, ScalarType scalar, const Syntax& syntax, TextRange range);
  void warn_of_choices(NodeId condition, const std::vector<NodeId>& choices, ScalarType scalar,
                       const Syntax& syntax);
  void meet_inverted(NodeId operand, NodeId other);
  void warn_of_arguments(const Operation& operation, const std::vector<NodeId>& nodes, const Syntax& syntax);

  std::string text_of(const Syntax& syntax) const {
    return shown_.empty() ? std::string(text_.substr(syntax.range.offset, syntax.range.length)) : shown_;
  }
  Type type(NodeId id) const { return graph_[id].type; }
  std::string type_name(NodeId id) const { return name_of(type(id)); }
  // Whether a value is one list per entry, and not each of its elements.
  bool is_list(NodeId id) const { return type(id).is_jagged() && !on_elements_; }

  template <typename Choice>
  std::optional<Operation> choose(const Choice& choice, const Syntax& syntax) const {
    try {
      return choice();
    } catch (const ArgumentFault& fault) {
      fail(syntax.operands[fault.index]->range, fault.problem);
    }
  }

  [[noreturn]] void fail(TextRange range, const std::string& problem) const {
    throw ExpressionError(text_, range.offset, range.length, problem);
  }

  std::string_view text_;
  NameTable& names_;
  Graph& graph_;
  int level_ = 0;
  std::map<std::pair<const Syntax*, std::size_t>, NodeId> returned_;  // by statements at a place
  std::size_t own_statements_ = 0;
  std::size_t* num_statements_ = &own_statements_;  // bound so far, those of the caller included
  std::vector<NodeId> conditions_;                  // written in front of what is bound at the moment
  // Every ~condition in the text so far, but for those that `&` joins with another condition, as it should
  // be.
  std::vector<std::pair<NodeId, TextRange>> own_inverted_;
  std::vector<std::pair<NodeId, TextRange>>* inverted_ = &own_inverted_;
  bool is_truncated_on_purpose_ = false;  // by int(a / b)
  bool on_elements_ = false;              // operations are those of elements, lists being their shape only
  const LambdaNames* lambda_ = nullptr;   // of the lambda whose body this is
  std::string shown_;                     // what messages show of parts that the user did not write
};

}  // namespace skimline
