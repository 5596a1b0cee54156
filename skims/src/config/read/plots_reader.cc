// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/plots_reader.h"

#include "base/text_file.h"
#include "base/text_table.h"
#include "config/json/name_checks.h"
#include "config/json/object_reader.h"
#include "config/read/config_composer.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace skimline::skims {
namespace {

using Names = std::vector<std::string>;

template <typename Named>
Names names_of(const std::vector<Named>& all) {
  Names names;
  for (const Named& each : all) names.push_back(each.name.value);
  return names;
}

Names keys_of(const JsonValue& root, const char* key) {
  Names names;
  if (const JsonValue* object = root.find(key))
    for (const Text& name : object->keys) names.push_back(name.value);
  return names;
}

bool is_colour(const std::string& text) {
  const auto all = [](std::string_view part, auto is_right) {
    return std::all_of(part.begin(), part.end(), [&](unsigned char letter) { return is_right(letter); });
  };
  if (text.starts_with('#'))
    return text.size() == 7 &&
           all(std::string_view(text).substr(1), [](int c) { return std::isxdigit(c) != 0; });
  return all(text, [](int c) { return c >= 'a' && c <= 'z'; });
}

class PlotsCheck {
 public:
  PlotsCheck(PlottedNames names, Diagnostics& diagnostics)
      : diagnostics_(diagnostics),
        samples_(std::move(names.samples)),
        sums_(std::move(names.sums)),
        regions_(std::move(names.regions)),
        histograms_(std::move(names.histograms)) {}

  void check(const JsonValue& value) {
    const ObjectReader object(value, "\"plots\"",
                              {"style", "text", "histograms", "regions", "groups", "ratio", "log_x", "log_y"},
                              diagnostics_);
    object.choice("style", {"plain", "CMS", "ATLAS", "LHCb"});
    if (const auto text = object.text("text")) check_shown_name(*text, "the text of plots", diagnostics_);
    check_patterns(object.texts("histograms"), histograms_, "histogram");
    check_patterns(object.texts("regions"), regions_, "region");
    object.flag("ratio", true);
    for (const char* key : {"log_x", "log_y"}) check_logarithmic(object, key);
    if (const JsonValue* groups = object.find("groups")) check_groups(*groups);
  }

 private:
  void check_patterns(const std::vector<Text>& patterns, const Names& names, const std::string& what) {
    for (const Text& pattern : patterns)
      if (std::none_of(names.begin(), names.end(),
                       [&](const std::string& name) { return matches_pattern(name, pattern.value); }))
        diagnostics_.add(pattern.location, "no " + what + " matches " + in_quotes(pattern.value) +
                                               diagnostics_.meant(pattern.value, names));
  }

  void check_logarithmic(const ObjectReader& object, const char* key) {
    const JsonValue* found = object.find(key);
    if (!found || found->kind == JsonKind::kBool) return;
    if (found->kind == JsonKind::kList) return check_patterns(object.texts(key), histograms_, "histogram");
    diagnostics_.add(found->location, in_quotes(key) + " must be true, false or a list of histograms, got " +
                                          name_of(found->kind));
  }

  void check_groups(const JsonValue& groups) {
    for_each_named(groups, "\"groups\"", diagnostics_, [&](const Text& name, const JsonValue& value) {
      check_shown_name(name, "a group of samples", diagnostics_);
      check_group(name, value);
    });
  }

  void check_group(const Text& name, const JsonValue& value) {
    const ObjectReader object(value, "the group " + in_quotes(name.value),
                              {"samples", "label", "colour", "kind", "scale"}, diagnostics_);
    if (object.require("samples")) check_members(name.value, object.texts("samples"));
    if (const auto label = object.text("label")) check_shown_name(*label, "a label", diagnostics_);
    if (const auto colour = object.text("colour"); colour && !is_colour(colour->value))
      diagnostics_.add(colour->location,
                       "a colour is written \"#rrggbb\" or by its name in small letters, such as \"orange\"");
    const auto kind = object.choice("kind", {"background", "signal", "data"});
    if (const JsonValue* scale = object.find("scale")) check_scale(*scale, kind == 1);
  }

  void check_members(const std::string& group, const std::vector<Text>& patterns) {
    if (samples_.empty()) return;
    Names all = samples_;
    all.insert(all.end(), sums_.begin(), sums_.end());
    check_patterns(patterns, all, "sample");
    for (const Text& pattern : patterns)
      for (const std::string& sample : members_of(pattern.value)) {
        const auto [owner, is_new] = owners_.emplace(sample, group);
        if (!is_new && owner->second != group)
          diagnostics_.add(pattern.location, "the sample " + in_quotes(sample) + " is in the group " +
                                                 in_quotes(owner->second) + " already");
      }
  }

  // Sums only by their own names, or where no sample matches.
  Names members_of(const std::string& pattern) const {
    Names members;
    const auto add_matching = [&](const Names& names, bool has_wildcards) {
      for (const std::string& name : names)
        if (has_wildcards ? matches_pattern(name, pattern) : name == pattern) members.push_back(name);
    };
    add_matching(samples_, true);
    add_matching(sums_, members.empty());
    return members;
  }

  void check_scale(const JsonValue& value, bool is_signal) {
    const auto scale = read_number(value, "\"scale\"", diagnostics_);
    if (scale && !(*scale > 0 && std::isfinite(*scale)))
      diagnostics_.add(value.location, "\"scale\" must be greater than 0");
    if (!is_signal)
      diagnostics_.add(value.location, "only groups of the \"kind\" \"signal\" have a \"scale\"");
  }

  Diagnostics& diagnostics_;
  Names samples_, sums_, regions_, histograms_;
  std::map<std::string, std::string> owners_;  // of samples: their groups
};

}  // namespace

void check_plots(const JsonValue& value, PlottedNames names, Diagnostics& diagnostics) {
  PlotsCheck(std::move(names), diagnostics).check(value);
}

void check_plots(const JsonValue& value, const Config& config, Diagnostics& diagnostics) {
  check_plots(value,
              {config.sample_names, config.sum_names, names_of(config.regions), names_of(config.histograms)},
              diagnostics);
}

std::string plots_of_config(const std::string& path) {
  const auto source = std::make_shared<ConfigText>(ConfigText{path, {}, {}});
  Diagnostics diagnostics(source);
  const JsonValue root = compose_config(*source, read_text_file(path), {}, diagnostics).root;
  const JsonValue* plots = root.find("plots");
  if (!plots) throw ConfigError(path + ": has no \"plots\"");
  PlottedNames names{keys_of(root, "samples"), keys_of(root, "sums"), keys_of(root, "regions"),
                     keys_of(root, "histograms")};
  // The lists of samples may not be here.
  if (root.find("samples_from")) names.samples.clear();
  check_plots(*plots, std::move(names), diagnostics);
  diagnostics.throw_if_any();
  return compact_json(*plots);
}

}  // namespace skimline::skims
