// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sample_expressions.h"

#include "base/interruption.h"
#include "plan/column_patterns.h"

#include "skimline/framework/column_name.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

// Of data, all factors that are not its own are 1.
std::vector<Definition> common_weights(const Config& config, const Sample& sample) {
  std::vector<Definition> weights = config.weights;
  for (Definition& factor : weights)
    if (sample.is_data) factor.expression.value = "1";
  return weights;
}

// What an error is about, without the back-quotes around a name.
std::string culprit_of(const ExpressionError& error) {
  const std::string text = error.text().substr(std::min(error.offset(), error.text().size()), error.length());
  return quoted_name(text).value_or(text);
}

}  // namespace

SampleExpressions::SampleExpressions(const Config& config, const Sample& sample, io::InputSource& source,
                                     double normalisation)
    : config_(config),
      sample_(sample),
      source_(source),
      schema_(source.schema()),
      unsupported_fields_(source.unsupported_fields()),
      builder_(schema_, [this](std::size_t column) { return source_.stored_bytes(column); }),
      diagnostics_(config.source) {
  check_defaults();
  for (const ExternalFunction& function : config.external_functions) define(function);
  for (const CorrectionConfig& correction : config.corrections) define(correction);
  for (const FunctionConfig& function : config.functions) define(function);
  for (const NamedValue& value : constants_of(sample_)) define(value);
  if (sample_.lumi_mask) apply_mask();
  if (config.luminosity_pb) builder_.define_constant(kNormalisation, normalisation);
  define_all(config.define, sample_.define);
  define_all(common_weights(config, sample_), sample_.weights);
  if (!config.weights.empty()) define_weight();
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
  diagnostics_.add(text, explained(error));
}

// Says of names that are fields but no columns, or that a config has to ask for, why that is so.
ExpressionError SampleExpressions::explained(const ExpressionError& error) const {
  const std::string culprit = culprit_of(error);
  const auto missing = [&](const char* key) {
    return ExpressionError(error.text(), error.offset(), error.length(),
                           "there is no \"" + culprit + "\" without \"" + key + "\"");
  };
  if (culprit == kNormalisation && !config_.luminosity_pb) return missing("luminosity_pb");
  if (culprit == kEventWeight && config_.weights.empty()) return missing("weights");
  for (const auto* list : {&config_.define, &config_.weights})
    for (const Definition& each : *list)
      if (each.name.value == culprit && !definitions_.contains(culprit))
        return ExpressionError(error.text(), error.offset(), error.length(),
                               "\"" + culprit + "\" is defined further down, " +
                                   place_text(*config_.source, each.name.location) +
                                   ": definitions are used behind their places");
  const auto field = std::find_if(unsupported_fields_.begin(), unsupported_fields_.end(),
                                  [&](const io::UnsupportedField& each) { return each.name == culprit; });
  if (field == unsupported_fields_.end()) return error;
  return ExpressionError(error.text(), error.offset(), error.length(),
                         "the field \"" + field->name + "\" cannot be used in expressions: " + field->reason);
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
  try {
    builder_.define_external({correction.name.value, correction.function, correction.content});
  } catch (const SchemaError& error) {
    diagnostics_.add(correction.name.location, error.what());
  }
}

void SampleExpressions::define(const FunctionConfig& function) {
  try {
    builder_.define_function(function.signature.value, function.body.value);
  } catch (const ExpressionError& error) {
    diagnostics_.add(error.text() == function.body.value ? function.body : function.signature, error);
    const std::string& signature = function.signature.value;
    failed_functions_.add(signature.substr(0, signature.find('(')));
  }
}

void SampleExpressions::define(const NamedValue& value) {
  try {
    builder_.define_constant(value.name.value, value.value);
  } catch (const SchemaError& error) {
    diagnostics_.add(value.name.location, error.what());
  }
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
    const auto add = [&] { builder_.define(name, expression.value); };
    (check(expression, add) ? definitions_ : failed_definitions_).add(name);
  } catch (const SchemaError& error) {
    diagnostics_.add(definition.name.location, error.what());
  }
}

// The product of all factors, in their order.
void SampleExpressions::define_weight() {
  std::string product;
  for (const Definition& factor : config_.weights) {
    if (failed_definitions_.contains(factor.name.value)) return failed_definitions_.add(kEventWeight);
    product += (product.empty() ? "" : " * ") + factor.name.value;
  }
  const Text& first = config_.weights.front().name;
  const bool is_right = check({product, first.location}, [&] { builder_.define(kEventWeight, product); });
  (is_right ? definitions_ : failed_definitions_).add(kEventWeight);
}

void SampleExpressions::apply_mask() {
  constexpr const char* kFunction = "is_certified_";
  const std::string where = std::string(kFunction) + "(run, luminosityBlock)";
  try {
    builder_.define_ranges(kFunction, sample_.certified);
    all_events_ = builder_.select(kAllEntries, where);
  } catch (const ExpressionError& error) {
    diagnostics_.add(
        sample_.lumi_mask->location,
        "a luminosity mask needs the columns \"run\" and \"luminosityBlock\": " + error.problem());
  }
}

void SampleExpressions::vary(const Variation& variation) {
  std::vector<Replacement> replacements;
  const std::size_t num_mistakes = diagnostics_.size();
  for (const auto* list : {&variation.columns, &variation.weights})
    for (const Definition& each : *list) {
      if (failed_definitions_.contains(each.name.value)) return;
      try {
        builder_.type_of(each.name.value);
        check(each.expression, [&] { builder_.type_of_expression(each.expression.value); });
      } catch (const SchemaError& error) {
        diagnostics_.add(each.name.location, error.what());
      }
      replacements.push_back({each.name.value, each.expression.value});
    }
  if (diagnostics_.size() > num_mistakes) return;
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
  for (const auto* list : {&variation.columns, &variation.weights, &sample_.define, &sample_.weights,
                           &config_.define, &config_.weights})
    for (const Definition& each : *list)
      if (each.expression.value == expression) return each.expression;
  return variation.name;
}

}  // namespace skimline::skims
