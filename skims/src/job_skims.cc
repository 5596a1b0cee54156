// SPDX-License-Identifier: BSD-3-Clause
// The skims of a plan: their columns, and the events that they take.
#include "column_patterns.h"
#include "job_plan_checks.h"
#include "masked_lists.h"

#include "skimline/io/tree_sink.h"

#include <algorithm>

namespace skimline::skims {
namespace {

// The column that says which variations an event passes.
constexpr const char* kPassedVariations = "passed_variations";

// Where the config says that a skim keeps something.
const Text& pattern_for(const SkimConfig& skim, const std::string& name) {
  const auto found = std::find_if(skim.keep.begin(), skim.keep.end(),
                                  [&](const Text& pattern) { return matches_pattern(name, pattern.value); });
  return found == skim.keep.end() ? skim.name : *found;
}

bool is_column_of(const SkimConfig& skim, const std::string& name) {
  return std::any_of(skim.columns.begin(), skim.columns.end(),
                     [&](const Definition& column) { return column.name.value == name; });
}

std::string problem_as_column(const SkimConfig& skim, const Type& type) {
  if (type.scalar == ScalarType::kLorentzVector)
    return "a skim cannot hold a " + name_of(type) + ": write its pt(), eta(), phi() and mass() instead";
  return skim.format == io::DataFormat::kTTree ? io::problem_in_tree(type) : "";
}

bool takes(const SkimConfig& skim, const Variation& variation) {
  return std::any_of(skim.variations.begin(), skim.variations.end(), [&](const Text& pattern) {
    return matches_pattern(variation.name.value, pattern.value);
  });
}

// Bit 0 is nominal; a variation has the same bit in all samples.
std::size_t bit_of(const SkimConfig& skim, const Variation* variation, const Config& config) {
  std::size_t bit = 0;
  for (const Variation& each : config.variations) {
    if (!variation) break;
    if (takes(skim, each)) ++bit;
    if (&each == variation) break;
  }
  return bit;
}

std::string description_of_bits(const SkimConfig& skim, const Config& config) {
  std::string text = "0: nominal";
  for (const Variation& each : config.variations)
    if (takes(skim, each))
      text += ", " + std::to_string(bit_of(skim, &each, config)) + ": " + each.name.value;
  return "bits of what the event passes: " + text;
}

// What is left to be true behind the cuts in common.
std::string condition_of(const PlannedSkim& skim, std::size_t num_cuts, const Config& config) {
  const EventChoice& events = skim.config->events;
  std::string condition;
  const auto add = [&](const Text& where) {
    condition += (condition.empty() ? "(" : " && (") + where.value + ")";
  };
  for (std::size_t cut = skim.num_common_cuts; cut < num_cuts; ++cut) add(config.select[cut].where);
  for (const std::size_t region : events.regions) add(config.regions[region].where);
  if (events.where) add(*events.where);
  return condition.empty() ? "true" : condition;
}

}  // namespace

void JobPlan::plan(const SkimConfig& config) {
  ColumnNames names{schema_.names(), definitions_.in_order()};
  for (const io::UnsupportedField& field : unsupported_fields_) names.fields.push_back(field.name);
  // A definition that failed may still be named; its own error is reported already.
  const std::vector<std::string>& failed = failed_definitions_.in_order();
  names.definitions.insert(names.definitions.end(), failed.begin(), failed.end());
  PlannedSkim skim;
  skim.config = &config;
  select_for(skim);
  std::vector<std::string> kept;
  if (!config.keep.empty() || config.columns.empty()) kept = kept_columns(config, names, diagnostics_);
  std::erase_if(kept, [&](const std::string& name) { return is_column_of(config, name); });
  check_can_be_kept(config, kept);
  std::erase_if(kept, [&](const std::string& name) { return cannot_be_kept(config, name); });
  if (config.format == io::DataFormat::kTTree) check_tree_can_hold(config, kept);
  if (!diagnostics_.empty()) return;
  divide(kept, skim);
  add_columns(skim);
  skims_.push_back(std::move(skim));
}

void JobPlan::check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept) {
  for (const std::string& name : kept) {
    if (!definitions_.contains(name)) continue;
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
    const bool has_failed = failed_definitions_.contains(name);
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
  for (const std::string& name : kept) (definitions_.contains(name) ? computed : fields).push_back(name);
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
  skim.not_of_input.insert(computed.begin(), computed.end());
  computed.insert(computed.begin(), carrying.computed.begin(), carrying.computed.end());
  for (const std::string& name : computed) {
    const auto column = schema_.find(name);
    skim.computed.add({name, builder_.type_of(name), column ? schema_[*column].description : ""});
    skim.computed_from.push_back(name);
  }
  skim.num_columns = kept.size();
}

// A name in the plan that no definition of the config has.
std::string JobPlan::own_name(const PlannedSkim& skim, const std::string& what) const {
  return "skim_" + std::to_string(skim.config - config_.skims.data()) + "_" + what + "_";
}

// Columns that only this skim has.
void JobPlan::add_columns(PlannedSkim& skim) {
  const auto add = [&](const std::string& name, const std::string& from, const std::string& description) {
    skim.computed.add({name, builder_.type_of(from), description});
    skim.computed_from.push_back(from);
    ++skim.num_columns;
    // They are not counted by what counts the input's column of that name.
    skim.not_of_input.insert(name);
    for (io::Collection& collection : skim.collections) {
      std::erase(collection.columns, name);
      const bool is_tree = skim.config->format == io::DataFormat::kTTree;
      if (is_tree && collection.count == name) collection.count.clear();
    }
    std::erase_if(skim.collections, [](const io::Collection& each) { return each.columns.empty(); });
  };
  for (const Definition& column : skim.config->columns) {
    const std::string from = own_name(skim, "column_" + column.name.value);
    const bool is_right = check(column.expression, [&] {
      builder_.define(from, column.expression.value);
      if (const std::string problem = problem_as_column(*skim.config, builder_.type_of(from));
          !problem.empty())
        throw ExpressionError(column.expression.value, 0, column.expression.value.size(), problem);
    });
    if (is_right) add(column.name.value, from, column.expression.value);
  }
  if (skim.config->format == io::DataFormat::kTTree && diagnostics_.empty()) add_masked_lists(skim);
  if (skim.config->variations.empty()) return;
  const bool is_carried =
      std::count(skim.carried_names.begin(), skim.carried_names.end(), kPassedVariations) != 0;
  if (is_carried || skim.computed.find(kPassedVariations))
    diagnostics_.add(skim.config->name.location,
                     "the skim has a column \"" + std::string(kPassedVariations) +
                         "\" already, which is where it says what an event passes");
  else
    add(kPassedVariations, own_name(skim, kPassedVariations), description_of_bits(*skim.config, config_));
}

// The skim's own lists have equal sizes where the same mask chooses their elements.
void JobPlan::add_masked_lists(PlannedSkim& skim) {
  const std::vector<std::string> names = builder_.names();
  const auto is_list = [&](const std::string& name) {
    return std::count(names.begin(), names.end(), name) != 0 && builder_.type_of(name).depth == 1;
  };
  std::vector<MaskedList> lists;
  for (const Definition& column : skim.config->columns) {
    const std::optional<MaskedName> masked = masked_name(column.expression.value);
    const bool is_list_too = skim.computed[*skim.computed.find(column.name.value)].type.depth == 1;
    if (masked && is_list(masked->name) && is_list_too) lists.push_back({column.name.value, masked->mask});
  }
  const auto is_taken = [&](const std::string& name) {
    return skim.computed.find(name) && !skim.not_of_input.contains(name);
  };
  for (io::Collection& collection : collections_of(lists, is_taken))
    if (collection.columns.size() > 1) skim.collections.push_back(std::move(collection));
}

void JobPlan::select_for(PlannedSkim& skim) {
  const SkimConfig& config = *skim.config;
  std::optional<std::size_t> region;
  if (!config.events.regions.empty()) region = config.events.regions.front();
  const std::optional<std::size_t> num_cuts =
      region ? config_.regions[*region].num_cuts : config.events.num_cuts;
  skim.num_common_cuts = num_cuts.value_or(config_.select.size());
  skim.selection = select(config.events, region, nominal(), user_of_skim(config).what);
  if (!config.variations.empty() && diagnostics_.empty()) select_any(skim);
}

// Events that pass nominally or in any of the variations. What all have in common comes first.
void JobPlan::select_any(PlannedSkim& skim) {
  std::vector<PlannedVariation*> taken;
  for (PlannedVariation& each : variations_) {
    if (each.config && !takes(*skim.config, *each.config)) continue;
    taken.push_back(&each);
  }
  constexpr std::size_t kMaxVariations = 63;  // beside nominal, in 64 bits
  if (taken.size() > kMaxVariations + 1)
    return diagnostics_.add(
        skim.config->variations.front().location,
        "a skim has at most 63 variations, these are " + std::to_string(taken.size() - 1));
  const auto is_common = [&](std::size_t cut) {
    return std::all_of(taken.begin(), taken.end(), [&](const PlannedVariation* each) {
      return each->cuts[cut].index == nominal().cuts[cut].index;
    });
  };
  const std::size_t num_cuts = skim.num_common_cuts;
  skim.num_common_cuts = 0;
  while (skim.num_common_cuts < num_cuts && is_common(skim.num_common_cuts)) ++skim.num_common_cuts;
  const std::string condition = condition_of(skim, num_cuts, config_);
  std::string any, bits;
  for (PlannedVariation* each : taken) {
    const std::string bit = std::to_string(bit_of(*skim.config, each->config, config_));
    const std::string passes = own_name(skim, "passes_" + bit);
    builder_.define(passes, condition, each->id);
    each->is_different |= builder_.value_number({condition, each->id}) != builder_.value_number({condition});
    any += (any.empty() ? "" : " || ") + passes;
    bits += (bits.empty() ? "(" : " | (") + passes + " ? 1ull << " + bit + " : 0ull)";
  }
  builder_.define(own_name(skim, kPassedVariations), bits);
  skim.selection = builder_.select(after(skim.num_common_cuts, nominal()), any);
  PlanUser user = user_of_skim(*skim.config);
  for (std::size_t cut = skim.num_common_cuts; cut < num_cuts; ++cut)
    user.expressions.push_back(&config_.select[cut].where);
  users_.try_emplace(skim.selection.index, std::move(user));
}

PlanUser JobPlan::user_of_skim(const SkimConfig& skim) const {
  PlanUser user{"the skim \"" + skim.name.value + "\"", {}, nullptr, std::nullopt};
  for (const Definition& column : skim.columns) user.expressions.push_back(&column.expression);
  for (const std::size_t region : skim.events.regions)
    user.expressions.push_back(&config_.regions[region].where);
  if (skim.events.where) user.expressions.push_back(&*skim.events.where);
  return user;
}

PlanUser JobPlan::user_of(const EvaluationPurpose& purpose, const std::string& expression) const {
  using Kind = EvaluationPurpose::Kind;
  if (purpose.kind == Kind::kFill) return user_of_fill(purpose.number, expression);
  if (purpose.kind == Kind::kWrite)
    return purpose.number < skims_.size() ? user_of_skim(*skims_[purpose.number].config) : PlanUser();
  const auto found = users_.find(purpose.number);
  return found == users_.end() ? PlanUser() : found->second;
}

}  // namespace skimline::skims
