// SPDX-License-Identifier: BSD-3-Clause
// Which events of a sample pass cuts and regions, nominally and in each variation.
#pragma once

#include "plan/cutflow.h"
#include "plan/plan_user.h"
#include "plan/sample_expressions.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace skimline::skims {

/// The analysis in one variation, or nominal.
struct PlannedVariation {
  const Variation* config = nullptr;  ///< null if nominal
  VariationId id = kNominal;
  std::vector<SelectionId> cuts;     ///< after each
  std::vector<SelectionId> regions;  ///< of each
  bool is_different = false;         ///< whether it changes a histogram or a skim
};

/// The cuts and regions of a config. Conditions with a mistake, which is noted, are left out.
class EventSelections {
 public:
  /// The expressions must outlive it.
  explicit EventSelections(SampleExpressions& expressions);
  EventSelections(const EventSelections&) = delete;
  EventSelections& operator=(const EventSelections&) = delete;

  const PlannedVariation& nominal() const { return variations_.front(); }
  /// The nominal analysis, then those variations that the sample has, in the order of the config.
  const std::vector<PlannedVariation>& variations() const { return variations_; }
  std::vector<PlannedVariation>& variations() { return variations_; }
  /// What is planned for a variation, null for nominal; null if it has mistakes.
  PlannedVariation* planned(const Variation* variation);

  /// The events after so many cuts, all of them unless given.
  SelectionId after(std::optional<std::size_t> num_cuts, const PlannedVariation& variation) const;
  /// Those that a histogram or skim takes, of one of its regions if it has some.
  SelectionId select(const EventChoice& events, std::optional<std::size_t> region,
                     const PlannedVariation& variation, const std::string& user);

  /// Notes who makes a selection, unless another one has made it before.
  void add_user(SelectionId selection, const PlanUser& user) { users_.try_emplace(selection.index, user); }
  /// By the index of a selection.
  PlanUser user_of(std::size_t selection) const;

  /// What the user asked for must not be a copy of what is nominal. Once all else is planned.
  void check_that_variations_matter();

  /// Counts, for each cut that is not among these, the events that pass all others.
  void count_without_each(const std::set<std::size_t>& uncounted);
  /// By cut that is counted so.
  const std::vector<CountedStep>& n_minus_1() const { return n_minus_1_; }

  /// All events, those of the entry list and of the luminosity mask if there are such, and those after each
  /// cut.
  std::vector<CountedStep> cutflow(const PlannedVariation& variation) const;
  /// The events of the luminosity mask, if there is one.
  std::optional<SelectionId> certified() const;
  /// The events of the entry list, if there is one, whatever the mask says.
  std::optional<SelectionId> listed() const;

 private:
  void apply(const Cut& cut);
  void add(const Region& region);
  void count_without(std::size_t cut);
  SelectionId select(SelectionId parent, const Text& where, const PlannedVariation& variation,
                     const std::string& user);

  SampleExpressions& expressions_;
  const Config& config_;
  const Sample& sample_;
  PlanBuilder& builder_;
  Diagnostics& diagnostics_;
  std::vector<PlannedVariation> variations_{1};
  std::unordered_map<const Variation*, std::size_t> variation_numbers_{{nullptr, 0}};
  std::vector<CountedStep> n_minus_1_;
  std::map<std::size_t, PlanUser> users_;  // by selection, those that made it
};

}  // namespace skimline::skims
