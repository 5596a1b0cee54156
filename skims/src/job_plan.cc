// SPDX-License-Identifier: BSD-3-Clause
#include "job_plan.h"

#include "column_patterns.h"
#include "expression_places.h"
#include "histogram_specs.h"

#include "skimline/io/tree_sink.h"

#include <algorithm>

namespace skimline::skims {
namespace {

// What each fill of a histogram takes, but for its weights.
std::vector<std::string> values_of(const HistogramConfig& config) {
  std::vector<std::string> expressions;
  for (const AxisConfig& axis : config.axes) expressions.push_back(axis.value.value);
  if (config.profile) expressions.push_back(config.profile->value.value);
  return expressions;
}

// Where the config says that a skim keeps something.
const Text& pattern_for(const SkimConfig& skim, const std::string& name) {
  const auto found = std::find_if(skim.keep.begin(), skim.keep.end(),
                                  [&](const Text& pattern) { return matches_pattern(name, pattern.value); });
  return found == skim.keep.end() ? skim.name : *found;
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
  for (const ExternalFunction& function : config.external_functions) define(function);
  for (const FunctionConfig& function : config.functions) define(function);
  builder_.define_constant("sample_", sample_.name.value);
  if (sample_.cross_section_pb) builder_.define_constant("cross_section_pb", *sample_.cross_section_pb);
  for (const NamedValue& value : sample_.metadata) define(value);
  if (sample_.lumi_mask) apply_mask();
  for (const Definition& definition : config.define) define(definition);
  for (const Cut& cut : config.select) apply(cut);
  for (const Region& region : config.regions) add(region);
  for (const HistogramConfig& histogram : config.histograms) book(histogram, target.histograms);
  for (const SkimConfig& skim : config.skims) plan(skim);
  if (!diagnostics_.empty()) return;
  for (std::size_t cut = 0; config.output.n_minus_1 && cut < cuts_.size(); ++cut) count_without(cut);
  if (target.weight) sum(*target.weight);
  place(target.histograms);
}

std::vector<CountedStep> JobPlan::cutflow() const {
  std::vector<CountedStep> steps{{kAllEvents, kAllEntries}};
  if (sample_.lumi_mask) steps.push_back({kLumiMask, base_});
  for (std::size_t i = 0; i < cuts_.size(); ++i) steps.push_back({config_.select[i].name.value, cuts_[i]});
  return steps;
}

std::vector<CountedStep> JobPlan::cutflow_of(const PlannedSkim& skim) const {
  const EventChoice& events = skim.config->events;
  const Region* region = events.regions.empty() ? nullptr : &config_.regions[events.regions.front()];
  std::vector<CountedStep> steps = cutflow();
  const std::size_t num_cuts = (region ? region->num_cuts : events.num_cuts).value_or(config_.select.size());
  steps.resize(steps.size() - config_.select.size() + num_cuts);
  if (region) steps.push_back({"region " + region->name.value, regions_[events.regions.front()]});
  if (events.where) steps.push_back({"skim " + skim.config->name.value, skim.selection});
  return steps;
}

std::optional<SelectionId> JobPlan::certified() const {
  if (!sample_.lumi_mask) return std::nullopt;
  return base_;
}

std::vector<std::string> JobPlan::warnings() {
  std::vector<std::string> messages;
  for (const ExpressionWarning& warning : builder_.take_warnings()) {
    const std::optional<Location> place = place_of(config_, warning.text, warning.offset, warning.length);
    messages.push_back(place ? marked_message(*config_.source, *place, "warning", warning.message)
                             : warning.message);
  }
  for (const LeftOut& each : left_out_)
    messages.push_back("warning: the skim \"" + each.skim->name.value + "\" is written without " + each.what);
  const std::vector<std::string> unused = builder_.unused_definitions();
  for (const Definition& definition : config_.define)
    if (std::count(unused.begin(), unused.end(), definition.name.value) != 0 &&
        !is_included(*config_.source, definition.name.location))
      messages.push_back(marked_message(*config_.source, definition.name.location, "warning",
                                        "the definition \"" + definition.name.value + "\" is not used"));
  return messages;
}

void JobPlan::write(const PlannedSkim& skim, Sink& sink) {
  builder_.write(skim.selection, skim.computed.names(), sink);
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
  builder_.write(after(std::nullopt), names, sink);
}

template <typename Step>
bool JobPlan::check(const Text& text, Step step) {
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

// Notes a mistake, unless it follows from that of a definition.
void JobPlan::report(const Text& text, const ExpressionError& error) {
  const std::string culprit =
      error.text().substr(std::min(error.offset(), error.text().size()), error.length());
  for (const auto* failed : {&failed_definitions_, &failed_functions_})
    if (std::count(failed->begin(), failed->end(), culprit) != 0) return;
  diagnostics_.add(text, explained(error));
}

// Says of names that are fields but no columns why that is so.
ExpressionError JobPlan::explained(const ExpressionError& error) const {
  const std::string culprit =
      error.text().substr(std::min(error.offset(), error.text().size()), error.length());
  const auto field = std::find_if(unsupported_fields_.begin(), unsupported_fields_.end(),
                                  [&](const io::UnsupportedField& each) { return each.name == culprit; });
  if (field == unsupported_fields_.end()) return error;
  return ExpressionError(error.text(), error.offset(), error.length(),
                         "the field \"" + field->name + "\" cannot be used in expressions: " + field->reason);
}

template <typename ProblemOf>
std::optional<Type> JobPlan::check_type(const Text& text, ProblemOf problem_of) {
  std::optional<Type> type;
  check(text, [&] {
    const Type found = builder_.type_of_expression(text.value);
    if (const std::string problem = problem_of(found); !problem.empty())
      throw ExpressionError(text.value, 0, text.value.size(), problem);
    type = found;
  });
  return type;
}

// It has no place in the text, so that its mistakes are no diagnostics.
void JobPlan::define(const ExternalFunction& function) {
  try {
    builder_.define_external(function);
  } catch (const SchemaError& error) {
    throw ConfigError("function \"" + function.name + "\": " + error.what());
  }
}

void JobPlan::define(const FunctionConfig& function) {
  try {
    builder_.define_function(function.signature.value, function.body.value);
  } catch (const ExpressionError& error) {
    diagnostics_.add(error.text() == function.body.value ? function.body : function.signature, error);
    const std::string& signature = function.signature.value;
    failed_functions_.push_back(signature.substr(0, signature.find('(')));
  }
}

void JobPlan::define(const NamedValue& value) {
  try {
    builder_.define_constant(value.name.value, value.value);
  } catch (const SchemaError& error) {
    diagnostics_.add(value.name.location, error.what());
  }
}

void JobPlan::define(const Definition& definition) {
  const std::string& name = definition.name.value;
  try {
    const auto add = [&] { builder_.define(name, definition.expression.value); };
    (check(definition.expression, add) ? definitions_ : failed_definitions_).push_back(name);
  } catch (const SchemaError& error) {
    diagnostics_.add(definition.name.location, error.what());
  }
}

SelectionId JobPlan::after(std::optional<std::size_t> num_cuts) const {
  const std::size_t count = num_cuts.value_or(cuts_.size());
  return count == 0 ? base_ : cuts_.at(count - 1);
}

void JobPlan::apply(const Cut& cut) {
  SelectionId selection = cuts_.empty() ? base_ : cuts_.back();
  check(cut.where, [&] { selection = builder_.select(selection, cut.where.value); });
  cuts_.push_back(selection);
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
  for (std::size_t other = 0; other < config_.select.size(); ++other)
    if (other != cut) selection = builder_.select(selection, config_.select[other].where.value);
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
  add(cutflow());
  add(n_minus_1_);
  for (const SelectionId region : regions_) selections.push_back(region);
  for (const PlannedSkim& skim : skims_) add(cutflow_of(skim));
  check(weight, [&] { weights_.book(builder_, selections, weight.value); });
}

void JobPlan::add(const Region& region) {
  SelectionId selection = after(region.num_cuts);
  check(region.where, [&] { selection = builder_.select(selection, region.where.value); });
  regions_.push_back(selection);
}

// One selection for each region, or a single one. A mistake in "where" is noted once.
std::vector<SelectionId> JobPlan::select(const EventChoice& events) {
  std::vector<SelectionId> selections;
  for (const std::size_t region : events.regions) selections.push_back(regions_.at(region));
  if (selections.empty()) selections.push_back(after(events.num_cuts));
  if (events.where)
    check(*events.where, [&] {
      for (SelectionId& selection : selections) selection = builder_.select(selection, events.where->value);
    });
  return selections;
}

void JobPlan::book(const HistogramConfig& config, histograms::HistogramSet& histograms) {
  const std::vector<SelectionId> selections = select(config.events);
  std::vector<Type> types;
  bool is_right = true;
  for (const AxisConfig& axis : config.axes) {
    const auto type = check_type(axis.value, [&](const Type& each) { return problem_on(axis, each); });
    is_right = is_right && type;
    types.push_back(type.value_or(Type{}));
  }
  std::vector<const Text*> numbers;
  if (config.profile) numbers.push_back(&config.profile->value);
  if (config.weight) numbers.push_back(&*config.weight);
  for (const WeightVariation& variation : config.weight_variations) numbers.push_back(&variation.weight);
  for (const Text* number : numbers) is_right = check_type(*number, problem_as_number) && is_right;
  if (!is_right) return;
  check(config.axes.front().value, [&] {
    const histograms::HistogramSpec spec = spec_of(config, types);
    const std::string problem = is_json(config_.output) ? "" : problem_in_root_file(spec, config.type);
    if (!problem.empty()) throw ConfigError(problem);
    const std::vector<std::size_t>& regions = config.events.regions;
    if (regions.empty()) book_once(config, spec, nullptr, selections.front(), histograms);
    for (std::size_t i = 0; i < regions.size(); ++i)
      book_once(config, spec, &config_.regions[regions[i]], selections[i], histograms);
  });
}

// One histogram for each weight, all of them filled at once.
void JobPlan::book_once(const HistogramConfig& config, const histograms::HistogramSpec& spec,
                        const Region* region, SelectionId events, histograms::HistogramSet& histograms) {
  std::vector<std::string> expressions = values_of(config);
  std::vector<std::size_t> ids;
  const auto add = [&](const Text* weight, const WeightVariation* variation) {
    histograms::HistogramSpec named = spec;
    named.name = naming_.name_of(config, region, variation);
    ids.push_back(histograms.add(std::move(named)));
    if (weight) expressions.push_back(weight->value);
    booked_.push_back({&config, weight, region, variation, events, fills_.size()});
  };
  add(config.weight ? &*config.weight : nullptr, nullptr);
  for (const WeightVariation& variation : config.weight_variations) add(&variation.weight, &variation);
  builder_.fill(events, expressions, fills_.emplace_back(histograms, std::move(ids)));
}

// Too many cells are a mistake of the config.
void JobPlan::place(histograms::HistogramSet& histograms) {
  try {
    histograms.placements();
  } catch (const ConfigError& error) {
    diagnostics_.add(config_.histogram_memory ? config_.histogram_memory->location
                                              : config_.histograms.front().name.location,
                     error.what());
  }
}

void JobPlan::plan(const SkimConfig& config) {
  ColumnNames names{schema_.names(), definitions_};
  for (const io::UnsupportedField& field : unsupported_fields_) names.fields.push_back(field.name);
  // A definition that failed may still be named; its own error is reported already.
  names.definitions.insert(names.definitions.end(), failed_definitions_.begin(), failed_definitions_.end());
  PlannedSkim skim;
  skim.config = &config;
  skim.selection = select(config.events).front();
  std::vector<std::string> kept = kept_columns(config, names, diagnostics_);
  check_can_be_kept(config, kept);
  std::erase_if(kept, [&](const std::string& name) { return cannot_be_kept(config, name); });
  if (config.format == io::DataFormat::kTTree) check_tree_can_hold(config, kept);
  if (!diagnostics_.empty()) return;
  divide(kept, skim);
  skims_.push_back(std::move(skim));
}

void JobPlan::check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept) {
  for (const std::string& name : kept) {
    if (std::count(definitions_.begin(), definitions_.end(), name) == 0) continue;
    const Type type = builder_.type_of(name);
    if (type.scalar == ScalarType::kLorentzVector)
      diagnostics_.add(pattern_for(config, name).location,
                       "\"" + name + "\" is a " + name_of(type) +
                           ", which a skim cannot hold: keep its pt(), eta(), phi() and mass() instead");
  }
}

// What cannot be read is a mistake if it is asked for by its name, else it is only said.
bool JobPlan::cannot_be_kept(const SkimConfig& config, const std::string& name) {
  const auto field =
      std::find_if(unsupported_fields_.begin(), unsupported_fields_.end(),
                   [&](const io::UnsupportedField& each) { return each.name == name && !each.is_carriable; });
  if (field == unsupported_fields_.end()) return false;
  const Text& pattern = pattern_for(config, name);
  const bool is_asked_for = !config.keep.empty() && pattern.value.find_first_of("*?") == std::string::npos;
  if (is_asked_for)
    diagnostics_.add(pattern.location, "\"" + name + "\" cannot be kept: " + field->reason);
  else
    left_out_.push_back({&config, name + " (" + field->reason + ")"});
  return true;
}

void JobPlan::check_tree_can_hold(const SkimConfig& config, const std::vector<std::string>& kept) {
  std::string names;
  for (const std::string& name : kept) {
    const bool is_unsupported =
        std::any_of(unsupported_fields_.begin(), unsupported_fields_.end(),
                    [&](const io::UnsupportedField& field) { return field.name == name; });
    const bool has_failed = std::count(failed_definitions_.begin(), failed_definitions_.end(), name) != 0;
    if (has_failed || (!is_unsupported && io::problem_in_tree(builder_.type_of(name)).empty())) continue;
    names += (names.empty() ? "\"" : ", \"") + name + "\"";
  }
  if (!names.empty())
    diagnostics_.add(config.format_location.value_or(config.name.location),
                     names +
                         " cannot be written as TTree: leave out what is listed with \"drop\", or write an "
                         "RNTuple");
}

// Fields of the input are carried as they are stored; the rest is computed.
void JobPlan::divide(const std::vector<std::string>& kept, PlannedSkim& skim) {
  const SkimConfig& config = *skim.config;
  std::vector<std::string> fields, computed;
  for (const std::string& name : kept)
    (std::count(definitions_.begin(), definitions_.end(), name) != 0 ? computed : fields).push_back(name);
  io::Carrying carrying;
  if (config.format == io::DataFormat::kTTree) {
    carrying.computed = fields;  // a TTree has no fields to be carried
    skim.collections = source_.lists_of_equal_sizes();
  } else {
    carrying = source_.carry(fields);
    skim.collections = source_.collections();
  }
  skim.carried = std::move(carrying.fields);
  for (const std::string& name : fields)
    if (std::count(carrying.computed.begin(), carrying.computed.end(), name) == 0)
      skim.carried_names.push_back(name);
  computed.insert(computed.begin(), carrying.computed.begin(), carrying.computed.end());
  for (const std::string& name : computed) {
    const auto column = schema_.find(name);
    skim.computed.add({name, builder_.type_of(name), column ? schema_[*column].description : ""});
  }
  skim.num_columns = kept.size();
}

}  // namespace skimline::skims
