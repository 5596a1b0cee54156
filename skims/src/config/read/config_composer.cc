// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/config_composer.h"

#include "base/text_file.h"
#include "config/json/config_path.h"
#include "config/json/object_reader.h"
#include "config/read/config_merge.h"
#include "config/read/config_parts.h"
#include "config/read/config_variables.h"
#include "config/read/moved_paths.h"
#include "config/read/override_paths.h"
#include "config/read/templates.h"

#include <algorithm>

namespace skimline::skims {
namespace {

/// What a setting of the command line is called in messages.
constexpr const char* kSettingPath = "--set";

// What takes part in composing cannot be set: it is gone by then.
bool can_be_set(const ConfigPath& path, Diagnostics& diagnostics) {
  for (const char* key : {"include", "override"})
    if (path.front().value == key) {
      diagnostics.add(path.front().location, "\"" + std::string(key) + "\" cannot be set");
      return false;
    }
  return true;
}

// Position of the "=" behind the path, outside of quotes.
std::size_t end_of_path(const std::string& setting) {
  bool is_quoted = false;
  for (std::size_t at = 0; at < setting.size(); ++at) {
    if (is_quoted && setting[at] == '\\')
      ++at;
    else if (setting[at] == '"')
      is_quoted = !is_quoted;
    else if (setting[at] == '=' && !is_quoted)
      return at;
  }
  return std::string::npos;
}

// JSON, or a text as it stands.
JsonValue parse_value(const std::string& text, std::size_t begin, Diagnostics& diagnostics) {
  const bool is_meant_as_json = text.starts_with('[') || text.starts_with('{');
  if (is_meant_as_json || is_plain_json(text)) return parse_plain_json(text, diagnostics, begin);
  JsonValue value;
  value.kind = JsonKind::kString;
  value.location = {begin, begin + text.size()};
  value.text = text;
  if (!is_unicode(text)) diagnostics.add(value.location, "this text is not UTF-8");
  return value;
}

// "skims" and "histograms" that are null or empty are as if they were not there, and what belongs to them.
void switch_off(JsonValue& root) {
  const auto is_off = [&](const char* key) {
    const JsonValue* value = root.find(key);
    return value &&
           (value->kind == JsonKind::kNull || (value->kind == JsonKind::kObject && value->items.empty()));
  };
  if (is_off("skims")) root.take("skims");
  if (!is_off("histograms")) return;
  for (const char* key : {"histograms", "histogram_defaults", "histogram_memory", "plots"}) root.take(key);
  if (JsonValue* output = root.find("output")) output->take("histograms");
}

void take_paths_out(JsonValue* skims, JsonValue* output) {
  if (skims)
    for (JsonValue& skim : skims->items) skim.take("file");
  if (!output) return;
  for (const char* key : {"report", "cutflow"}) output->take(key);
  JsonValue* histograms = output->find("histograms");
  if (histograms) histograms->take("file");
  if (histograms && histograms->items.empty()) output->take("histograms");
}

// What outputs depend on: they are the same wherever they are written.
std::string recorded_text_of(JsonValue& root) {
  JsonValue* skims = root.find("skims");
  JsonValue* output = root.find("output");
  const JsonValue whole_skims = skims ? *skims : JsonValue(), whole_output = output ? *output : JsonValue();
  take_paths_out(skims, output);
  const bool has_output = output && !output->items.empty();
  std::string text = compact_json(
      root, {"$schema", "cache", "memory_limit", "histogram_memory", has_output ? "" : "output"});
  if (skims) *skims = whole_skims;
  if (output) *output = whole_output;
  return text;
}

std::string recorded_text(JsonValue& root) {
  std::string text = recorded_text_of(root);
  if (text.find("${") == std::string::npos) return text;
  JsonValue plain = root;
  make_plain(plain);
  return recorded_text_of(plain);
}

class Composer {
 public:
  Composer(ConfigText& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  ComposedConfig compose(const std::string& text, const std::vector<std::string>& settings) {
    parts_ = read_parts(source_, text, diagnostics_);
    diagnostics_.throw_if_any();
    for (ParsedPart& part : parts_) take(part);
    root_ = merge(std::move(parts_.back().root));
    apply_overrides();
    for (const std::string& setting : settings) apply_setting(setting);
    put_in_variables(expanded_templates());
    move_paths(root_, folders_, source_);
    switch_off(root_);
    std::string recorded = recorded_text(root_);
    if (recorded.size() > kLargestConfig)
      diagnostics_.add({0, 1}, "the config has more than " + std::to_string(kLargestConfig >> 20) +
                                   " MiB with all its files and variables");
    return {std::move(root_), std::move(recorded), std::move(warnings_)};
  }

 private:
  struct Override {
    ConfigPath path;
    JsonValue value;
    std::size_t part = 0;  // its number
    const std::set<std::size_t>* is_built_on = nullptr;
  };

  // Takes out of a part what is not merged.
  void take(ParsedPart& part) {
    folders_.resize(std::max(folders_.size(), part.number + 1));
    folders_[part.number] = part.folder;
    if (part.number > 0) part.root.take("$schema");
    const auto overrides = part.root.take("override");
    if (!overrides) return;
    for_each_named(*overrides, "\"override\"", diagnostics_, [&](const Text& key, const JsonValue& value) {
      auto path = parse_path(key, source_, diagnostics_);
      if (path && can_be_set(*path, diagnostics_))
        overrides_.push_back({std::move(*path), value, part.number, &part.is_built_on});
    });
  }

  // What is included comes first.
  JsonValue merge(JsonValue config) {
    if (config.kind != JsonKind::kObject) return config;
    JsonValue merged;
    merged.kind = JsonKind::kObject;
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i)
      merge_into(merged, std::move(parts_[i].root), diagnostics_);
    merge_into(merged, std::move(config), diagnostics_);
    return merged;
  }

  void apply_overrides() {
    OverridePaths earlier;
    for (Override& each : overrides_) {
      if (!contradicts_earlier(earlier, each))
        set_value(root_, each.path, std::move(each.value), diagnostics_);
      earlier.add(each.path, each.part);
    }
  }

  // A file may override what those that it includes override.
  bool contradicts_earlier(const OverridePaths& earlier, const Override& mine) {
    const auto found = earlier.first_about_same(mine.path, *mine.is_built_on);
    if (!found) return false;
    diagnostics_.add(mine.path.front().location,
                     "\"" + to_text(mine.path, mine.path.size()) + "\" is overridden twice",
                     overrides_[*found].path.front().location, "it is overridden here too");
    return true;
  }

  void apply_setting(const std::string& setting) {
    const std::size_t begin = append_part(source_, {.path = kSettingPath, .is_argument = true}, setting);
    folders_.emplace_back();
    const std::size_t equals = end_of_path(setting);
    if (equals == std::string::npos) {
      diagnostics_.add({begin, begin + setting.size()}, "a setting is written \"path.to.key=value\"");
      return;
    }
    const std::size_t num_errors = diagnostics_.size();
    const auto path = parse_path({setting.substr(0, equals), {begin, begin + equals}}, source_, diagnostics_);
    JsonValue value = parse_value(setting.substr(equals + 1), begin + equals + 1, diagnostics_);
    if (diagnostics_.size() == num_errors && can_be_set(*path, diagnostics_))
      set_value(root_, *path, std::move(value), diagnostics_);
  }

  // Returns the variables that templates loop over.
  std::set<std::string> expanded_templates() {
    ExpandedTemplates expanded = expand_templates(root_, root_.find("variables"), source_, diagnostics_);
    folders_.resize(source_.parts.size() - expanded.origins.size());
    for (const std::size_t origin : expanded.origins) folders_.push_back(folders_[origin]);
    return std::move(expanded.used_variables);
  }

  void put_in_variables(const std::set<std::string>& looped_over) {
    std::optional<JsonValue> variables = root_.take("variables");
    if (!variables) {
      variables.emplace();
      variables->kind = JsonKind::kObject;
    }
    for (const Text& unused : skims::put_in_variables(*variables, root_, diagnostics_))
      if (!is_included(source_, unused.location) && !looped_over.contains(unused.value))
        warnings_.push_back(marked_message(source_, unused.location, "warning",
                                           "the variable \"" + unused.value + "\" is not used"));
  }

  ConfigText& source_;
  Diagnostics& diagnostics_;
  std::vector<ParsedPart> parts_;
  std::vector<std::filesystem::path> folders_;  // of all parts
  std::vector<Override> overrides_;
  JsonValue root_;
  std::vector<std::string> warnings_;
};

}  // namespace

ComposedConfig compose_config(ConfigText& source, const std::string& text,
                              const std::vector<std::string>& settings, Diagnostics& diagnostics) {
  return Composer(source, diagnostics).compose(text, settings);
}

}  // namespace skimline::skims
