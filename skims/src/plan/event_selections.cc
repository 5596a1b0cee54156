// SPDX-License-Identifier: BSD-3-Clause
#include "plan/event_selections.h"

#include "base/text_table.h"

#include <algorithm>
#include <utility>

namespace skimline::skims {
namespace {

// `the cut "two muons"`.
std::string called(const std::string& kind, const Text& name) {
  return "the " + kind + " " + in_quotes(name.value);
}

}  // namespace

EventSelections::EventSelections(SampleExpressions& expressions)
    : expressions_(expressions),
      config_(expressions.config()),
      sample_(expressions.sample()),
      builder_(expressions.builder()),
      diagnostics_(expressions.mistakes()) {
  for (const DefinedVariation& variation : expressions.variations()) {
    variations_.push_back({variation.config, variation.id, {}, {}});
    variation_numbers_.emplace(variation.config, variations_.size() - 1);
  }
  for (const Cut& cut : config_.select) apply(cut);
  for (const Region& region : config_.regions) add(region);
}

void EventSelections::count_without_each(const std::set<std::size_t>& uncounted) {
  for (std::size_t cut = 0; cut < config_.select.size(); ++cut)
    if (!uncounted.contains(cut)) count_without(cut);
}

PlanUser EventSelections::user_of(std::size_t selection) const {
  const auto found = users_.find(selection);
  return found == users_.end() ? PlanUser() : found->second;
}

PlannedVariation* EventSelections::planned(const Variation* variation) {
  const auto found = variation_numbers_.find(variation);
  return found == variation_numbers_.end() ? nullptr : &variations_[found->second];
}

SelectionId EventSelections::after(std::optional<std::size_t> num_cuts,
                                   const PlannedVariation& variation) const {
  const std::size_t count = num_cuts.value_or(variation.cuts.size());
  return count == 0 ? expressions_.all_events() : variation.cuts.at(count - 1);
}

void EventSelections::apply(const Cut& cut) {
  const std::string user = called("cut", cut.name);
  const std::size_t num_mistakes = diagnostics_.size();
  for (PlannedVariation& variation : variations_) {
    const SelectionId parent = after(std::nullopt, variation);
    variation.cuts.push_back(diagnostics_.size() == num_mistakes ? select(parent, cut.where, variation, user)
                                                                 : parent);
  }
}

void EventSelections::add(const Region& region) {
  const std::string user = called("region", region.name);
  const std::size_t num_mistakes = diagnostics_.size();
  for (PlannedVariation& variation : variations_) {
    const SelectionId parent = after(region.num_cuts, variation);
    variation.regions.push_back(
        diagnostics_.size() == num_mistakes ? select(parent, region.where, variation, user) : parent);
  }
}

// What the user asked for must not be a copy of what is nominal.
void EventSelections::check_that_variations_matter() {
  for (const PlannedVariation& variation : variations_) {
    if (!variation.config || variation.config->may_change_nothing || variation.is_different) continue;
    const auto is_same = [](SelectionId a, SelectionId b) { return a.index == b.index; };
    if (!std::equal(variation.cuts.begin(), variation.cuts.end(), nominal().cuts.begin(), is_same) ||
        !std::equal(variation.regions.begin(), variation.regions.end(), nominal().regions.begin(), is_same))
      continue;
    diagnostics_.add(variation.config->name.location,
                     "the variation \"" + variation.config->name.value +
                         "\" changes no selection and no histogram: choose the samples that have it with "
                         "\"samples\", or give \"allow_unchanged\": true");
  }
}

// A selection after all cuts but one.
void EventSelections::count_without(std::size_t cut) {
  SelectionId selection = expressions_.all_events();
  for (std::size_t other = 0; other < config_.select.size(); ++other) {
    if (other == cut) continue;
    const Cut& applied = config_.select[other];
    selection = builder_.select(selection, applied.where.value);
    add_user(selection,
             PlanUser{called("cut", applied.name) + " without " + called("cut", config_.select[cut].name),
                      {&applied.where},
                      nullptr,
                      cut});
  }
  n_minus_1_.push_back({config_.select[cut].name.value, selection});
}

std::vector<CountedStep> EventSelections::cutflow(const PlannedVariation& variation) const {
  std::vector<CountedStep> steps{{kAllEvents, kAllEntries}};
  if (sample_.entry_list) steps.push_back({kEntryList, expressions_.listed()});
  if (sample_.lumi_mask) steps.push_back({kLumiMask, expressions_.all_events()});
  for (std::size_t i = 0; i < variation.cuts.size(); ++i)
    steps.push_back({config_.select[i].name.value, variation.cuts[i]});
  return steps;
}

std::optional<SelectionId> EventSelections::certified() const {
  if (!sample_.lumi_mask) return std::nullopt;
  return expressions_.all_events();
}

std::optional<SelectionId> EventSelections::listed() const {
  if (!sample_.entry_list) return std::nullopt;
  return expressions_.listed();
}

SelectionId EventSelections::select(const EventChoice& events, std::optional<std::size_t> region,
                                    const PlannedVariation& variation, const std::string& user) {
  const SelectionId chosen = region ? variation.regions.at(*region) : after(events.num_cuts, variation);
  return events.where ? select(chosen, *events.where, variation, user) : chosen;
}

// Without the condition if there is a mistake in it.
SelectionId EventSelections::select(SelectionId parent, const Text& where, const PlannedVariation& variation,
                                    const std::string& user) {
  SelectionId selection = parent;
  expressions_.check(where, [&] {
    SampleExpressions::in(variation.config,
                          [&] { selection = builder_.select(parent, where.value, variation.id); });
    add_user(selection, PlanUser{user, {&where}, variation.config, std::nullopt});
  });
  return selection;
}

}  // namespace skimline::skims
