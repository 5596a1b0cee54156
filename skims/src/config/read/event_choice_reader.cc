// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/event_choice_reader.h"

#include "config/json/name_checks.h"

#include <algorithm>
#include <set>

namespace skimline::skims {
void EventChoiceReader::read_cuts(const JsonValue& value) {
  if (value.kind != JsonKind::kList) {
    diagnostics_.add(value.location, "\"select\" must be a list, got " + name_of(value.kind));
    return;
  }
  for (const JsonValue& item : value.items) {
    const ObjectReader object(item, "each item of \"select\"", {"name", "where"}, diagnostics_);
    auto name = object.required_text("name");
    auto where = object.required_text("where");
    if (name) check_shown_name(*name, "the name of a selection", diagnostics_);
    if (name && comes_before_all(name->value))
      diagnostics_.add(name->location, "\"" + name->value + "\" is what comes before all selections");
    else if (name && cuts_.find(name->value))
      diagnostics_.add(name->location, "the selection \"" + name->value + "\" appears twice");
    if (name) cuts_.add(name->value);
    if (name && where) config_.select.push_back({std::move(*name), std::move(*where)});
  }
  points_ = cuts_.in_order();
  points_.emplace_back(kAllEvents);
}

// Lines that the cutflow of a sample has besides.
bool EventChoiceReader::comes_before_all(const std::string& name) const {
  return name == kAllEvents ||
         std::any_of(config_.samples.begin(), config_.samples.end(), [&](const Sample& sample) {
           return (sample.entry_list && name == kEntryList) || (sample.lumi_mask && name == kLumiMask);
         });
}

void EventChoiceReader::read_regions(const JsonValue& value) {
  for_each_named(value, "\"regions\"", diagnostics_, [&](const Text& name, const JsonValue& region) {
    const ObjectReader object(region, "the region \"" + name.value + "\"", {"where", "after"}, diagnostics_);
    if (cuts_.find(name.value))
      diagnostics_.add(name.location, "\"" + name.value + "\" is also the name of a selection");
    auto where = object.required_text("where");
    const std::optional<std::size_t> num_cuts = cuts_before(object);
    regions_.add(name.value);
    config_.regions.push_back({name, where.value_or(Text{}), num_cuts});
  });
}

std::optional<std::size_t> EventChoiceReader::cuts_before(const ObjectReader& object) const {
  const std::optional<Text> after = object.text("after");
  if (!after) return std::nullopt;
  if (after->value == kAllEvents) return 0;
  if (const auto position = cuts_.find(after->value)) return *position + 1;
  report_unknown("selection", *after, points_);
  return std::nullopt;
}

std::optional<std::size_t> EventChoiceReader::region_number(const Text& name) const {
  const auto position = regions_.find(name.value);
  if (!position) report_unknown("region", name, regions_.in_order());
  return position;
}

void EventChoiceReader::report_unknown(const char* kind, const Text& name,
                                       const std::vector<std::string>& known) const {
  diagnostics_.add(name.location, "unknown " + std::string(kind) + " \"" + name.value + "\"" +
                                      diagnostics_.meant_or_all(name.value, known));
}

// A region has its own point of the cut chain.
void EventChoiceReader::refuse_both(const ObjectReader& object, const char* key) const {
  const JsonValue* after = object.find("after");
  if (after && object.find(key))
    diagnostics_.add(after->location, "give either \"after\" or \"" + std::string(key) + "\", not both");
}

EventChoice EventChoiceReader::of_histogram(const ObjectReader& object) const {
  EventChoice choice{.num_cuts = cuts_before(object), .regions = {}, .where = object.text("where")};
  refuse_both(object, "regions");
  std::set<std::size_t> chosen;
  for (const Text& name : object.texts("regions")) {
    const auto number = region_number(name);
    if (!number) continue;
    if (!chosen.insert(*number).second)
      diagnostics_.add(name.location, "the region \"" + name.value + "\" is given twice");
    else
      choice.regions.push_back(*number);
  }
  return choice;
}

EventChoice EventChoiceReader::of_skim(const ObjectReader& object) const {
  EventChoice choice{.num_cuts = cuts_before(object), .regions = {}, .where = object.text("where")};
  refuse_both(object, "region");
  if (const std::optional<Text> name = object.text("region"))
    if (const auto number = region_number(*name)) choice.regions.push_back(*number);
  return choice;
}

}  // namespace skimline::skims
