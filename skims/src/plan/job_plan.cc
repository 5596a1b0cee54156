// SPDX-License-Identifier: BSD-3-Clause
#include "base/interruption.h"
#include "config/read/expression_places.h"
#include "plan/column_patterns.h"
#include "plan/histogram_specs.h"
#include "plan/job_plan_checks.h"
#include "plan/mean_list_sizes.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/plan_outline.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace skimline::skims {
namespace {

// `the cut "two muons"`.
std::string called(const std::string& kind, const Text& name) {
  return "the " + kind + " \"" + name.value + "\"";
}

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

JobPlan::JobPlan(const Config& config, const PlanTarget& target)
    : config_(config),
      sample_(target.sample),
      naming_(config, target.sample),
      source_(target.source),
      schema_(source_.schema()),
      unsupported_fields_(source_.unsupported_fields()),
      builder_(schema_, [this](std::size_t column) { return source_.stored_bytes(column); }),
      diagnostics_(config.source),
      weights_(target.threads) {
  check_defaults();
  for (const ExternalFunction& function : config.external_functions) define(function);
  for (const CorrectionConfig& correction : config.corrections) define(correction);
  for (const FunctionConfig& function : config.functions) define(function);
  for (const NamedValue& value : constants_of(sample_)) define(value);
  if (sample_.lumi_mask) apply_mask();
  if (config.luminosity_pb) builder_.define_constant(kNormalisation, target.normalisation);
  define_all(config.define, sample_.define);
  define_all(common_weights(config, sample_), sample_.weights);
  if (!config.weights.empty()) define_weight();
  for (const Variation& variation : config.variations)
    if (has_variation(sample_, variation)) vary(variation);
  for (const Cut& cut : config.select) apply(cut);
  for (const Region& region : config.regions) add(region);
  for (const HistogramConfig& histogram : config.histograms) book(histogram, target.histograms);
  for (const SkimConfig& skim : config.skims) plan(skim);
  if (diagnostics_.empty()) check_that_variations_matter();
  if (!diagnostics_.empty()) return;
  for (std::size_t cut = 0; config.output.n_minus_1 && cut < config.select.size(); ++cut)
    if (!target.uncounted.contains(cut)) count_without(cut);
  if (target.weight) sum(*target.weight);
  place(target.histograms);
}

// Slices are cut once it is known what is read of them, and what is kept.
Plan JobPlan::build() {
  Plan plan = std::move(builder_).build();
  io::ExpectedReading reading;
  for (const std::string& name : plan.columns_read()) reading.columns.push_back(*schema_.find(name));
  for (const double bytes : written_bytes_of(plan, mean_list_sizes(source_)))
    reading.kept_bytes_per_entry += bytes;
  source_.expect(reading);
  return plan;
}

std::vector<CountedStep> JobPlan::cutflow(const PlannedVariation& variation) const {
  std::vector<CountedStep> steps{{kAllEvents, kAllEntries}};
  if (sample_.lumi_mask) steps.push_back({kLumiMask, base_});
  for (std::size_t i = 0; i < variation.cuts.size(); ++i)
    steps.push_back({config_.select[i].name.value, variation.cuts[i]});
  return steps;
}

std::vector<CountedStep> JobPlan::cutflow_of(const PlannedSkim& skim) const {
  const EventChoice& events = skim.config->events;
  const Region* region = events.regions.empty() ? nullptr : &config_.regions[events.regions.front()];
  std::vector<CountedStep> steps = cutflow();
  steps.resize(steps.size() - config_.select.size() + skim.num_common_cuts);
  if (!skim.config->variations.empty()) {
    steps.push_back({"skim " + skim.config->name.value, skim.selection});
    return steps;
  }
  if (region) steps.push_back({"region " + region->name.value, nominal().regions[events.regions.front()]});
  if (events.where) steps.push_back({"skim " + skim.config->name.value, skim.selection});
  return steps;
}

std::optional<SelectionId> JobPlan::certified() const {
  if (!sample_.lumi_mask) return std::nullopt;
  return base_;
}

std::vector<std::string> JobPlan::warnings() {
  std::vector<std::string> messages;
  const ExpressionPlaces places(config_);
  for (const ExpressionWarning& warning : builder_.take_warnings()) {
    const std::optional<Location> place = places.of(warning.text, warning.offset, warning.length);
    messages.push_back(place ? marked_message(*config_.source, *place, "warning", warning.message)
                             : warning.message);
  }
  for (const PlannedSkim& skim : skims_)
    for (std::string& warning : warnings_of(skim, *config_.source)) messages.push_back(std::move(warning));
  return messages;
}

std::vector<std::string> JobPlan::unused_names() const {
  std::vector<std::string> names = builder_.unused_definitions();
  if (config_.luminosity_pb && !uses_normalisation()) names.emplace_back(kNormalisation);
  return names;
}

void JobPlan::write(const PlannedSkim& skim, Sink& sink) {
  builder_.write(skim.selection, skim.computed_from, sink);
}

// Names of columns need not be expressions.
Type JobPlan::type_of(const std::string& expression) const {
  try {
    return schema_.find(expression) ? builder_.type_of(expression) : builder_.type_of_expression(expression);
  } catch (const ExpressionError& error) {
    throw explained(error);
  }
}

void JobPlan::write(const std::vector<std::string>& expressions, Sink& sink) {
  for (const std::string& expression : expressions) static_cast<void>(type_of(expression));
  std::vector<std::string> names;
  for (const std::string& expression : expressions) {
    // A name with a blank is that of nothing else.
    names.push_back(schema_.find(expression) ? expression : "output " + std::to_string(names.size()));
    if (names.back() != expression) builder_.define(names.back(), expression);
  }
  builder_.write(after(std::nullopt, nominal()), names, sink);
}

// Notes a mistake, unless it follows from that of a definition.
void JobPlan::report(const Text& text, const ExpressionError& error) {
  const std::string culprit = culprit_of(error);
  for (const auto* failed : {&failed_definitions_, &failed_functions_})
    if (failed->contains(culprit)) return;
  diagnostics_.add(text, explained(error));
}

// Says of names that are fields but no columns, or that a config has to ask for, why that is so.
ExpressionError JobPlan::explained(const ExpressionError& error) const {
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
void JobPlan::check_defaults() {
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
void JobPlan::define(const ExternalFunction& function) {
  try {
    builder_.define_external(function);
  } catch (const SchemaError& error) {
    throw ConfigError("function \"" + function.name + "\": " + error.what());
  }
}

void JobPlan::define(const CorrectionConfig& correction) {
  try {
    builder_.define_external({correction.name.value, correction.function});
  } catch (const SchemaError& error) {
    diagnostics_.add(correction.name.location, error.what());
  }
}

void JobPlan::define(const FunctionConfig& function) {
  try {
    builder_.define_function(function.signature.value, function.body.value);
  } catch (const ExpressionError& error) {
    diagnostics_.add(error.text() == function.body.value ? function.body : function.signature, error);
    const std::string& signature = function.signature.value;
    failed_functions_.add(signature.substr(0, signature.find('(')));
  }
}

void JobPlan::define(const NamedValue& value) {
  try {
    builder_.define_constant(value.name.value, value.value);
  } catch (const SchemaError& error) {
    diagnostics_.add(value.name.location, error.what());
  }
}

// A sample may have expressions of its own.
void JobPlan::define_all(const std::vector<Definition>& definitions, const std::vector<Definition>& own) {
  std::unordered_map<std::string_view, const Text*> expressions;
  for (const Definition& each : own) expressions.emplace(each.name.value, &each.expression);
  for (const Definition& definition : definitions) {
    const auto found = expressions.find(definition.name.value);
    define(definition, found == expressions.end() ? definition.expression : *found->second);
  }
}

void JobPlan::define(const Definition& definition, const Text& expression) {
  stop_if_asked();
  const std::string& name = definition.name.value;
  try {
    const auto add = [&] { builder_.define(name, expression.value); };
    (check(expression, add) ? definitions_ : failed_definitions_).add(name);
  } catch (const SchemaError& error) {
    diagnostics_.add(definition.name.location, error.what());
  }
}

// The product of all factors, in their order.
void JobPlan::define_weight() {
  std::string product;
  for (const Definition& factor : config_.weights) {
    if (failed_definitions_.contains(factor.name.value)) return failed_definitions_.add(kEventWeight);
    product += (product.empty() ? "" : " * ") + factor.name.value;
  }
  const Text& first = config_.weights.front().name;
  const bool is_right = check({product, first.location}, [&] { builder_.define(kEventWeight, product); });
  (is_right ? definitions_ : failed_definitions_).add(kEventWeight);
}

void JobPlan::vary(const Variation& variation) {
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
    variations_.push_back({&variation, builder_.vary(variation.name.value, replacements), {}, {}});
    variation_numbers_.emplace(&variation, variations_.size() - 1);
  } catch (const ExpressionError& error) {
    diagnostics_.add(text_of(variation, error.text()), in_variation(error, variation));
  }
}

PlannedVariation* JobPlan::planned(const Variation* variation) {
  const auto found = variation_numbers_.find(variation);
  return found == variation_numbers_.end() ? nullptr : &variations_[found->second];
}

ExpressionError JobPlan::in_variation(const ExpressionError& error, const Variation& variation) {
  return ExpressionError(error.text(), error.offset(), error.length(),
                         error.problem() + " (in the variation \"" + variation.name.value + "\")");
}

// The text in the config that a variation has a mistake in: of a replacement, or of what follows it.
const Text& JobPlan::text_of(const Variation& variation, const std::string& expression) const {
  for (const auto* list : {&variation.columns, &variation.weights, &sample_.define, &sample_.weights,
                           &config_.define, &config_.weights})
    for (const Definition& each : *list)
      if (each.expression.value == expression) return each.expression;
  return variation.name;
}

SelectionId JobPlan::after(std::optional<std::size_t> num_cuts, const PlannedVariation& variation) const {
  const std::size_t count = num_cuts.value_or(variation.cuts.size());
  return count == 0 ? base_ : variation.cuts.at(count - 1);
}

void JobPlan::apply(const Cut& cut) {
  const std::string user = called("cut", cut.name);
  const std::size_t num_mistakes = diagnostics_.size();
  for (PlannedVariation& variation : variations_) {
    const SelectionId parent = after(std::nullopt, variation);
    variation.cuts.push_back(diagnostics_.size() == num_mistakes ? select(parent, cut.where, variation, user)
                                                                 : parent);
  }
}

void JobPlan::apply_mask() {
  constexpr const char* kFunction = "is_certified_";
  const std::string where = std::string(kFunction) + "(run, luminosityBlock)";
  try {
    builder_.define_ranges(kFunction, sample_.certified);
    base_ = builder_.select(kAllEntries, where);
  } catch (const ExpressionError& error) {
    diagnostics_.add(
        sample_.lumi_mask->location,
        "a luminosity mask needs the columns \"run\" and \"luminosityBlock\": " + error.problem());
  }
}

// A selection after all cuts but one.
void JobPlan::count_without(std::size_t cut) {
  SelectionId selection = base_;
  for (std::size_t other = 0; other < config_.select.size(); ++other) {
    if (other == cut) continue;
    const Cut& applied = config_.select[other];
    selection = builder_.select(selection, applied.where.value);
    users_.try_emplace(selection.index, PlanUser{called("cut", applied.name) + " without " +
                                                     called("cut", config_.select[cut].name),
                                                 {&applied.where},
                                                 nullptr,
                                                 cut});
  }
  n_minus_1_.push_back({config_.select[cut].name.value, selection});
}

void JobPlan::sum(const Text& weight) {
  const auto problem_of = [](const Type& type) {
    return type.depth != 0 ? "the weight of an event must be one number: this is " + name_of(type)
                           : problem_as_number(type);
  };
  if (!check_type(weight, problem_of)) return;
  std::vector<SelectionId> selections;
  const auto add = [&](const std::vector<CountedStep>& steps) {
    for (const CountedStep& step : steps) selections.push_back(step.events);
  };
  add(n_minus_1_);
  for (const PlannedVariation& variation : variations_) {
    add(cutflow(variation));
    selections.insert(selections.end(), variation.regions.begin(), variation.regions.end());
  }
  for (const PlannedSkim& skim : skims_) add(cutflow_of(skim));
  check(weight, [&] { weights_.book(builder_, selections, weight.value); });
}

void JobPlan::add(const Region& region) {
  const std::string user = called("region", region.name);
  const std::size_t num_mistakes = diagnostics_.size();
  for (PlannedVariation& variation : variations_) {
    const SelectionId parent = after(region.num_cuts, variation);
    variation.regions.push_back(
        diagnostics_.size() == num_mistakes ? select(parent, region.where, variation, user) : parent);
  }
}

// What the user asked for must not be a copy of what is nominal.
void JobPlan::check_that_variations_matter() {
  for (const PlannedVariation& variation : variations_) {
    if (!variation.config || variation.config->may_change_nothing || variation.is_different) continue;
    const auto is_same = [](SelectionId a, SelectionId b) { return a.index == b.index; };
    if (!std::equal(variation.cuts.begin(), variation.cuts.end(), nominal().cuts.begin(), is_same) ||
        !std::equal(variation.regions.begin(), variation.regions.end(), nominal().regions.begin(), is_same))
      continue;
    diagnostics_.add(variation.config->name.location,
                     "the variation \"" + variation.config->name.value +
                         "\" changes no selection and no histogram of the sample \"" + sample_.name.value +
                         "\": choose others with \"samples\", or give \"allow_unchanged\": true");
  }
}

SelectionId JobPlan::select(const EventChoice& events, std::optional<std::size_t> region,
                            const PlannedVariation& variation, const std::string& user) {
  const SelectionId chosen = region ? variation.regions.at(*region) : after(events.num_cuts, variation);
  return events.where ? select(chosen, *events.where, variation, user) : chosen;
}

// Without the condition if there is a mistake in it.
SelectionId JobPlan::select(SelectionId parent, const Text& where, const PlannedVariation& variation,
                            const std::string& user) {
  SelectionId selection = parent;
  check(where, [&] {
    in(variation, [&] { selection = builder_.select(parent, where.value, variation.id); });
    users_.try_emplace(selection.index, PlanUser{user, {&where}, variation.config, std::nullopt});
  });
  return selection;
}

}  // namespace skimline::skims
