// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sample_expressions.h"

#include "base/interruption.h"
#include "config/read/used_names.h"
#include "plan/aliases.h"
#include "plan/collections.h"
#include "plan/column_patterns.h"
#include "plan/listed_entries.h"
#include "plan/tree_aliases.h"
#include "plan/unusable_fields.h"

#include "skimline/framework/column_name.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

// Of data, all factors that are not its own are 1: a real number, so that half of it is no 0.
std::vector<Definition> common_weights(const Config& config, const Sample& sample) {
  std::vector<Definition> weights = config.weights;
  for (Definition& factor : weights)
    if (!has_factor(sample, factor)) factor.expression.value = "1.";
  return weights;
}

// Of what a config replaces, all names have to be replaced.
std::vector<std::vector<std::string>> names_that_change(const Config& config, const io::InputSource& source) {
  if (config.redefine.empty() && config.variations.empty()) return {};
  return source.names_of_one_field();
}

// Of what comes behind the aliases of trees.
std::set<std::string> names_of_definitions(const Config& config) {
  std::set<std::string> names{kEventWeight, kNormalisation};
  for (const auto* list : {&config.define, &config.weights, &config.collections})
    for (const Definition& each : *list) names.insert(each.name.value);
  for (const ObjectConfig& each : config.objects) names.insert(each.name.value);
  return names;
}

// What expressions know besides, members of objects and names of the program, follows from these.
bool can_be_replaced(const std::string& name, const Schema& schema, const PlanBuilder& builder) {
  if (schema.find(name)) return true;
  const std::vector<std::string> names = builder.names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

SampleExpressions::SampleExpressions(const Config& config, const Sample& sample, io::InputSource& source,
                                     double normalisation)
    : config_(config),
      sample_(sample),
      source_(source),
      texts_(config, sample),
      diagnostics_(config.source),
      schema_(named_columns(source, aliases_of(config, sample), diagnostics_)),
      collections_(find_collections(schema_, source.collections(),
                                    {config.collections, aliases_of(config, sample)}, diagnostics_)),
      field_names_(names_that_change(config, source)),
      unsupported_fields_(source.unsupported_fields()),
      builder_(schema_, [this](std::size_t column) { return source_.stored_bytes(column); }) {
  check_defaults();
  for (const ExternalFunction& function : config.external_functions) define(function);
  for (const CorrectionConfig& correction : config.corrections) define(correction);
  for (const ModelConfig& model : config.models) define(model);
  for (const FunctionConfig& function : config.functions) define(function);
  for (const NamedValue& value : constants_of(sample_)) define(value);
  for (const MemberColumns& collection : collections_) builder_.add_collection(collection);
  for (const ObjectConfig& objects : config.objects) define(objects);
  if (sample_.entry_list) apply_list();
  if (config.luminosity_pb) builder_.define_constant(kNormalisation, normalisation);
  for (const Definition& each : config.redefine) redefine(each);
  if (sample_.lumi_mask) apply_mask();
  tree_aliases_ = define_tree_aliases(source, schema_, names_of_definitions(config), builder_);
  define_all(config.define, sample_.define);
  define_all(common_weights(config, sample_), sample_.weights);
  if (!config.weights.empty()) define_weight();
  check_objects();
  for (const Variation& variation : config.variations)
    if (has_variation(sample_, variation)) vary(variation);
}

// Names of columns need not be expressions.
Type SampleExpressions::type_of(const std::string& expression) const {
  try {
    return schema_.find(expression) ? builder_.type_of(expression) : builder_.type_of_expression(expression);
  } catch (const ExpressionError& error) {
    throw explained(error);
  }
}

// Notes a mistake, unless it follows from that of a definition.
void SampleExpressions::report(const Text& text, const ExpressionError& error) {
  const std::string culprit = culprit_of(error);
  for (const auto* failed : {&failed_definitions_, &failed_functions_})
    if (failed->contains(culprit)) return;
  if (const std::string objects = culprit.substr(0, culprit.find('.')); failed_objects_.contains(objects))
    return;
  const Text* inner = error.text() == text.value ? nullptr : texts_.of_objects(error.text());
  if (!inner) return diagnostics_.add(text, explained(error));
  // Each of those who use the objects has it.
  if (!failed_objects_.contains(error.text())) diagnostics_.add(*inner, explained(error));
  failed_objects_.add(error.text());
}

// Says of names that are fields but no columns, or that a config has to ask for, why that is so.
ExpressionError SampleExpressions::explained(const ExpressionError& error) const {
  const std::string culprit = culprit_of(error);
  const auto missing = [&](const char* key) {
    return ExpressionError(error.text(), error.offset(), error.length(),
                           "there is no \"" + culprit + "\" without \"" + key + "\"");
  };
  if (culprit == kNormalisation && !config_.luminosity_pb) return missing("luminosity_pb");
  if (const auto target = texts_.alias_target(culprit))
    return ExpressionError(
        error.text(), error.offset(), error.length(),
        "\"" + culprit + "\" stands for " + in_expression(*target) + ", which is no column of the sample");
  if (culprit == kEventWeight && config_.weights.empty()) return missing("weights");
  if (const Definition* later = texts_.definition(culprit); later && !definitions_.contains(culprit))
    return ExpressionError(error.text(), error.offset(), error.length(),
                           "\"" + culprit + "\" is defined further down, " +
                               place_text(*config_.source, later->name.location) +
                               ": definitions are used behind their places");
  return with_reason(with_reason(error, unsupported_fields_), tree_aliases_, source_.unused_friends());
}

// Patterns of defaults that match no column of the sample.
void SampleExpressions::check_defaults() {
  for (const DefaultConfig& each : config_.defaults) {
    const std::string& pattern = each.name.value;
    if (!has_wildcards(pattern)) continue;
    const std::vector<std::string> names = field_names(source_);
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches_column(name, pattern); }))
      diagnostics_.add_if_everywhere(each.name.location, unmatched_text(pattern, names));
  }
}

// It has no place in the text, so that its mistakes are no diagnostics.
void SampleExpressions::define(const ExternalFunction& function) {
  try {
    builder_.define_external(function);
  } catch (const SchemaError& error) {
    throw ConfigError("function \"" + function.name + "\": " + error.what());
  }
}

void SampleExpressions::define(const CorrectionConfig& correction) {
  define(correction.name, correction.function, correction.content);
}

void SampleExpressions::define(const ModelConfig& model) {
  define(model.name, model.function, model.content);
}

void SampleExpressions::define(const Text& name, const ElementFunction& function,
                               const std::string& content) {
  try {
    builder_.define_external({name.value, function, content});
  } catch (const SchemaError& error) {
    diagnostics_.add(name.location, error.what());
  }
}

void SampleExpressions::define(const FunctionConfig& function) {
  try {
    builder_.define_function(function.signature.value, function.body.value);
  } catch (const ExpressionError& error) {
    diagnostics_.add(error.text() == function.body.value ? function.body : function.signature, error);
    failed_functions_.add(name_of(function));
  }
}

// Those of columns that files have are there without being asked for.
void SampleExpressions::check_no_collection(const std::string& name) const {
  if (std::any_of(config_.collections.begin(), config_.collections.end(),
                  [&](const Definition& each) { return each.name.value == name; }))
    throw SchemaError("\"" + name + "\" is the name of a collection already");
}

void SampleExpressions::define(const NamedValue& value) {
  try {
    check_no_collection(value.name.value);
    builder_.define_constant(value.name.value, value.value);
  } catch (const SchemaError& error) {
    diagnostics_.add(value.name.location, error.what());
  }
}

// Expressions are bound with the first use, when definitions are known.
void SampleExpressions::define(const ObjectConfig& objects) {
  const std::string& name = objects.name.value;
  const std::set<std::string> sources = names_in(objects.from.value);
  const auto has_failed = [&](const std::string& each) { return failed_objects_.contains(each); };
  try {
    if (std::none_of(sources.begin(), sources.end(), has_failed)) {
      builder_.define_objects(definition_of(objects));
      return objects_.add(name);
    }
  } catch (const ExpressionError& error) {
    diagnostics_.add(objects.from, error);
  } catch (const SchemaError& error) {
    const bool knows_from =
        builder_.has_collection(objects.from.value) || objects.from.value.find('(') != std::string::npos;
    diagnostics_.add(knows_from ? objects.name.location : objects.from.location, error.what());
  }
  failed_objects_.add(name);
}

void SampleExpressions::check_objects() {
  for (const std::string& name : objects_.in_order())
    check(texts_.objects(name)->name, [&] { builder_.check_objects(name); });
}

// A sample may have expressions of its own.
void SampleExpressions::define_all(const std::vector<Definition>& definitions,
                                   const std::vector<Definition>& own) {
  std::unordered_map<std::string_view, const Text*> expressions;
  for (const Definition& each : own) expressions.emplace(each.name.value, &each.expression);
  for (const Definition& definition : definitions) {
    const auto found = expressions.find(definition.name.value);
    define(definition, found == expressions.end() ? definition.expression : *found->second);
  }
}

void SampleExpressions::define(const Definition& definition, const Text& expression) {
  throw_if_interrupted();
  const std::string& name = definition.name.value;
  try {
    check_no_collection(name);
    const auto add = [&] { builder_.define(name, expression.value); };
    (check(expression, add) ? definitions_ : failed_definitions_).add(name);
  } catch (const SchemaError& error) {
    diagnostics_.add(definition.name.location, error.what());
    failed_definitions_.add(name);
  }
}

void SampleExpressions::redefine(const Definition& definition) {
  const std::string& name = definition.name.value;
  try {
    const std::string original = original_name(name);
    const auto apply = [&] { builder_.redefine(name, original, definition.expression.value); };
    const bool is_right = check(definition.expression, apply);
    (is_right ? definitions_ : failed_definitions_).add(original);
    if (!is_right) return;
    if (const auto column = schema_.find(name)) originals_.emplace(schema_[*column].name, original);
    for (const std::string& other : other_names(name)) redefine_as(name, other);
  } catch (const SchemaError& error) {
    diagnostics_.add(definition.name.location, error.what());
  }
}

std::vector<std::string> SampleExpressions::other_names(const std::string& column) const {
  const std::optional<std::size_t> number = schema_.find(column);
  if (!number || definitions_.contains(column)) return {};
  for (const std::vector<std::string>& names : field_names_) {
    if (std::find(names.begin(), names.end(), schema_[*number].name) == names.end()) continue;
    std::vector<std::string> others = names;
    std::erase(others, schema_[*number].name);
    return others;
  }
  return {};
}

// Unless the config says what the other name shall be.
void SampleExpressions::redefine_as(const std::string& name, const std::string& other) {
  const auto is_other = [&](const Definition& each) {
    return schema_.find(each.name.value) == schema_.find(other);
  };
  if (std::any_of(config_.redefine.begin(), config_.redefine.end(), is_other)) return;
  builder_.redefine(other, original_name(other), in_expression(name));
  definitions_.add(original_name(other));
  originals_.emplace(other, original_name(other));
}

void SampleExpressions::vary_other_names(std::vector<Replacement>& replacements) const {
  std::set<std::string> given;
  for (const Replacement& each : replacements)
    if (const auto column = schema_.find(each.name)) given.insert(schema_[*column].name);
  const std::vector<Replacement> listed = replacements;
  for (const Replacement& each : listed)
    for (const std::string& other : other_names(each.name))
      if (!given.contains(other)) replacements.push_back({other, each.expression});
}

// A list would have a histogram filled once for each of its elements, without a word.
bool SampleExpressions::is_factor(const Definition& factor) {
  const std::string& name = factor.name.value;
  if (failed_definitions_.contains(name)) return false;
  const Type type = builder_.type_of_expression(name);
  if (type.depth == 0 && is_number(type.scalar)) return true;
  const auto own = std::find_if(sample_.weights.begin(), sample_.weights.end(),
                                [&](const Definition& each) { return each.name.value == name; });
  const Text& expression = own == sample_.weights.end() ? factor.expression : own->expression;
  diagnostics_.add(expression, {expression.value, 0, expression.value.size(),
                                "a factor of the weight of an event must be one number: this is " +
                                    name_of(type) + (type.depth == 0 ? "" : " (use Product)")});
  failed_definitions_.add(name);
  return false;
}

// The product of all factors, in their order. That of integers would wrap around: one that is unsigned makes
// a negative weight huge.
void SampleExpressions::define_weight() {
  std::string product;
  for (const Definition& factor : config_.weights) {
    if (!is_factor(factor)) return failed_definitions_.add(kEventWeight);
    const std::string& name = factor.name.value;
    const bool is_first = product.empty();
    if (!is_first && is_integer(builder_.type_of_expression(name).scalar) &&
        is_integer(builder_.type_of_expression(product).scalar))
      product = "double(" + product + ")";
    product += (is_first ? "" : " * ") + name;
  }
  const Text& first = config_.weights.front().name;
  const bool is_right = check({product, first.location}, [&] { builder_.define(kEventWeight, product); });
  (is_right ? definitions_ : failed_definitions_).add(kEventWeight);
}

// The numbers cost nothing to read, so that it comes first.
void SampleExpressions::apply_list() {
  constexpr const char* kIsListed = "is_listed_";
  try {
    define(listed_entries(kIsListed, sample_, source_.files()));
    all_events_ = listed_ = builder_.select(kAllEntries, std::string(kIsListed) + "(entry_)");
  } catch (const ConfigError& error) {
    diagnostics_.add(sample_.entry_list->location, error.what());
  }
}

void SampleExpressions::apply_mask() {
  constexpr const char* kIsCertified = "is_certified_";
  const std::string where = std::string(kIsCertified) + "(run, luminosityBlock)";
  try {
    builder_.define_ranges(kIsCertified, sample_.certified);
    all_events_ = builder_.select(listed_, where);
  } catch (const ExpressionError& error) {
    diagnostics_.add(
        sample_.lumi_mask->location,
        "a luminosity mask needs the columns \"run\" and \"luminosityBlock\": " + explained(error).problem());
  }
}

void SampleExpressions::vary(const Variation& variation) {
  std::vector<Replacement> replacements;
  std::set<std::string> replaced;
  const std::size_t num_mistakes = diagnostics_.size();
  for (const auto* list : {&variation.columns, &variation.weights})
    for (const Definition& each : *list) {
      if (list == &variation.weights && !has_factor(sample_, each)) continue;
      if (failed_definitions_.contains(each.name.value)) return;
      // A column may have several names.
      const auto column = schema_.find(each.name.value);
      const std::string& name = column ? schema_[*column].name : each.name.value;
      if (!replaced.insert(name).second)
        diagnostics_.add(each.name.location, "\"" + name + "\" is replaced twice");
      try {
        builder_.type_of(each.name.value);
        if (!can_be_replaced(each.name.value, schema_, builder_))
          diagnostics_.add(each.name.location, "variations replace columns and definitions: \"" +
                                                   each.name.value + "\" is neither");
        check(each.expression, [&] { builder_.type_of_expression(each.expression.value); });
      } catch (const SchemaError& error) {
        diagnostics_.add(each.name.location, error.what());
      }
      replacements.push_back({each.name.value, each.expression.value});
    }
  if (diagnostics_.size() > num_mistakes) return;
  vary_other_names(replacements);
  try {
    variations_.push_back({&variation, builder_.vary(variation.name.value, replacements)});
  } catch (const ExpressionError& error) {
    diagnostics_.add(text_of(variation, error.text()), in_variation(error, variation));
  }
}

ExpressionError SampleExpressions::in_variation(const ExpressionError& error, const Variation& variation) {
  return ExpressionError(error.text(), error.offset(), error.length(),
                         error.problem() + " (in the variation \"" + variation.name.value + "\")");
}

// The text in the config that a variation has a mistake in: of a replacement, or of what follows it.
const Text& SampleExpressions::text_of(const Variation& variation, const std::string& expression) const {
  for (const auto* list : {&variation.columns, &variation.weights})
    for (const Definition& each : *list)
      if (each.expression.value == expression) return each.expression;
  if (const Text* definition = texts_.of_definition(expression)) return *definition;
  if (const Text* objects = texts_.of_objects(expression)) return *objects;
  return variation.name;
}

}  // namespace skimline::skims
