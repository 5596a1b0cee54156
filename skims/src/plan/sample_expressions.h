// SPDX-License-Identifier: BSD-3-Clause
// What expressions of a config can use in one sample, and their mistakes at their places.
#pragma once

#include "base/ordered_names.h"
#include "plan/sample_texts.h"

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"
#include "skimline/skims/diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// A variation that a sample has. Null and kNominal if nominal.
struct DefinedVariation {
  const Variation* config = nullptr;
  VariationId id = kNominal;
};

/// Columns, functions, constants, definitions, weights and variations of one sample, all in the builder of
/// its plan. What cannot be defined is noted as a mistake, and what follows from it is not.
class SampleExpressions {
 public:
  /// Config, sample and source must outlive it. Throws ConfigError for an external function that cannot be
  /// defined.
  SampleExpressions(const Config& config, const Sample& sample, io::InputSource& source,
                    double normalisation);
  SampleExpressions(const SampleExpressions&) = delete;
  SampleExpressions& operator=(const SampleExpressions&) = delete;

  const Config& config() const { return config_; }
  const Sample& sample() const { return sample_; }
  io::InputSource& source() const { return source_; }
  PlanBuilder& builder() { return builder_; }
  const PlanBuilder& builder() const { return builder_; }
  Diagnostics& mistakes() { return diagnostics_; }
  const Diagnostics& mistakes() const { return diagnostics_; }

  /// In their order; of those that failed the mistake is noted.
  const OrderedNames& definitions() const { return definitions_; }
  const OrderedNames& failed_definitions() const { return failed_definitions_; }
  /// By the names of columns that are redefined, the definition that has the old values.
  const std::map<std::string, std::string>& originals() const { return originals_; }
  /// The collections of its columns, in their order, before those of the config's "objects".
  const std::vector<MemberColumns>& collections() const { return collections_; }
  /// What the trees of the source call expressions, with why some cannot be used.
  const std::vector<io::TreeAlias>& tree_aliases() const { return tree_aliases_; }
  /// The columns of the source, with their aliases.
  const Schema& columns() const { return schema_; }
  /// All entries, or those of the entry list and the luminosity mask: what cuts and regions select from.
  SelectionId all_events() const { return all_events_; }
  /// All entries, or those of the list of the sample, whatever the luminosity mask says.
  SelectionId listed() const { return listed_; }
  /// Those that the sample has and that have no mistake, in the order of the config.
  const std::vector<DefinedVariation>& variations() const { return variations_; }

  /// The type of a column, definition or expression. Throws ExpressionError.
  Type type_of(const std::string& expression) const;

  /// Runs `step`; a mistake that it finds in `text` is noted, unless it follows from an earlier one. Returns
  /// whether there is none.
  template <typename Step>
  bool check(const Text& text, Step step) {
    try {
      step();
      return true;
    } catch (const ExpressionError& error) {
      report(text, error);
    } catch (const ConfigError& error) {
      diagnostics_.add(text.location, error.what());
    }
    return false;
  }

  /// Returns the type of an expression, in which `problem_of` finds nothing; nothing if there is a mistake.
  template <typename ProblemOf>
  std::optional<Type> check_type(const Text& text, ProblemOf problem_of) {
    std::optional<Type> type;
    check(text, [&] {
      const Type found = builder_.type_of_expression(text.value);
      if (const std::string problem = problem_of(found); !problem.empty())
        throw ExpressionError(text.value, 0, text.value.size(), problem);
      type = found;
    });
    return type;
  }

  /// Says of a mistake in `step` that is one only in a variation, null for nominal, which one it is.
  template <typename Step>
  static void in(const Variation* variation, Step step) {
    if (!variation) return step();
    try {
      step();
    } catch (const ExpressionError& error) {
      throw in_variation(error, *variation);
    }
  }

 private:
  void check_defaults();
  void define(const ExternalFunction& function);
  void define(const CorrectionConfig& correction);
  void define(const ModelConfig& model);
  void define(const Text& name, const ElementFunction& function, const std::string& content);
  void define(const FunctionConfig& function);
  void check_no_collection(const std::string& name) const;
  void define(const NamedValue& value);
  void define(const ObjectConfig& objects);
  void check_objects();
  void define_all(const std::vector<Definition>& definitions, const std::vector<Definition>& own);
  void define(const Definition& definition, const Text& expression);
  void redefine(const Definition& definition);
  // The other names of the field that a column is.
  std::vector<std::string> other_names(const std::string& column) const;
  void redefine_as(const std::string& name, const std::string& other);
  void vary_other_names(std::vector<Replacement>& replacements) const;
  void define_weight();
  bool is_factor(const Definition& factor);
  void apply_list();
  void apply_mask();
  void vary(const Variation& variation);
  void report(const Text& text, const ExpressionError& error);
  ExpressionError explained(const ExpressionError& error) const;
  static ExpressionError in_variation(const ExpressionError& error, const Variation& variation);
  const Text& text_of(const Variation& variation, const std::string& expression) const;

  const Config& config_;
  const Sample& sample_;
  io::InputSource& source_;
  SampleTexts texts_;
  Diagnostics diagnostics_;
  Schema schema_;  // with aliases
  std::vector<MemberColumns> collections_;
  std::vector<std::vector<std::string>> field_names_;  // of fields that are several columns
  const std::vector<io::UnsupportedField>& unsupported_fields_;
  PlanBuilder builder_;
  std::vector<io::TreeAlias> tree_aliases_;
  OrderedNames definitions_;
  OrderedNames failed_definitions_;
  std::map<std::string, std::string> originals_;
  OrderedNames failed_functions_;
  OrderedNames objects_, failed_objects_;
  SelectionId listed_ = kAllEntries;
  SelectionId all_events_ = kAllEntries;
  std::vector<DefinedVariation> variations_;
};

}  // namespace skimline::skims
