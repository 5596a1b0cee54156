// SPDX-License-Identifier: BSD-3-Clause
// What a run does, checked and typed before the first entry is read: definitions, selections, fills, skims.
#pragma once

#include "skimline/framework/accumulator.h"
#include "skimline/framework/collection.h"
#include "skimline/framework/constant_value.h"
#include "skimline/framework/error.h"
#include "skimline/framework/external_function.h"
#include "skimline/framework/ranges_by_key.h"
#include "skimline/framework/schema.h"
#include "skimline/framework/sink.h"
#include "skimline/framework/value_content.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace skimline {

class Program;

/// A set of entries of a plan: all of them, or those that pass a selection.
struct SelectionId {
  std::size_t index = 0;
};

/// The selection that keeps every entry.
inline constexpr SelectionId kAllEntries{0};

/// What a plan computes with some values replaced: see PlanBuilder::vary().
struct VariationId {
  std::size_t index = 0;
};

/// Nothing is replaced.
inline constexpr VariationId kNominal{0};

/// What stands for a column or definition in a variation.
struct Replacement {
  std::string name;
  std::string expression;
};

/// An expression as it is in a variation.
struct VariedExpression {
  std::string text;
  VariationId variation = kNominal;
};

/// An immutable plan. Accumulators and sinks must outlive its runs.
class Plan {
 public:
  explicit Plan(std::shared_ptr<const Program> program);

  /// Names of the source's columns that a run may read, in schema order.
  const std::vector<std::string>& columns_read() const;

  /// One line per step, in order of evaluation: what is computed, for which selection, from what.
  std::string description() const;

  const Program& program() const { return *program_; }

 private:
  std::shared_ptr<const Program> program_;
};

/// Makes a plan. Every expression is parsed and typed when it is given: mistakes throw ExpressionError at
/// once and leave the builder as it was.
class PlanBuilder {
 public:
  /// `stored_bytes` says what reading a column of the schema costs, so that filters read cheap ones first;
  /// without it, the sizes of values count. It is asked while the plan is built. Results do not depend on it.
  explicit PlanBuilder(const Schema& schema, StoredBytes stored_bytes = nullptr);
  ~PlanBuilder();
  PlanBuilder(PlanBuilder&&) noexcept;
  PlanBuilder& operator=(PlanBuilder&&) noexcept;

  /// Makes `name` usable in all later expressions. Throws SchemaError if a column or definition has that
  /// name.
  /// In later variations it is computed from what they replace. With a variation, it is what the expression
  /// is there, in every one.
  void define(const std::string& name, std::string_view expression, VariationId variation = kNominal);

  /// Makes columns members of a collection: "Jet.pt" in all later expressions. Throws SchemaError if there is
  /// a collection of that name.
  void add_collection(MemberColumns collection);

  bool has_collection(const std::string& name) const;

  /// The collection whose lists have as many elements as an expression's, by the MemberColumns::is_certain of
  /// it and by what is done element by element; empty if it is not known.
  std::string collection_of(const VariedExpression& expression);

  /// Makes objects of a collection usable in all later expressions, "good_jets.pt" or "good_jets_pt" with
  /// every member of the collection, and "good_jets" where only their number counts. Expressions are bound
  /// when a member is asked for, with the names there are then: those that use it throw ExpressionError with
  /// a text of `objects`. Variations of what they read are variations of them. Throws SchemaError if the name
  /// is taken, and for an unknown collection.
  void define_objects(const ObjectDefinition& objects);

  /// Throws ExpressionError if an expression of these objects is wrong.
  void check_objects(const std::string& name);

  /// Makes the column `name` what `expression` says in all later expressions. In `expression` it is what the
  /// source has; later that is called `original`. Variations come later, and those of what it is made from
  /// are followed. Throws SchemaError if there is no such column, or if either name is defined;
  /// ExpressionError also for what has another shape or kind than the column, as vary() does.
  void redefine(const std::string& name, const std::string& original, std::string_view expression);

  /// Makes a value usable by name in all later expressions: a bool, std::int32_t (std::int64_t if it does not
  /// fit), double or string. Throws SchemaError as define does.
  void define_constant(const std::string& name, const ConstantValue& value);

  /// Makes a function usable in all later expressions: `signature` is "name(parameter, ...)", `body` an
  /// expression of the parameters. Throws ExpressionError, pointing into either of the texts.
  void define_function(std::string_view signature, std::string_view body);

  /// Makes a function of two integers usable in all later expressions: `name(key, value)` is whether `value`
  /// lies in one of the ranges of `key`. Ranges may overlap. Throws SchemaError as define does.
  void define_ranges(const std::string& name, const RangesByKey& ranges);

  /// Makes a function that is not an expression usable in all later ones. Calls count as what may fail: they
  /// come after the conditions written in front of them, and are made when the plan runs. Throws SchemaError
  /// for a name that is no name or a function already, and for an incomplete function.
  void define_external(ExternalFunction function);

  /// Adds a variation of the columns and definitions so far. In what is asked for in it, each replacement
  /// stands for what it names, and definitions follow; all that does not depend on them is computed once for
  /// all variations. Replacements are made of nominal values. They have the shape of what they replace: any
  /// numbers stand for real numbers, integers only for integers.
  ///
  /// Throws SchemaError for a name that there is not, and ExpressionError, also for a definition that cannot
  /// be with the types of the replacements.
  /// `name` is for descriptions of the plan: "good_jets in <name>".
  VariationId vary(const std::string& name, const std::vector<Replacement>& replacements);

  /// Returns the entries of `parent` for which `expression`, a flat bool or integer, is true. It is evaluated
  /// only for entries of `parent`. Conditions joined by `&&` are applied one by one, cheap ones first; one
  /// that may fail comes after all that stand before it. Equal selections are one: a variation of which the
  /// condition does not depend gets the nominal one.
  SelectionId select(SelectionId parent, std::string_view expression, VariationId variation = kNominal);

  /// Fills `accumulator` with the values of the expressions for the entries of `selection`, in the order
  /// given. Lists are filled element by element; flat values beside lists are repeated for every element, and
  /// all lists of one fill must have equal sizes.
  void fill(SelectionId selection, const std::vector<std::string>& expressions, Accumulator& accumulator);
  /// The same with expressions of variations.
  void fill_varied(SelectionId selection, const std::vector<VariedExpression>& expressions,
                   Accumulator& accumulator);

  /// Returns a number that two expressions have in common exactly if they are computed once, being the same.
  std::size_t value_number(const VariedExpression& expression);

  /// What an expression is computed from, and what chooses the entries of a selection.
  ValueContent content_of(const VariedExpression& expression);
  ValueContent content_of(SelectionId selection) const;

  /// Passes the values of columns or definitions for the entries of `selection` to `sink`, in input order.
  void write(SelectionId selection, const std::vector<std::string>& names, Sink& sink);

  /// The type of a column or definition. Throws SchemaError with the nearest name if there is none.
  Type type_of(std::string_view name) const;

  /// Type of any expression, without adding it to the plan.
  Type type_of_expression(std::string_view expression) const;
  Type type_of_expression(const VariedExpression& expression) const;

  /// Names of all columns and definitions, in order.
  std::vector<std::string> names() const;

  /// The definitions so far that no fill, selection or output needs, directly or by way of other ones.
  std::vector<std::string> unused_definitions() const;

  /// Whether any of them needs a name, of a column or a constant too.
  bool is_used(const std::string& name) const;

  /// Has the entries of these selections alone counted, instead of those of all: others are followed only
  /// where something is asked for in them, and RunReport::entries_kept says nothing of them.
  void count_only(const std::vector<SelectionId>& selections);

  /// Leaves out all fills, and counts nothing: what the sinks need is left.
  void only_write();

  /// Returns the warnings of the calls since the last one of this function; each place warns once.
  std::vector<ExpressionWarning> take_warnings();

  Plan build() &&;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline
