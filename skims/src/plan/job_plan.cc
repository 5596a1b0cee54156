// SPDX-License-Identifier: BSD-3-Clause
#include "plan/job_plan.h"

#include "config/read/expression_places.h"
#include "plan/histogram_specs.h"
#include "plan/mean_list_sizes.h"

#include "skimline/framework/plan_outline.h"

#include <utility>

namespace skimline::skims {

JobPlan::JobPlan(const Config& config, const PlanTarget& target)
    : config_(config),
      expressions_(config, target.sample, target.source, target.normalisation),
      selections_(expressions_),
      histograms_(expressions_, selections_, target.histograms, target.is_known),
      skims_(expressions_, selections_),
      weights_(target.threads) {
  if (mistakes().empty()) selections_.check_that_variations_matter();
  if (!mistakes().empty()) return;
  if (config.output.n_minus_1) selections_.count_without_each(target.uncounted);
  if (target.weight) sum(*target.weight, target.is_known);
  if (target.is_known) count_unknown(target.is_known);
  histograms_.place();
}

// Slices are cut once it is known what is read of them, and what is kept.
Plan JobPlan::build() {
  Plan plan = std::move(expressions_.builder()).build();
  io::InputSource& source = expressions_.source();
  io::ExpectedReading reading;
  for (const std::string& name : plan.columns_read()) reading.columns.push_back(*source.schema().find(name));
  for (const double bytes : written_bytes_of(plan, mean_list_sizes(source)))
    reading.kept_bytes_per_entry += bytes;
  source.expect(reading);
  return plan;
}

std::vector<std::string> JobPlan::warnings() {
  std::vector<std::string> messages;
  const ExpressionPlaces places(config_);
  for (const ExpressionWarning& warning : expressions_.builder().take_warnings()) {
    const std::optional<Location> place = places.of(warning.text, warning.offset, warning.length);
    messages.push_back(place ? marked_message(*config_.source, *place, "warning", warning.message)
                             : warning.message);
  }
  for (const PlannedSkim& skim : skims())
    for (std::string& warning : warnings_of(skim, *config_.source)) messages.push_back(std::move(warning));
  return messages;
}

std::vector<std::string> JobPlan::unused_names() const {
  std::vector<std::string> names = expressions_.builder().unused_definitions();
  // What files define need not be used.
  for (const io::TreeAlias& alias : expressions_.tree_aliases()) std::erase(names, alias.name);
  if (config_.luminosity_pb && !uses_normalisation()) names.emplace_back(kNormalisation);
  return names;
}

void JobPlan::write(const std::vector<std::string>& expressions, Sink& sink) {
  for (const std::string& expression : expressions) static_cast<void>(type_of(expression));
  std::vector<std::string> names;
  for (const std::string& expression : expressions) {
    // A name with a blank is that of nothing else.
    names.push_back(expressions_.source().schema().find(expression)
                        ? expression
                        : "output " + std::to_string(names.size()));
    if (names.back() != expression) expressions_.builder().define(names.back(), expression);
  }
  expressions_.builder().write(selections_.after(std::nullopt, nominal()), names, sink);
}

void JobPlan::sum(const Text& weight, const IsKnown& is_known) {
  const auto problem_of = [](const Type& type) {
    return type.depth != 0 ? "the weight of an event must be one number: this is " + name_of(type)
                           : problem_as_number(type);
  };
  if (!expressions_.check_type(weight, problem_of)) return;
  weight_ = weight.value;
  std::vector<SelectionId> selections = counted();
  if (is_known)
    std::erase_if(selections, [&](SelectionId each) { return is_known(*content_of_weight(each)); });
  expressions_.check(weight, [&] { weights_.book(expressions_.builder(), selections, weight.value); });
}

void JobPlan::count_unknown(const IsKnown& is_known) {
  std::vector<SelectionId> selections = counted();
  std::erase_if(selections, [&](SelectionId each) { return is_known(content_of_count(each)); });
  expressions_.builder().count_only(selections);
}

std::vector<SelectionId> JobPlan::counted() const {
  std::vector<SelectionId> selections;
  const auto add = [&](const std::vector<CountedStep>& steps) {
    for (const CountedStep& step : steps) selections.push_back(step.events);
  };
  add(n_minus_1());
  for (const PlannedVariation& variation : variations()) {
    add(cutflow(variation));
    selections.insert(selections.end(), variation.regions.begin(), variation.regions.end());
  }
  for (const PlannedSkim& skim : skims()) add(cutflow_of(skim));
  return selections;
}

ValueContent JobPlan::content_of_count(SelectionId selection) const {
  return count_content(expressions_.builder(), selection);
}

std::vector<ValueContent> JobPlan::contents_of_skims() {
  std::vector<ValueContent> contents;
  for (const PlannedSkim& skim : skims_.skims()) {
    contents.push_back(skims_.content_of(skim));
    if (!contents.back().is_known) return {};
  }
  return contents;
}

std::optional<ValueContent> JobPlan::content_of_weight(SelectionId selection) {
  if (!weight_) return std::nullopt;
  return weight_content(expressions_.builder(), selection, *weight_);
}

PlanUser JobPlan::user_of(const EvaluationPurpose& purpose, const std::string& expression) const {
  using Kind = EvaluationPurpose::Kind;
  if (purpose.kind == Kind::kWrite) return skims_.user_of(purpose.number);
  if (purpose.kind != Kind::kFill) return selections_.user_of(purpose.number);
  if (std::optional<PlanUser> user = histograms_.user_of(purpose.number, expression)) return std::move(*user);
  PlanUser sum{"the sum of weights", {}, nullptr, std::nullopt};
  const Sample& sample = expressions_.sample();
  if (sample.sum_weights) sum.expressions.push_back(&sample.sum_weights->weight);
  return sum;
}

}  // namespace skimline::skims
