// SPDX-License-Identifier: BSD-3-Clause
// The skims of one sample: their columns, and the events that they take.
#pragma once

#include "plan/cutflow.h"
#include "plan/event_selections.h"
#include "plan/plan_user.h"
#include "plan/sample_expressions.h"

#include "skimline/framework/plan.h"
#include "skimline/framework/sink.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"
#include "skimline/skims/left_out_columns.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// A skim whose columns are known.
struct PlannedSkim {
  const SkimConfig* config = nullptr;
  SelectionId selection;
  std::size_t num_common_cuts = 0;                   ///< before what varies
  std::vector<const Variation*> variations;          ///< for which it takes events too
  std::shared_ptr<const io::CarriedFields> carried;  ///< fields of the input, as they are stored
  std::vector<std::string> carried_names;
  std::vector<io::Collection> collections;  ///< of the input: lists that share their counts
  std::set<std::string> not_of_input;       ///< names of columns that are made, in some files at least
  Schema computed;                          ///< what is not carried, as it is called in the file
  std::vector<std::string> computed_from;   ///< by column of these, its name in the plan
  std::size_t num_columns = 0;              ///< of both
  std::vector<LeftOutColumn> left_out;      ///< what the patterns take and it cannot hold
  std::map<std::string, std::string> thinned_from;  ///< by column that "thin" changes, its name in the plan
  std::map<std::string, std::string>
      thinned_own;                      ///< by column of its own that "thin" changes, an expression
  std::vector<io::Collection> thinned;  ///< the collections that lose elements, as they are kept
  std::vector<std::string> thinned_without_columns;  ///< names of collections
  std::string real_indexes;   ///< into collections that are thinned, which leaves them as they are
  std::string stale_indexes;  ///< indexes into collections of which `columns` choose elements
  std::string renamed;        ///< what has another name in it; see renamed_text()
};

/// As a config spells it.
std::string name_of_compression(const SkimConfig& skim);

/// What is to be said of a skim's columns, each with the place of the skim.
std::vector<std::string> warnings_of(const PlannedSkim& skim, const ConfigText& source);

/// Plans the skims of a config, in its order; up to the first mistake.
class SkimPlan {
 public:
  /// Both must outlive it.
  SkimPlan(SampleExpressions& expressions, EventSelections& selections);
  SkimPlan(const SkimPlan&) = delete;
  SkimPlan& operator=(const SkimPlan&) = delete;

  const std::vector<PlannedSkim>& skims() const { return skims_; }

  /// Passes the columns of a skim to a sink.
  void write(const PlannedSkim& skim, Sink& sink);

  /// What the events of a skim are, and how they are stored.
  ValueContent content_of(const PlannedSkim& skim);

  /// The cutflow up to the events of a skim.
  std::vector<CountedStep> cutflow_of(const PlannedSkim& skim) const;

  /// Who has values computed for a write of the plan; nobody if that is of no skim.
  PlanUser user_of(std::size_t number) const;

 private:
  void plan(const SkimConfig& config);
  void check_can_be_kept(const SkimConfig& config, const std::vector<std::string>& kept);
  std::vector<LeftOutColumn> reasons_against(const SkimConfig& config,
                                             const std::vector<std::string>& kept) const;
  std::string way_out(const LeftOutColumn& column) const;
  void leave_out(std::vector<LeftOutColumn> columns, std::vector<std::string>& kept, PlannedSkim& skim);
  void thin(const std::vector<std::string>& kept, PlannedSkim& skim);
  void carry_or_compute(std::vector<std::string>& fields, PlannedSkim& skim, io::Carrying& carrying);
  void take_changed_counts(PlannedSkim& skim) const;
  bool is_changed(const std::string& column, const PlannedSkim& skim) const;
  void drop_repeated(std::vector<std::string>& computed, std::vector<std::string>& fields,
                     PlannedSkim& skim) const;
  void drop_repeated_originals(std::vector<std::string>& definitions) const;
  void add_thinned_collections(PlannedSkim& skim) const;
  void divide(const std::vector<std::string>& kept, PlannedSkim& skim);
  void add_computed(const std::vector<std::string>& columns, PlannedSkim& skim) const;
  std::string own_name(const PlannedSkim& skim, const std::string& what) const;
  void add_columns(PlannedSkim& skim);
  void add_masked_lists(PlannedSkim& skim);
  void select_for(PlannedSkim& skim);
  void select_any(PlannedSkim& skim);
  PlanUser user_of_skim(const SkimConfig& skim) const;

  SampleExpressions& expressions_;
  EventSelections& selections_;
  const Config& config_;
  io::InputSource& source_;
  const Schema& schema_;
  PlanBuilder& builder_;
  Diagnostics& diagnostics_;
  const OrderedNames& definitions_;
  std::vector<PlannedSkim> skims_;
};

}  // namespace skimline::skims
