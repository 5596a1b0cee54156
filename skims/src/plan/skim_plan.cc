// SPDX-License-Identifier: BSD-3-Clause
#include "plan/skim_plan.h"

#include "plan/carried_columns.h"
#include "plan/column_patterns.h"
#include "plan/masked_lists.h"
#include "plan/members_as_columns.h"
#include "plan/own_names.h"
#include "plan/result_content.h"
#include "plan/thinning.h"
#include "plan/written_names.h"

#include "skimline/framework/column_name.h"
#include "skimline/io/output_formats.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

namespace skimline::skims {
namespace {

// The column that says which variations an event passes.
constexpr const char* kPassedVariations = "passed_variations";

// Where the config says that a skim keeps something: by its name, else by a pattern.
const Text& pattern_for(const SkimConfig& skim, const std::string& name) {
  const Text* pattern = nullptr;
  for (const Text& each : skim.keep)
    if (matches_column(name, each.value) && (!pattern || !has_wildcards(each.value))) pattern = &each;
  return pattern ? *pattern : skim.name;
}

// The names of the skim's own columns, and those that the fields in whose places they are have too, with dots
// or underscores.
std::set<std::string> replaced_names(const io::InputSource& source, const SkimConfig& skim) {
  std::set<std::string> names;
  const Schema& schema = source.schema();
  for (const Definition& column : skim.columns) {
    const std::string& name = column.name.value;
    names.insert(name);
    if (const auto found = schema.find(name);
        found && with_underscores(schema[*found].name) == with_underscores(name))
      names.insert(schema[*found].name);
  }
  if (names.empty()) return names;
  for (const std::vector<std::string>& of_field : source.names_of_one_field())
    if (std::any_of(of_field.begin(), of_field.end(), [&](const auto& each) { return names.contains(each); }))
      names.insert(of_field.begin(), of_field.end());
  return names;
}

std::string problem_as_column(const SkimConfig& skim, const Type& type) {
  if (type.scalar == ScalarType::kLorentzVector)
    return "a skim cannot hold a " + name_of(type) + ": write its pt(), eta(), phi() and mass() instead";
  return output_format(skim.format).problem_of(type);
}

void add(std::string& text, const std::string& value) { text += std::to_string(value.size()) + ':' + value; }
void add(std::string& text, std::uint64_t value) { add(text, std::to_string(value)); }

void add(std::string& text, const std::vector<std::string>& values) {
  add(text, std::uint64_t{values.size()});
  for (const std::string& each : values) add(text, each);
}

// As files declare what is carried, so that outputs do. Of unsupported fields nothing is known.
void add_carried(std::string& text, const PlannedSkim& skim, const io::InputSource& source) {
  add(text, skim.carried_names);
  for (const std::string& name : skim.carried_names)
    if (const std::optional<std::size_t> column = source.schema().find(name))
      add(text, source.field_type_names()[*column]);
}

// All that a sink is made for.
void add_layout(std::string& text, const PlannedSkim& skim, const io::InputSource& source) {
  const SkimConfig& config = *skim.config;
  add(text, std::string(io::name_of(config.format)));
  add(text, config.ntuple_name);
  add(text, name_of_compression(config));
  add(text, config.settings.cluster_bytes.value_or(0));
  add(text, config.settings.page_bytes.value_or(0));
  add_carried(text, skim, source);
  for (const ColumnInfo& column : skim.computed.columns())
    add(text, std::vector<std::string>{column.name, name_of(column.type), column.description});
  for (const io::Collection& each : skim.collections) {
    add(text, std::vector<std::string>{each.name, each.count, each.description});
    add(text, each.columns);
  }
  add(text, std::vector<std::string>(skim.not_of_input.begin(), skim.not_of_input.end()));
  if (config.lists == WrittenLists::kVectors) add(text, std::string("vectors"));
}

bool takes(const SkimConfig& skim, const Variation& variation) {
  return std::any_of(skim.variations.begin(), skim.variations.end(), [&](const Text& pattern) {
    return matches_pattern(variation.name.value, pattern.value);
  });
}

// Of all samples, as each has a bit of its own.
std::size_t num_taken(const SkimConfig& skim, const Config& config) {
  return static_cast<std::size_t>(std::count_if(config.variations.begin(), config.variations.end(),
                                                [&](const Variation& each) { return takes(skim, each); }));
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

// Which ways out there are.
std::string advice(const std::vector<LeftOutColumn>& columns) {
  const bool has_different = std::any_of(columns.begin(), columns.end(), [](const LeftOutColumn& each) {
    return each.kind == LeftOutKind::kDifferent;
  });
  return has_different ? "; \"defaults\" fill them in, \"drop\" and \"columns_in_common\" allow it"
                       : "; \"drop\" allows it";
}

}  // namespace

std::string name_of_compression(const SkimConfig& skim) {
  const std::optional<io::CompressionSetting>& compression = skim.settings.compression;
  return compression ? io::compression_name(compression->root_number()) : "auto";
}

std::vector<std::string> warnings_of(const PlannedSkim& skim, const ConfigText& source) {
  std::vector<std::string> warnings;
  const Text& name = skim.config->name;
  const auto add = [&](const std::string& what) {
    warnings.push_back(marked_message(source, name.location, "warning",
                                      "the skim \"" + name.value + "\" is written " + what));
  };
  if (!skim.left_out.empty())
    add("without " + left_out_text(skim.left_out) +
        (is_incomplete(skim.left_out) ? advice(skim.left_out) : ""));
  if (!skim.stale_indexes.empty())
    add("with " + skim.stale_indexes +
        ", while \"columns\" choose some of them: with \"thin\" they go on pointing at what they point at "
        "now");
  if (!skim.real_indexes.empty())
    add("with " + skim.real_indexes +
        ", which are called as indexes and are real numbers, so that \"thin\" leaves them as they are");
  for (const std::string& collection : skim.thinned_without_columns)
    add("without any column of \"" + collection + "\", so that \"thin\" cuts nothing of it");
  if (!skim.renamed.empty()) add("with " + skim.renamed + ", which are names that a file can have");
  return warnings;
}

SkimPlan::SkimPlan(SampleExpressions& expressions, EventSelections& selections)
    : expressions_(expressions),
      selections_(selections),
      config_(expressions.config()),
      source_(expressions.source()),
      schema_(expressions.columns()),
      builder_(expressions.builder()),
      diagnostics_(expressions.mistakes()),
      definitions_(expressions.definitions()) {
  for (const SkimConfig& skim : config_.skims) plan(skim);
}

void SkimPlan::write(const PlannedSkim& skim, Sink& sink) {
  builder_.write(skim.selection, skim.computed_from, sink);
}

ValueContent SkimPlan::content_of(const PlannedSkim& skim) {
  ValueContent content = skim_content(builder_, skim.selection, skim.computed_from);
  add_layout(content.text, skim, source_);
  return content;
}

std::vector<CountedStep> SkimPlan::cutflow_of(const PlannedSkim& skim) const {
  const EventChoice& events = skim.config->events;
  const Region* region = events.regions.empty() ? nullptr : &config_.regions[events.regions.front()];
  std::vector<CountedStep> steps = selections_.cutflow(selections_.nominal());
  steps.resize(steps.size() - config_.select.size() + skim.num_common_cuts);
  if (!skim.config->variations.empty()) {
    steps.push_back({"skim " + skim.config->name.value, skim.selection});
    return steps;
  }
  if (region)
    steps.push_back({"region " + region->name.value, selections_.nominal().regions[events.regions.front()]});
  if (events.where) steps.push_back({"skim " + skim.config->name.value, skim.selection});
  return steps;
}

PlanUser SkimPlan::user_of(std::size_t number) const {
  return number < skims_.size() ? user_of_skim(*skims_[number].config) : PlanUser();
}

void SkimPlan::plan(const SkimConfig& config) {
  ColumnNames names{field_names(source_), definitions_.in_order()};
  for (const Schema::Alias& alias : schema_.aliases())
    names.aliases.emplace(schema_[alias.column].name, alias.name);
  // A definition that failed may still be named; its own error is reported already.
  const std::vector<std::string>& failed = expressions_.failed_definitions().in_order();
  names.definitions.insert(names.definitions.end(), failed.begin(), failed.end());
  PlannedSkim skim;
  skim.config = &config;
  select_for(skim);
  std::vector<std::string> kept;
  if (!config.keep.empty() || config.columns.empty()) kept = kept_columns(config, names, diagnostics_);
  const std::set<std::string> replaced = replaced_names(source_, config);
  std::erase_if(kept, [&](const std::string& name) { return replaced.contains(name); });
  check_can_be_kept(config, kept);
  leave_out(reasons_against(config, kept), kept, skim);
  if (!diagnostics_.empty()) return;
  thin(kept, skim);
  if (!diagnostics_.empty()) return;
  divide(kept, skim);
  add_columns(skim);
  skims_.push_back(std::move(skim));
}

void SkimPlan::check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept) {
  for (const std::string& name : kept) {
    if (!definitions_.contains(name)) continue;
    const Type type = builder_.type_of(name);
    if (type.scalar == ScalarType::kLorentzVector)
      diagnostics_.add(pattern_for(config, name).location,
                       "\"" + name + "\" is a " + name_of(type) +
                           ", which a skim cannot hold: keep its pt(), eta(), phi() and mass() instead");
  }
}

// What of these columns no skim, or not this one, can hold. A column that a namesake leaves out is none of
// them.
std::vector<LeftOutColumn> SkimPlan::reasons_against(const SkimConfig& config,
                                                     const std::vector<std::string>& kept) const {
  const io::OutputFormat& format = output_format(config.format);
  const std::unordered_set<std::string> names(kept.begin(), kept.end());
  std::vector<LeftOutColumn> found;
  for (const io::UnsupportedField& field : source_.unsupported_fields())
    if (names.contains(field.name) && !(field.is_carriable && format.carries_unread))
      found.push_back(left_out(field, config.format, schema_));
  for (const std::string& name : kept) {
    if (!definitions_.contains(name) && !schema_.find(name)) continue;
    const Type type = builder_.type_of(name);
    if (!format.problem_of(type).empty())
      found.push_back({name, "it is a " + name_of(type), LeftOutKind::kUnwritable});
  }
  return found;
}

// Fields that differ are not carried, though all files may have their values, under one name or two.
std::string SkimPlan::way_out(const LeftOutColumn& column) const {
  const std::string name = with_underscores(column.name);
  if (column.kind != LeftOutKind::kDifferent || !schema_.find(column.name)) return {};
  return "; all files have values of this name: \"columns\": {\"" + name + "\": \"" + name +
         "\"} writes them";
}

// What is left out is a mistake if it is asked for by its name, else it is said.
void SkimPlan::leave_out(std::vector<LeftOutColumn> columns, std::vector<std::string>& kept,
                         PlannedSkim& skim) {
  const SkimConfig& config = *skim.config;
  const ColumnChoice choice = choice_of(config);
  std::unordered_set<std::string> gone;
  for (LeftOutColumn& column : columns) {
    const bool is_namesake = column.kind == LeftOutKind::kNamesake;
    if (!is_namesake) gone.insert(column.name);
    if (choice.is_named(column.name) && !is_namesake)
      diagnostics_.add(pattern_for(config, column.name).location,
                       "\"" + column.name + "\" cannot be kept: " + column.reason + way_out(column));
    else if (column.kind != LeftOutKind::kDifferent || !config.has_only_common_columns)
      skim.left_out.push_back(std::move(column));
  }
  std::erase_if(kept, [&](const std::string& name) { return gone.contains(name); });
}

void SkimPlan::thin(const std::vector<std::string>& kept, PlannedSkim& skim) {
  const SkimConfig& config = *skim.config;
  if (config.thin.empty() && config.columns.empty() && config.indices.empty()) return;
  const CollectionRules rules(source_, config.indices, expressions_.originals(), diagnostics_);
  if (config.thin.empty()) {
    skim.stale_indexes = stale_indexes_text(config, rules, kept);
    return;
  }
  std::vector<PlannedVariation*> variations;
  for (const Variation* variation : skim.variations)
    if (PlannedVariation* planned = selections_.planned(variation)) variations.push_back(planned);
  Thinning thinning(expressions_, rules, config, std::move(variations),
                    [&](const std::string& what) { return own_name(skim, what); });
  ThinnedColumns thinned = thinning.plan(kept);
  skim.thinned_from = std::move(thinned.sources);
  skim.thinned_own = std::move(thinned.own);
  skim.thinned = std::move(thinned.collections);
  skim.thinned_without_columns = std::move(thinned.without_columns);
  skim.real_indexes = first_few(thinned.real_indexes);
}

// Fields of the input are carried as they are stored; the rest is computed.
void SkimPlan::divide(const std::vector<std::string>& kept, PlannedSkim& skim) {
  const SkimConfig& config = *skim.config;
  std::vector<std::string> fields, computed;
  for (const std::string& name : kept) (definitions_.contains(name) ? computed : fields).push_back(name);
  io::Carrying carrying;
  if (output_format(config.format).carries_fields)
    carry_or_compute(fields, skim, carrying);
  else
    carrying.computed = fields;
  if (config.lists == WrittenLists::kRecords) {
    skim.collections = written_collections(source_, config.format);
    take_changed_counts(skim);
    add_thinned_collections(skim);
  }
  drop_repeated(carrying.computed, fields, skim);
  drop_repeated_originals(computed);
  skim.carried = std::move(carrying.fields);
  skim.not_of_input.insert(computed.begin(), computed.end());
  // Whether their sizes are those of others must not depend on the entries of a shard.
  if (output_format(config.format).shares_counts)
    for (const std::string& name : source_.columns_with_gaps()) skim.not_of_input.insert(name);
  const std::unordered_set<std::string> loose(carrying.computed.begin(), carrying.computed.end());
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(skim.carried_names),
               [&](const std::string& name) { return !loose.contains(name); });
  computed.insert(computed.begin(), carrying.computed.begin(), carrying.computed.end());
  add_computed(computed, skim);
  skim.num_columns = skim.carried_names.size() + computed.size();
  if (skim.num_columns == 0 && config.columns.empty() && diagnostics_.empty())
    diagnostics_.add(config.name.location,
                     "no column is left in the skim \"" + config.name.value + "\"" +
                         (skim.left_out.empty() ? "" : ", without " + left_out_text(skim.left_out)));
}

// Counts that the config redefines need not be sizes of lists any more.
void SkimPlan::take_changed_counts(PlannedSkim& skim) const {
  for (io::Collection& collection : skim.collections)
    if (expressions_.originals().contains(collection.count))
      skim.not_of_input.insert(std::exchange(collection.count, {}));
}

bool SkimPlan::is_changed(const std::string& column, const PlannedSkim& skim) const {
  return skim.thinned_from.contains(column) || expressions_.originals().contains(column);
}

// What is redefined, changed by thinning or taken out of records is computed.
void SkimPlan::carry_or_compute(std::vector<std::string>& fields, PlannedSkim& skim, io::Carrying& carrying) {
  std::vector<std::string> changed, others;
  if (skim.config->lists == WrittenLists::kVectors) {
    ColumnsOfRecords members = take_members(source_, fields);
    leave_out(std::move(members.left_out), fields, skim);
    changed = std::move(members.columns);
  }
  for (const std::string& name : fields) (is_changed(name, skim) ? changed : others).push_back(name);
  leave_out(carry_alike(source_, others, carrying), others, skim);
  carrying.computed.insert(carrying.computed.end(), changed.begin(), changed.end());
  fields = others;
  fields.insert(fields.end(), changed.begin(), changed.end());
}

// A field that has two names is computed once, unless the config gives each a value of its own.
void SkimPlan::drop_repeated(std::vector<std::string>& computed, std::vector<std::string>& fields,
                             PlannedSkim& skim) const {
  std::multiset<std::string> redefined;
  for (const Definition& each : config_.redefine) redefined.insert(with_underscores(each.name.value));
  std::set<std::string> repeated = repeated_names(source_, computed);
  std::erase_if(repeated,
                [&](const std::string& name) { return redefined.count(with_underscores(name)) > 1; });
  const auto drop = [&](std::vector<std::string>& names) {
    std::erase_if(names, [&](const std::string& name) { return repeated.contains(name); });
  };
  drop(computed);
  drop(fields);
  for (io::Collection& collection : skim.collections) drop(collection.columns);
}

void SkimPlan::drop_repeated_originals(std::vector<std::string>& definitions) const {
  const std::unordered_set<std::string> kept(definitions.begin(), definitions.end());
  std::vector<std::string> columns;
  for (const auto& [column, original] : expressions_.originals())
    if (kept.contains(original)) columns.push_back(column);
  for (const std::string& column : repeated_names(source_, columns))
    std::erase(definitions, expressions_.originals().at(column));
}

// In place of what the input has of them.
void SkimPlan::add_thinned_collections(PlannedSkim& skim) const {
  for (const io::Collection& thinned : skim.thinned) {
    for (io::Collection& other : skim.collections)
      std::erase_if(other.columns, [&](const std::string& name) {
        return std::find(thinned.columns.begin(), thinned.columns.end(), name) != thinned.columns.end();
      });
    std::erase_if(skim.collections, [&](const io::Collection& other) {
      return other.columns.empty() || other.name == thinned.name;
    });
    skim.collections.push_back(thinned);
    for (const std::string& name : thinned.columns) skim.not_of_input.erase(name);
  }
}

// Under names that they can have in a file.
void SkimPlan::add_computed(const std::vector<std::string>& columns, PlannedSkim& skim) const {
  std::set<std::string> taken;
  for (const std::string& name : skim.carried_names) taken.insert(name.substr(0, name.find('.')));
  for (const Definition& column : skim.config->columns) taken.insert(column.name.value);
  const std::vector<std::string> names = written_names(columns, taken);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = schema_.find(columns[i]);
    skim.computed.add({names[i], builder_.type_of(columns[i]), column ? schema_[*column].description : ""});
    const auto thinned = skim.thinned_from.find(columns[i]);
    skim.computed_from.push_back(thinned == skim.thinned_from.end() ? columns[i] : thinned->second);
  }
  rename(skim.collections, columns, names);
  skim.renamed = renamed_text(columns, names);
}

// A name in the plan that no definition of the config has.
std::string SkimPlan::own_name(const PlannedSkim& skim, const std::string& what) const {
  return skims::own_name(static_cast<std::size_t>(skim.config - config_.skims.data()), what);
}

// Columns that only this skim has.
void SkimPlan::add_columns(PlannedSkim& skim) {
  const bool shares_counts = output_format(skim.config->format).shares_counts;
  const auto add = [&](const std::string& name, const std::string& from, const std::string& description) {
    skim.computed.add({name, builder_.type_of(from), description});
    skim.computed_from.push_back(from);
    ++skim.num_columns;
    // They are not counted by what counts the input's column of that name.
    skim.not_of_input.insert(name);
    for (io::Collection& collection : skim.collections) {
      std::erase(collection.columns, name);
      if (shares_counts && collection.count == name) collection.count.clear();
    }
    std::erase_if(skim.collections, [](const io::Collection& each) { return each.columns.empty(); });
  };
  for (const Definition& column : skim.config->columns) {
    const std::string& name = column.name.value;
    std::string from = own_name(skim, "column_" + name);
    const bool is_right = expressions_.check(column.expression, [&] {
      builder_.define(from, column.expression.value);
      if (const auto thinned = skim.thinned_own.find(name); thinned != skim.thinned_own.end()) {
        from = own_name(skim, "thinned_" + name);
        builder_.define(from, thinned->second);
      }
      if (const std::string problem = problem_as_column(*skim.config, builder_.type_of(from));
          !problem.empty())
        throw ExpressionError(column.expression.value, 0, column.expression.value.size(), problem);
    });
    if (is_right) add(name, from, column.expression.value);
  }
  if (shares_counts && diagnostics_.empty()) add_masked_lists(skim);
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
void SkimPlan::add_masked_lists(PlannedSkim& skim) {
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

void SkimPlan::select_for(PlannedSkim& skim) {
  const SkimConfig& config = *skim.config;
  std::optional<std::size_t> region;
  if (!config.events.regions.empty()) region = config.events.regions.front();
  const std::optional<std::size_t> num_cuts =
      region ? config_.regions[*region].num_cuts : config.events.num_cuts;
  skim.num_common_cuts = num_cuts.value_or(config_.select.size());
  skim.selection =
      selections_.select(config.events, region, selections_.nominal(), user_of_skim(config).what);
  if (!config.variations.empty() && diagnostics_.empty()) select_any(skim);
}

// Events that pass nominally or in any of the variations. What all have in common comes first.
void SkimPlan::select_any(PlannedSkim& skim) {
  std::vector<PlannedVariation*> taken;
  for (PlannedVariation& each : selections_.variations()) {
    if (each.config && !takes(*skim.config, *each.config)) continue;
    taken.push_back(&each);
  }
  constexpr std::size_t kMaxVariations = 63;  // beside nominal, in 64 bits
  if (const std::size_t number = num_taken(*skim.config, config_); number > kMaxVariations)
    return diagnostics_.add(
        skim.config->variations.front().location,
        "a skim has at most 63 variations, these are " + std::to_string(number) + " in all samples");
  const auto is_common = [&](std::size_t cut) {
    return std::all_of(taken.begin(), taken.end(), [&](const PlannedVariation* each) {
      return each->cuts[cut].index == selections_.nominal().cuts[cut].index;
    });
  };
  const std::size_t num_cuts = skim.num_common_cuts;
  skim.num_common_cuts = 0;
  while (skim.num_common_cuts < num_cuts && is_common(skim.num_common_cuts)) ++skim.num_common_cuts;
  const std::string condition = condition_of(skim, num_cuts, config_);
  std::string any, bits;
  for (PlannedVariation* each : taken) {
    if (each->config) skim.variations.push_back(each->config);
    const std::string bit = std::to_string(bit_of(*skim.config, each->config, config_));
    const std::string passes = own_name(skim, "passes_" + bit);
    builder_.define(passes, condition, each->id);
    each->is_different |= builder_.value_number({condition, each->id}) != builder_.value_number({condition});
    any += (any.empty() ? "" : " || ") + passes;
    bits += (bits.empty() ? "(" : " | (") + passes + " ? 1ull << " + bit + " : 0ull)";
  }
  builder_.define(own_name(skim, kPassedVariations), bits);
  skim.selection = builder_.select(selections_.after(skim.num_common_cuts, selections_.nominal()), any);
  PlanUser user = user_of_skim(*skim.config);
  for (std::size_t cut = skim.num_common_cuts; cut < num_cuts; ++cut)
    user.expressions.push_back(&config_.select[cut].where);
  selections_.add_user(skim.selection, user);
}

PlanUser SkimPlan::user_of_skim(const SkimConfig& skim) const {
  PlanUser user{"the skim \"" + skim.name.value + "\"", {}, nullptr, std::nullopt};
  for (const Definition& column : skim.columns) user.expressions.push_back(&column.expression);
  for (const ThinConfig& thin : skim.thin) user.expressions.push_back(&thin.where);
  for (const std::size_t region : skim.events.regions)
    user.expressions.push_back(&config_.regions[region].where);
  if (skim.events.where) user.expressions.push_back(&*skim.events.where);
  return user;
}

}  // namespace skimline::skims
