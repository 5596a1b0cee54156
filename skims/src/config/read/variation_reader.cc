// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/variation_reader.h"

#include "base/ordered_names.h"
#include "base/text_table.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace skimline::skims {
namespace {

constexpr const char* kNominalName = "nominal";

void check_sample_patterns(const std::vector<Text>& patterns, const Config& config,
                           Diagnostics& diagnostics) {
  for (const Text& pattern : patterns)
    if (std::none_of(config.sample_names.begin(), config.sample_names.end(),
                     [&](const std::string& name) { return matches_pattern(name, pattern.value); }))
      diagnostics.add(pattern.location, "no sample matches " + in_quotes(pattern.value) +
                                            diagnostics.meant(pattern.value, config.sample_names));
}

// Reads one systematic, whose directions are variations.
class SystematicReader {
 public:
  // `names` are those of the variations so far.
  SystematicReader(const Text& name, Config& config, std::unordered_set<std::string>& names,
                   Diagnostics& diagnostics)
      : name_(name), config_(config), names_(names), diagnostics_(diagnostics) {}

  void read(const JsonValue& value) {
    const ObjectReader object(value, "the variation " + in_quotes(name_.value),
                              {"columns", "weights", "samples", "allow_unchanged"}, diagnostics_);
    if (!object.is_object()) return;
    if (!object.find("columns") && !object.find("weights"))
      return diagnostics_.add(object.opening(),
                              "a variation needs \"columns\" or \"weights\" that it replaces");
    if (const JsonValue* columns = object.find("columns")) read_replacements(*columns, &Variation::columns);
    if (const JsonValue* weights = object.find("weights")) read_weights(*weights);
    check_replaced_once();
    const std::vector<Text> samples = object.texts("samples");
    check_sample_patterns(samples, config_, diagnostics_);
    for (Variation& variation : variations_) {
      variation.samples = samples;
      variation.may_change_nothing = object.flag("allow_unchanged", false);
      add(std::move(variation));
    }
  }

 private:
  void read_weights(const JsonValue& value) {
    read_replacements(value, &Variation::weights);
    if (value.kind != JsonKind::kObject) return;
    OrderedNames factors;
    for (const Definition& factor : config_.weights) factors.add(factor.name.value);
    for (const Text& name : value.keys)
      if (!factors.contains(name.value))
        diagnostics_.add(name.location, "unknown factor " + in_quotes(name.value) + " of \"weights\"" +
                                            diagnostics_.meant(name.value, factors.in_order()));
  }

  // {name: expression}, or {name: {direction: expression}}.
  void read_replacements(const JsonValue& value, std::vector<Definition> Variation::*list) {
    for_each_named(
        value, "what a variation replaces", diagnostics_, [&](const Text& key, const JsonValue& each) {
          const Text name = unquoted(key);
          const std::string what = "what replaces " + in_quotes(name.value);
          if (each.kind != JsonKind::kObject) {
            if (!fits_directions({}, each.location)) return;
            if (auto text = read_text(each, what, diagnostics_))
              (variations_.front().*list).push_back({name, std::move(*text)});
            return;
          }
          if (each.keys.empty()) return diagnostics_.add(each.location, what + " must not be empty");
          if (!fits_directions(each.keys, each.location)) return;
          for (std::size_t i = 0; i < each.items.size(); ++i)
            if (auto text = read_text(each.items[i], what, diagnostics_))
              (variations_[directions_.at(each.keys[i].value)].*list).push_back({name, std::move(*text)});
        });
  }

  // Factors are definitions too.
  void check_replaced_once() {
    if (variations_.empty()) return;
    for (const Definition& factor : variations_.front().weights)
      for (const Definition& column : variations_.front().columns)
        if (factor.name.value == column.name.value)
          diagnostics_.add(factor.name.location, in_quotes(factor.name.value) + " is replaced twice");
  }

  // All replacements of a systematic have the same directions, in any order.
  bool fits_directions(const std::vector<Text>& directions, Location place) {
    if (variations_.empty()) begin(directions);
    const bool has_same =
        directions.empty()
            ? variations_.front().direction.empty()
            : directions.size() == variations_.size() &&
                  std::all_of(directions.begin(), directions.end(),
                              [&](const Text& direction) { return directions_.contains(direction.value); });
    if (!has_same)
      diagnostics_.add(
          place, "all replacements of a variation need the same directions: here " + list_of_directions());
    return has_same;
  }

  void begin(const std::vector<Text>& directions) {
    if (directions.empty()) add_direction(name_, "");
    for (const Text& direction : directions) {
      check_object_name(direction, "a direction of a variation", diagnostics_);
      add_direction({name_.value + "_" + direction.value, direction.location}, direction.value);
    }
  }

  void add_direction(Text name, std::string direction) {
    directions_.emplace(direction, variations_.size());
    Variation& variation = variations_.emplace_back();
    variation.name = std::move(name);
    variation.systematic = name_.value;
    variation.direction = std::move(direction);
  }

  std::string list_of_directions() const {
    std::string list;
    for (const Variation& each : variations_)
      list += (list.empty() ? "" : ", ") + (each.direction.empty() ? "none" : in_quotes(each.direction));
    return list;
  }

  void add(Variation variation) {
    const std::string& name = variation.name.value;
    if (name == kNominalName)
      return diagnostics_.add(variation.name.location, "\"nominal\" is what is not varied");
    if (!names_.insert(name).second)
      return diagnostics_.add(variation.name.location, "two variations are called " + in_quotes(name));
    config_.variations.push_back(std::move(variation));
  }

  const Text& name_;
  Config& config_;
  std::unordered_set<std::string>& names_;
  Diagnostics& diagnostics_;
  std::vector<Variation> variations_;  // one for each direction
  std::unordered_map<std::string, std::size_t> directions_;
};

bool is_processed(const Config& config, const std::string& sample) {
  return std::any_of(config.samples.begin(), config.samples.end(),
                     [&](const Sample& each) { return each.name.value == sample; });
}

}  // namespace

std::string own_variation(const Sample& sample) {
  const std::string variation = name_among_metadata(sample, "variation");
  return variation == kNominalName ? "" : variation;
}

bool may_vary(const Sample& sample) {
  return sample.has_variations.value_or(!sample.is_data && own_variation(sample).empty());
}

bool has_factor(const Sample& sample, const Definition& factor) {
  return !sample.is_data ||
         std::any_of(sample.weights.begin(), sample.weights.end(),
                     [&](const Definition& own) { return own.name.value == factor.name.value; });
}

bool has_variation(const Sample& sample, const Variation& variation) {
  const auto is_meant = [&](const Text& pattern) {
    return matches_pattern(sample.name.value, pattern.value);
  };
  const auto is_factor = [&](const Definition& replaced) { return has_factor(sample, replaced); };
  const std::vector<Text>& patterns = variation.samples;
  const std::vector<Definition>& weights = variation.weights;
  return may_vary(sample) && (patterns.empty() || std::any_of(patterns.begin(), patterns.end(), is_meant)) &&
         (!variation.columns.empty() || std::any_of(weights.begin(), weights.end(), is_factor));
}

void read_variations(const JsonValue& value, Config& config, Diagnostics& diagnostics) {
  std::unordered_set<std::string> names;
  for_each_named(value, "\"variations\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    check_object_name(name, "a variation", diagnostics);
    SystematicReader(name, config, names, diagnostics).read(each);
  });
}

void read_sums(const JsonValue& value, Config& config, Diagnostics& diagnostics) {
  for_each_named(value, "\"sums\"", diagnostics, [&](const Text& name, const JsonValue& parts) {
    check_object_name(name, "a sum of samples", diagnostics);
    if (std::count(config.sample_names.begin(), config.sample_names.end(), name.value) != 0)
      diagnostics.add(name.location, "a sample is called " + in_quotes(name.value) + " too");
    config.sum_names.push_back(name.value);
    SampleSum sum{name, {}};
    std::string missing;
    for_each_named(
        parts, "the sum " + in_quotes(name.value), diagnostics,
        [&](const Text& sample, const JsonValue& factor) {
          if (std::count(config.sample_names.begin(), config.sample_names.end(), sample.value) == 0)
            diagnostics.add(sample.location, "unknown sample " + in_quotes(sample.value) +
                                                 diagnostics.meant(sample.value, config.sample_names));
          else if (!is_processed(config, sample.value) && missing.empty())
            missing = sample.value;
          const auto number = read_number(factor, "the factor of a sample", diagnostics);
          if (number && !std::isfinite(*number))
            diagnostics.add(factor.location, "the factor of a sample must be finite");
          sum.parts.push_back({sample, number.value_or(1)});
        });
    if (missing.empty())
      config.sums.push_back(std::move(sum));
    else
      config.warnings.push_back("warning: the sum " + in_quotes(name.value) + " is left out: the sample " +
                                in_quotes(missing) + " is not processed");
  });
}

}  // namespace skimline::skims
