// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/sample_columns.h"

#include "plan/aliases.h"
#include "plan/carried_columns.h"
#include "plan/collections.h"
#include "plan/known_files.h"
#include "plan/sample_inputs.h"
#include "plan/tree_aliases.h"
#include "plan/unusable_fields.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"

#include <algorithm>
#include <set>

namespace skimline::skims {
namespace {

std::set<std::string> names_of(const Definitions& definitions) {
  std::set<std::string> names;
  for (const auto& [name, expression] : definitions.definitions) names.insert(name);
  return names;
}

}  // namespace

SampleColumns::SampleColumns(const Config& config, std::size_t sample)
    : constants_(constants_of(config.samples.at(sample))),
      may_vary_(skims::may_vary(config.samples.at(sample))),
      is_data_(config.samples.at(sample).is_data) {
  SampleInputs inputs(config, config.samples.at(sample));
  source_ = inputs.open();
  name_columns(config, config.samples.at(sample));
  num_entries_ = source_->num_entries();
}

// Mistakes have their places in the config.
void SampleColumns::name_columns(const Config& config, const Sample& sample) {
  Diagnostics diagnostics(config.source);
  const std::vector<Definition> aliases = aliases_of(config, sample);
  schema_ = named_columns(*source_, aliases, diagnostics);
  collections_ =
      find_collections(schema_, source_->collections(), {config.collections, aliases}, diagnostics);
  diagnostics.throw_if_any();
  for (const ObjectConfig& objects : config.objects) objects_.push_back(definition_of(objects));
  PlanBuilder trial(schema_);
  tree_aliases_ = define_tree_aliases(*source_, schema_, {}, trial);
}

std::vector<std::string> SampleColumns::metadata_names() const {
  std::vector<std::string> names;
  for (const NamedValue& constant : constants_) names.push_back(constant.name.value);
  return names;
}

std::vector<std::string> SampleColumns::differences() const { return differences_of(*source_); }

std::vector<KnownFile> SampleColumns::known_files() const { return known_files_of(*source_); }

PlanBuilder SampleColumns::builder(const Definitions& definitions,
                                   const std::set<std::string>& more_names) const {
  PlanBuilder builder(schema_);
  for (const MemberColumns& collection : collections_) builder.add_collection(collection);
  for (const ObjectDefinition& objects : objects_) builder.define_objects(objects);
  for (const ExternalFunction& function : definitions.external) builder.define_external(function);
  for (const auto& [signature, body] : definitions.functions) builder.define_function(signature, body);
  for (const NamedValue& constant : constants_) builder.define_constant(constant.name.value, constant.value);
  std::set<std::string> taken = names_of(definitions);
  taken.insert(more_names.begin(), more_names.end());
  define_tree_aliases(*source_, schema_, taken, builder);
  for (const auto& [name, expression] : definitions.definitions) builder.define(name, expression);
  return builder;
}

// Whether definitions from this one on have the name of a tree's alias.
bool SampleColumns::takes_alias(const Definitions& definitions, std::size_t first) const {
  return std::any_of(tree_aliases_.begin(), tree_aliases_.end(), [&](const io::TreeAlias& alias) {
    return std::any_of(definitions.definitions.begin() + static_cast<std::ptrdiff_t>(first),
                       definitions.definitions.end(),
                       [&](const auto& each) { return each.first == alias.name; });
  });
}

// The builder with these definitions, which is the last one with those that came since; to be called with the
// mutex.
const PlanBuilder& SampleColumns::known(const Definitions& definitions) const {
  Known& last = *known_;
  const bool is_longer =
      last.builder && last.functions == definitions.functions &&
      last.definitions.size() <= definitions.definitions.size() &&
      std::equal(last.definitions.begin(), last.definitions.end(), definitions.definitions.begin());
  if (!is_longer || takes_alias(definitions, last.definitions.size())) {
    last.builder.reset();
    last.definitions.clear();
    last.functions = definitions.functions;
    last.builder = builder({last.functions, {}}, names_of(definitions));
  }
  for (std::size_t i = last.definitions.size(); i < definitions.definitions.size(); ++i) {
    const auto& [name, expression] = definitions.definitions[i];
    last.builder->define(name, expression);
    last.definitions.emplace_back(name, expression);
  }
  return *last.builder;
}

template <typename Check>
auto SampleColumns::explained(Check check) const {
  try {
    return check();
  } catch (const ExpressionError& error) {
    throw with_reason(with_reason(error, source_->unsupported_fields()), tree_aliases_,
                      source_->unused_friends());
  }
}

Type SampleColumns::type_of(const Definitions& definitions, std::string_view expression) const {
  return explained([&] {
    if (!definitions.external.empty()) return builder(definitions).type_of_expression(expression);
    const std::lock_guard lock(known_->mutex);
    return known(definitions).type_of_expression(expression);
  });
}

void SampleColumns::check_definition(const Definitions& definitions, const std::string& name,
                                     const std::string& expression) const {
  explained([&] {
    if (!definitions.external.empty()) {
      builder(definitions, {name}).define(name, expression);
      return;
    }
    Definitions more = definitions;
    more.definitions.emplace_back(name, expression);
    const std::lock_guard lock(known_->mutex);
    known(more);
  });
}

void SampleColumns::check_condition(const Definitions& definitions, std::string_view expression) const {
  explained([&] { builder(definitions).select(kAllEntries, expression); });
}

void SampleColumns::check_function(const Definitions& definitions, std::string_view signature,
                                   std::string_view body) const {
  explained([&] { builder(definitions).define_function(signature, body); });
}

void SampleColumns::check_name(const Definitions& definitions, std::string_view name) const {
  builder(definitions, {std::string(name)}).define(std::string(name), "0");
}

void SampleColumns::check_variation(const Definitions& definitions, const NamedVariation& variation) const {
  std::vector<Replacement> replacements = variation.replacements;
  for (Replacement& each : replacements) each.name = quoted_name(each.name).value_or(each.name);
  try {
    builder(definitions).vary(variation.name, replacements);
  } catch (const ExpressionError& mistake) {
    const ExpressionError error = with_reason(mistake, source_->unsupported_fields());
    throw ExpressionError(error.text(), error.offset(), error.length(),
                          error.problem() + " (in the variation \"" + variation.name + "\")");
  }
}

std::vector<ColumnInfo> SampleColumns::types_of(const Definitions& definitions) const {
  const PlanBuilder built = builder(definitions);
  std::vector<ColumnInfo> columns;
  for (const auto& [name, expression] : definitions.definitions)
    columns.push_back({name, built.type_of(name), expression});
  return columns;
}

}  // namespace skimline::skims
