// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_reading.h"

#include "base/text_table.h"
#include "config/json/object_reader.h"

#include <memory>
#include <utility>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kMostMistakes = 200;

}  // namespace

bool is_filled(const JsonValue* value) {
  return value && (!value->items.empty() || (value->kind == JsonKind::kString && !value->text.empty()));
}

void FrameReading::check_new(std::set<std::string>& names, const std::string& name, const JsonValue& block,
                             const std::string& things) {
  if (!name.empty() && !names.insert(name).second)
    diagnostics.add(block.location, "two " + things + " are called " + in_quotes(name));
}

void FrameReading::check_known(const std::set<std::string>& names, const std::string& name, Location place,
                               const std::string& thing) {
  if (names.contains(name)) return;
  diagnostics.add(place, "there is no " + thing + " called " + in_quotes(name) +
                             did_you_mean(name, Texts(names.begin(), names.end())));
  if (diagnostics.size() >= kMostMistakes) diagnostics.throw_if_any();
}

std::optional<Texts> FrameReading::known_texts(const FrameBlock& block, const char* key,
                                               const std::set<std::string>& names, const std::string& thing) {
  std::optional<Texts> texts = block.texts(key);
  if (texts)
    for (const std::string& name : *texts) check_known(names, name, block.find(key)->location, thing);
  return texts;
}

void FrameReading::read_defaults(const FrameBlock& block, FrameDefaults& defaults) {
  if (auto excluded = block.texts("exclude_systematics"))
    defaults.exclude_systematics = std::make_shared<const Texts>(std::move(*excluded));
  defaults.automatic_systematics = block.flag("automatic_systematics", defaults.automatic_systematics);
  defaults.nominal_only = block.flag("nominal_only", defaults.nominal_only);
  const JsonValue* columns = block.find("define_custom_columns");
  if (!columns) return;
  std::vector<FrameDefinition> definitions;
  std::set<std::string> names;
  for (const JsonValue& each : sequences.blocks(*columns)) {
    const FrameBlock column(each, "a custom column", {"name", "definition"}, diagnostics);
    const std::string name = column.required_text("name"), text = column.required_text("definition");
    if (name.empty()) continue;
    if (name.find("NOSYS") == std::string::npos)
      diagnostics.add(each.find("name")->location, "the name of a custom column holds \"NOSYS\"");
    else if (!names.insert(name).second)
      diagnostics.add(each.find("name")->location, "the column " + in_quotes(name) + " is defined twice");
    definitions.push_back({name, text});
  }
  defaults.definitions = std::make_shared<const std::vector<FrameDefinition>>(std::move(definitions));
}

void FrameReading::leave_out_truth(const FrameBlock& block, const std::string& name) {
  for (const char* key : {"truth", "define_custom_columns_truth"})
    if (is_filled(block.find(key)))
      config.left_out.add("what is of truth trees in", name,
                          "unfolding, and histograms of other trees: make a config of the truth tree");
}

}  // namespace skimline::skims
