// SPDX-License-Identifier: BSD-3-Clause
#include "plan/thinning.h"

#include "base/text_table.h"
#include "plan/masked_lists.h"
#include "plan/own_names.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"
#include "skimline/io/output_formats.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

const ObjectConfig* find_objects(const Config& config, const std::string& name) {
  for (const ObjectConfig& each : config.objects)
    if (each.name.value == name) return &each;
  return nullptr;
}

// The collection that objects are chosen from, by way of others that stand above them.
std::string collection_of(const Config& config, const ObjectConfig& objects) {
  const ObjectConfig* outermost = &objects;
  for (std::size_t i = 0; i < config.objects.size(); ++i)
    if (const ObjectConfig* outer = find_objects(config, outermost->from.value)) outermost = outer;
  return outermost->from.value;
}

// For the name of objects, whether an element is one of them.
Text condition_of(const Config& config, const ThinConfig& thin) {
  const ObjectConfig* objects = find_objects(config, thin.where.value);
  if (!objects) return thin.where;
  const std::string collection = collection_of(config, *objects);
  if (collection != thin.collection.value)
    throw ConfigError(quoted(objects->name.value) + " are objects of " + quoted(collection) + ", not of " +
                      quoted(thin.collection.value));
  return {"IsIn(" + in_expression(collection) + ".index_, " + in_expression(objects->name.value) + ".index_)",
          thin.where.location};
}

bool is_mask(Type type) { return type.depth == 1 && is_integer(type.scalar); }

}  // namespace

Thinning::Thinning(SampleExpressions& expressions, const CollectionRules& rules, const SkimConfig& skim,
                   std::vector<PlannedVariation*> variations,
                   std::function<std::string(const std::string&)> own_name)
    : expressions_(expressions),
      builder_(expressions.builder()),
      diagnostics_(expressions.mistakes()),
      rules_(rules),
      skim_(skim),
      variations_(std::move(variations)),
      own_name_(std::move(own_name)) {}

ThinnedColumns Thinning::plan(const std::vector<std::string>& kept) {
  const std::size_t num_mistakes = diagnostics_.size();
  for (const ThinConfig& thin : skim_.thin) add_mask(thin, kept);
  check_columns();
  const std::vector<std::string> names = builder_.names();
  const std::set<std::string> usable(names.begin(), names.end());
  check_can_be_thinned(kept, usable);
  check_indices(kept, usable);
  ThinnedColumns thinned;
  if (diagnostics_.size() > num_mistakes) return thinned;
  for (const std::string& column : kept) {
    if (!usable.contains(column)) continue;
    if (mask_of(rules_.target_of(column)) && !rules_.has_rule(column) &&
        is_floating(builder_.type_of(column).scalar))
      thinned.real_indexes.push_back(quoted(column));
    const std::string expression = expression_for(column, column);
    if (expression.empty()) continue;
    const std::string name = own_name_("thinned_" + column);
    builder_.define(name, expression);
    thinned.sources.emplace(column, name);
  }
  std::vector<std::string> changed = kept;
  for (const Definition& column : skim_.columns) {
    const std::string& name = column.name.value;
    if (!replaces_column(name)) continue;
    const std::string expression = expression_for(name, own_name_("column_" + name));
    if (expression.empty()) continue;
    thinned.own.emplace(name, expression);
    changed.push_back(name);
  }
  for (const Mask& mask : masks_) {
    thinned.collections.push_back(written_collection(*mask.collection, kept));
    if (!changes_any(mask, changed)) thinned.without_columns.push_back(mask.collection->name);
  }
  return thinned;
}

// What takes the place of a member or an index is cut as that is.
bool Thinning::replaces_column(const std::string& name) const {
  const std::vector<std::string> names = builder_.names();
  return !rules_.of_count(name) && std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    return with_underscores(each) == with_underscores(name);
  });
}

// Lists that the skim makes itself would keep the sizes and the places of before.
void Thinning::check_columns() const {
  for (const Definition& column : skim_.columns) {
    const std::string& name = column.name.value;
    if (replaces_column(name)) continue;
    const std::string how = ": make it with \"define\", and \"keep\" it, so that it is cut too";
    if (const io::Collection* own = rules_.of_list(name); mask_of(own))
      diagnostics_.add(column.name.location, quoted(name) + " belongs to the collection " +
                                                 quoted(own->name) + ", which \"thin\" cuts" + how);
    else if (const io::Collection* counted = rules_.of_count(name); mask_of(counted))
      diagnostics_.add(column.name.location, quoted(name) + " counts the collection " +
                                                 quoted(counted->name) + ", which \"thin\" does already");
    else if (const io::Collection* target = rules_.target_of(name); mask_of(target))
      diagnostics_.add(column.name.location, quoted(name) + " has indexes into the collection " +
                                                 quoted(target->name) + ", which \"thin\" cuts" + how);
  }
}

// What expressions cannot hold would keep its size.
void Thinning::check_can_be_thinned(const std::vector<std::string>& kept,
                                    const std::set<std::string>& usable) const {
  for (const std::string& column : kept) {
    const io::Collection* own = rules_.of_list(column);
    if (!mask_of(own) || usable.contains(column)) continue;
    diagnostics_.add(skim_.name.location, quoted(column) + " belongs to the collection " + quoted(own->name) +
                                              ", which \"thin\" cuts, but cannot be used in expressions: "
                                              "\"drop\" it");
  }
}

// What is named as an index, and is none, would count the elements of before.
void Thinning::check_indices(const std::vector<std::string>& kept,
                             const std::set<std::string>& usable) const {
  for (const IndexRule& rule : skim_.indices) {
    const std::string& name = rule.column.value;
    if (!rule.collection || has_wildcards(name) || !mask_of(rules_.find(rule.collection->value))) continue;
    for (const std::string& column : kept)
      if (usable.contains(column) && matches_column(column, name) && !is_index(column))
        diagnostics_.add(rule.column.location,
                         quoted(column) + " has no indexes into " + quoted(rule.collection->value) +
                             ": it is " + name_of(builder_.type_of(column)) + ", and these are integers");
  }
}

void Thinning::add_mask(const ThinConfig& thin, const std::vector<std::string>& kept) {
  const std::string& name = thin.collection.value;
  const io::Collection* collection = rules_.find(name);
  if (!collection)
    return diagnostics_.add(thin.collection.location, "there is no collection " + quoted(name) +
                                                          diagnostics_.meant(name, rules_.names()));
  const auto problem_of = [](Type type) {
    return is_mask(type) ? ""
                         : "\"thin\" needs a list of bool, one for each element of the collection, not a " +
                               name_of(type);
  };
  expressions_.check(thin.where, [&] {
    const Text condition = condition_of(expressions_.config(), thin);
    if (!expressions_.check_type(condition, problem_of)) return;
    std::string mask = with_closure(thin, *collection, varied(name, condition.value));
    const bool is_checked = std::any_of(
        kept.begin(), kept.end(), [&](const std::string& column) { return is_list_of(column, *collection); });
    // Only lists of the collection show whether the mask has its size.
    if (!is_checked)
      mask = "(" + mask + ") && Enumerate(" + in_expression(collection->columns.front()) + ") + 1 > 0";
    masks_.push_back({collection, own_name_(name_of_mask(name))});
    builder_.define(masks_.back().name, mask);
  });
}

// What is wanted nominally or in any variation.
std::string Thinning::varied(const std::string& collection, const std::string& condition) {
  std::string any = "(" + condition + ")";
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    const std::size_t nominal = builder_.value_number({condition});
    if (builder_.value_number({condition, variations_[i]->id}) == nominal) continue;
    variations_[i]->is_different = true;
    const std::string name = own_name_("mask_" + collection + "_" + std::to_string(i));
    builder_.define(name, condition, variations_[i]->id);
    any += " || " + in_expression(name);
  }
  return any;
}

std::string Thinning::with_closure(const ThinConfig& thin, const io::Collection& collection,
                                   std::string mask) const {
  if (!thin.has_closure) return mask;
  std::string parents;
  for (const std::string& column : collection.columns)
    if (rules_.target_of(column) == &collection && is_mask(builder_.type_of(column)))
      parents += ", " + in_expression(column);
  if (parents.empty())
    throw ConfigError("\"closure\" follows indexes of " + quoted(collection.name) +
                      " into itself, of which there are none");
  return "WithAncestors(" + mask + parents + ")";
}

const Thinning::Mask* Thinning::mask_of(const io::Collection* collection) const {
  for (const Mask& mask : masks_)
    if (mask.collection == collection) return &mask;
  return nullptr;
}

bool Thinning::changes_any(const Mask& mask, const std::vector<std::string>& kept) const {
  return std::any_of(kept.begin(), kept.end(), [&](const std::string& column) {
    return rules_.of_list(column) == mask.collection || rules_.of_count(column) == mask.collection ||
           rules_.target_of(column) == mask.collection;
  });
}

bool Thinning::is_list_of(const std::string& column, const io::Collection& collection) const {
  return rules_.of_list(column) == &collection && builder_.type_of(column).is_jagged();
}

bool Thinning::is_index(const std::string& column) const {
  const ScalarType scalar = builder_.type_of(column).scalar;
  return is_number(scalar) && is_integer(scalar) && scalar != ScalarType::kBool;
}

// Empty for what stays as it is.
std::string Thinning::expression_for(const std::string& column, const std::string& source) const {
  const std::string plain = in_expression(source);
  std::string expression = plain;
  if (const Mask* target = mask_of(rules_.target_of(column)); target && is_index(column))
    expression = "Reindex(" + expression + ", " + in_expression(target->name) + ")";
  if (const Mask* own = mask_of(rules_.of_list(column)); own && is_list_of(column, *own->collection))
    expression += "[" + in_expression(own->name) + "]";
  if (const Mask* counted = mask_of(rules_.of_count(column)))
    expression = std::string(name_of(builder_.type_of(column).scalar)) + "(Sum(" +
                 in_expression(counted->name) + " != 0))";
  return expression == plain ? "" : expression;
}

io::Collection Thinning::written_collection(const io::Collection& collection,
                                            const std::vector<std::string>& kept) const {
  io::Collection written = collection;
  written.columns.clear();
  // Old values have no name that a member could have.
  const bool has_originals = output_format(skim_.format).shares_counts;
  for (const std::string& column : kept)
    if (rules_.of_list(column) == &collection && (has_originals || rules_.as_redefined(column) == column))
      written.columns.push_back(column);
  std::erase_if(written.columns,
                [&](const std::string& column) { return !builder_.type_of(column).is_jagged(); });
  return written;
}

std::string stale_indexes_text(const SkimConfig& skim, const CollectionRules& rules,
                               const std::vector<std::string>& kept) {
  std::vector<std::string> texts;
  for (const Definition& column : skim.columns) {
    const auto masked = masked_name(column.expression.value);
    const io::Collection* own = rules.of_list(column.name.value);
    if (!masked || !own || rules.of_list(masked->name) != own) continue;
    for (const std::string& index : kept)
      if (rules.target_of(index) == own)
        texts.push_back(quoted(index) + ", of which the indexes are those of all " + quoted(own->name));
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return first_few(texts);
}

}  // namespace skimline::skims
