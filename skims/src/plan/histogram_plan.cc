// SPDX-License-Identifier: BSD-3-Clause
#include "plan/histogram_plan.h"

#include "base/interruption.h"
#include "config/read/used_names.h"
#include "plan/histogram_specs.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

// What each fill of a histogram takes, but for its weights.
std::vector<std::string> values_of(const HistogramConfig& config) {
  std::vector<std::string> expressions;
  for (const AxisConfig& axis : config.axes) expressions.push_back(axis.value.value);
  if (config.profile) expressions.push_back(config.profile->value.value);
  return expressions;
}

// As a double of expressions.
std::string exact_text(double value) {
  const std::string digits = significant_digits(value, 17);
  return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
}

double factor_of(const Sample& sample, const SampleSum& sum) {
  const auto part = std::find_if(sum.parts.begin(), sum.parts.end(), [&](const SampleSum::Part& each) {
    return each.sample.value == sample.name.value;
  });
  return part->factor;
}

// The weight of what a sample adds to a sum. Equal factors of 1 leave counts as they are.
std::string weight_in(const SampleSum& sum, const Sample& sample, const std::string& weight) {
  const bool are_counts = weight.empty() && std::all_of(sum.parts.begin(), sum.parts.end(),
                                                        [](const auto& each) { return each.factor == 1; });
  if (are_counts) return "";
  const std::string factor = exact_text(factor_of(sample, sum));
  return weight.empty() ? factor : "(" + weight + ") * (" + factor + ")";
}

std::string weight_of(const HistogramKey& key, const Sample& sample) {
  const std::string weight = key.config->weight ? key.config->weight->value : "";
  if (key.weight_variation) return key.weight_variation->weight.value;
  return key.sum ? weight_in(*key.sum, sample, weight) : weight;
}

// Weighted sums are no integers.
io::CellType cell_type_of(const HistogramKey& key, const Sample& sample) {
  const bool has_become_weighted = !key.config->weight && !weight_of(key, sample).empty();
  return has_become_weighted && key.config->type == io::CellType::kInt ? io::CellType::kDouble
                                                                       : key.config->type;
}

std::string called(const HistogramConfig& config) { return "the histogram \"" + config.name.value + "\""; }

// Of a histogram, the weight that it is filled with.
const Text* weight_text(const HistogramKey& key) {
  if (key.weight_variation) return &key.weight_variation->weight;
  return key.config->weight ? &*key.config->weight : nullptr;
}

}  // namespace

HistogramPlan::HistogramPlan(SampleExpressions& expressions, EventSelections& selections,
                             histograms::HistogramSet& histograms, IsKnown is_known)
    : expressions_(expressions),
      selections_(selections),
      histograms_(histograms),
      is_known_(std::move(is_known)),
      config_(expressions.config()),
      sample_(expressions.sample()),
      naming_(config_, sample_),
      builder_(expressions.builder()),
      diagnostics_(expressions.mistakes()) {
  for (const HistogramConfig& histogram : config_.histograms) book(histogram);
}

void HistogramPlan::book(const HistogramConfig& config) {
  throw_if_interrupted();
  std::vector<Type> types;
  bool is_right = true;
  for (const AxisConfig& axis : config.axes) {
    const auto type =
        expressions_.check_type(axis.value, [&](const Type& each) { return problem_on(axis, each); });
    is_right = is_right && type;
    types.push_back(type.value_or(Type{}));
  }
  std::vector<const Text*> numbers;
  if (config.profile) numbers.push_back(&config.profile->value);
  if (config.weight) numbers.push_back(&*config.weight);
  for (const WeightVariation& variation : config.weight_variations) numbers.push_back(&variation.weight);
  for (const Text* number : numbers)
    is_right = expressions_.check_type(*number, problem_as_number) && is_right;
  std::vector<std::optional<std::size_t>> regions(config.events.regions.begin(), config.events.regions.end());
  if (regions.empty()) regions.push_back(std::nullopt);
  const std::size_t num_mistakes = diagnostics_.size();
  selections_.select(config.events, regions.front(), selections_.nominal(), called(config));
  if (is_right) check_collections(config);
  if (!is_right || diagnostics_.size() != num_mistakes) return;
  expressions_.check(config.axes.front().value, [&] {
    const histograms::HistogramSpec spec = spec_of(config, types);
    const std::string problem = is_json(config_.output) ? "" : problem_in_root_file(spec, config.type);
    if (!problem.empty()) throw ConfigError(problem);
    const bool counts = has_fill_for_each_event(config) && has_all_weights(config);
    for (const auto& region : regions) {
      book_in(region, config, spec);
      if (counts) note_counting(region, config);
    }
  });
}

// Lists of different collections have no elements that belong together, whatever their sizes are.
void HistogramPlan::check_collections(const HistogramConfig& config) {
  std::vector<const Text*> values;
  for (const AxisConfig& axis : config.axes) values.push_back(&axis.value);
  if (config.profile) values.push_back(&config.profile->value);
  if (config.weight) values.push_back(&*config.weight);
  for (const WeightVariation& variation : config.weight_variations) values.push_back(&variation.weight);
  const Text* first = nullptr;
  std::string expected;
  for (const Text* value : values) {
    const std::string found = builder_.collection_of({value->value});
    if (found.empty() || found == expected) continue;
    if (first)
      return diagnostics_.add(
          value->location,
          "this is a list for \"" + found + "\", and cannot be filled with one for \"" + expected + "\"",
          first->location, "the list for \"" + expected + "\"");
    first = value;
    expected = found;
  }
}

// Lists are filled for each element, and weights may be lists. What belongs into a cell that an axis lacks is
// lost.
bool HistogramPlan::has_fill_for_each_event(const HistogramConfig& config) {
  if (config.events.where || config.events.num_cuts || config.profile) return false;
  if (config.bad_weights == histograms::BadWeights::kSkip || config.type == io::CellType::kFloat)
    return false;
  std::vector<const Text*> values;
  for (const AxisConfig& axis : config.axes) {
    const histograms::AxisFlow& flow = axis.bins.flow;
    if (!flow.underflow || !flow.overflow) return false;
    values.push_back(&axis.value);
  }
  if (config.weight) values.push_back(&*config.weight);
  for (const WeightVariation& variation : config.weight_variations) values.push_back(&variation.weight);
  return std::all_of(values.begin(), values.end(), [&](const Text* value) {
    const auto type = expressions_.check_type(*value, [](const Type&) { return std::string(); });
    return type && !type->is_jagged();
  });
}

// What counts events in spite of the factors of the sample would stand beside, and be added to, what has
// them.
bool HistogramPlan::has_all_weights(const HistogramConfig& config) const {
  const bool has_factors = std::any_of(config_.weights.begin(), config_.weights.end(),
                                       [&](const auto& factor) { return has_factor(sample_, factor); });
  return !has_factors ||
         (config.weight && names_needed(config_, sample_, {config.weight->value}).contains(kEventWeight));
}

void HistogramPlan::note_counting(std::optional<std::size_t> region, const HistogramConfig& config) {
  const int weight = !config.weight ? 2 : config.weight->value == kEventWeight ? 0 : 1;
  const CountingRank rank{weight, config.axes.size()};
  const std::string name = region ? config_.regions[*region].name.value : "";
  const auto [found, is_new] = counting_.try_emplace(name, rank, config.name.value);
  if (!is_new && rank < found->second.first) found->second = {rank, config.name.value};
}

std::map<std::string, std::set<std::string>> HistogramPlan::counting() const {
  std::map<std::string, std::set<std::string>> histograms;
  for (const auto& [region, best] : counting_) histograms[region].insert(best.second);
  return histograms;
}

// What has equal positions is filled at once, each histogram with its own weight.
void HistogramPlan::book_in(std::optional<std::size_t> region, const HistogramConfig& config,
                            const histograms::HistogramSpec& spec) {
  std::vector<Fill> fills;
  FillNumbers weighted;
  std::optional<Fill> unvaried;
  for_each_key(config_, sample_, config, region ? &config_.regions[*region] : nullptr,
               [&](const HistogramKey& key) {
                 PlannedVariation* variation = selections_.planned(key.variation);
                 if (!variation) return;
                 Fill fill = fill_of(key, region, *variation);
                 if (!unvaried) unvaried = fill;
                 variation->is_different |= !is_same(fill, *unvaried);
                 const std::size_t id = histograms_.add(named_spec(key, spec));
                 booked_.push_back({key, weight_of(key, sample_), cell_type_of(key, sample_), fill.events});
                 if (is_known_) note_content(booked_.back(), fill);
                 if (booked_.back().is_known) return;
                 const std::size_t number = join(std::move(fill), fills, weighted);
                 fills[number].ids.push_back(id);
                 booked_.back().fill = fills_.size() + number;
               });
  for (Fill& fill : fills)
    builder_.fill_varied(fill.events, fill.expressions,
                         fills_.emplace_back(histograms_, std::move(fill.ids)));
}

void HistogramPlan::note_content(BookedHistogram& booked, const Fill& fill) {
  const histograms::HistogramSpec& spec = histograms_.spec(histograms_.size() - 1);
  SampleExpressions::in(booked.key.variation, [&] {
    booked.content = histogram_content(builder_, fill.events, fill.expressions, spec);
  });
  booked.is_known = is_known_(booked.content);
}

HistogramPlan::Fill HistogramPlan::fill_of(const HistogramKey& key, std::optional<std::size_t> region,
                                           const PlannedVariation& variation) {
  Fill fill;
  fill.events = selections_.select(key.config->events, region, variation, called(*key.config));
  SampleExpressions::in(variation.config, [&] {
    for (const std::string& value : values_of(*key.config)) {
      fill.expressions.push_back({value, variation.id});
      fill.values.push_back(builder_.value_number(fill.expressions.back()));
    }
    const std::string weight = weight_of(key, sample_);
    fill.is_weighted = !weight.empty();
    if (!fill.is_weighted) return;
    fill.expressions.push_back({weight, variation.id});
    fill.weights.push_back(builder_.value_number(fill.expressions.back()));
    const auto depth = [&](const VariedExpression& each) { return builder_.type_of_expression(each).depth; };
    fill.is_for_weights =
        std::all_of(fill.expressions.begin(), fill.expressions.end() - 1,
                    [&](const auto& each) { return depth(each) < depth(fill.expressions.back()); });
  });
  return fill;
}

bool HistogramPlan::is_same(const Fill& a, const Fill& b) {
  return a.events.index == b.events.index && a.values == b.values && a.weights == b.weights;
}

// Returns the number of the fill that does it too. Lists of weights decide themselves how often is filled.
std::size_t HistogramPlan::join(Fill fill, std::vector<Fill>& fills, FillNumbers& weighted) {
  if (fill.is_weighted && !fill.is_for_weights) {
    const auto [found, is_new] = weighted.try_emplace({fill.events.index, fill.values}, fills.size());
    if (!is_new) {
      fills[found->second].expressions.push_back(std::move(fill.expressions.back()));
      return found->second;
    }
  }
  fills.push_back(std::move(fill));
  return fills.size() - 1;
}

histograms::HistogramSpec HistogramPlan::named_spec(const HistogramKey& key,
                                                    histograms::HistogramSpec spec) const {
  spec.name = naming_.name_of(key);
  if (!has_weights(spec.storage) && !weight_of(key, sample_).empty())
    spec.storage = histograms::Storage::kWeighted;
  return spec;
}

// Too many cells are a mistake of the config.
void HistogramPlan::place() {
  try {
    histograms_.placements();
  } catch (const ConfigError& error) {
    diagnostics_.add(config_.histogram_memory ? config_.histogram_memory->location
                                              : config_.histograms.front().name.location,
                     error.what());
  }
}

// Of histograms that are filled together, the one whose weight is at fault, else the first.
std::optional<PlanUser> HistogramPlan::user_of(std::size_t fill, const std::string& expression) const {
  const BookedHistogram* found = nullptr;
  for (const BookedHistogram& each : booked_) {
    if (each.is_known || each.fill != fill) continue;
    if (!found || each.weight == expression) found = &each;
    if (each.weight == expression) break;
  }
  if (!found) return std::nullopt;
  const HistogramConfig& config = *found->key.config;
  PlanUser user{called(config), {}, found->key.variation, std::nullopt, true};
  for (const AxisConfig& axis : config.axes) user.expressions.push_back(&axis.value);
  if (config.profile) user.expressions.push_back(&config.profile->value);
  if (const Text* weight = weight_text(found->key)) user.expressions.push_back(weight);
  return user;
}

}  // namespace skimline::skims
