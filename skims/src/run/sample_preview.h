// SPDX-License-Identifier: BSD-3-Clause
// What a run of one sample would do: planned as for a run, and never run.
#pragma once

#include "plan/input_checks.h"
#include "plan/memory_plan.h"
#include "plan/planned_sample.h"
#include "plan/sample_inputs.h"
#include "plan/sample_mistakes.h"

#include "skimline/framework/plan_outline.h"
#include "skimline/skims/plan_report.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// One sample of a job that is looked at only. Config and sample must outlive it.
class SamplePreview {
 public:
  /// Opens the inputs and plans, for so many threads. Throws as plan_sample().
  SamplePreview(const Config& config, const Sample& sample, int threads);

  SampleMistakes mistakes() const { return {sample_, job_.mistakes()}; }
  const io::InputSource& source() const { return source_; }
  OpenedSample opened() const { return {sample_, inputs_.inputs(), source_}; }
  const std::vector<SkippedInput>& skipped() const { return inputs_.skipped(); }

  /// What is planned, but for the estimate of memory; once, and only if there are no mistakes.
  SamplePlan plan();

  /// Known after plan().
  const MemoryDemand& demand() const { return demand_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& unused_names() const { return unused_names_; }

 private:
  std::size_t events_of(SelectionId selection) const { return outline_.selections[selection.index]; }
  void add_input();
  void add_events(const OutlinedEntries& entries);
  PlannedColumn column_of(std::size_t column) const;
  void name_events();
  void add_name(std::size_t number, std::vector<SelectionId> PlannedVariation::*selections,
                const std::string& name);
  void add_histograms();
  void number_histograms();
  void add_skims();
  void sum_up_bytes();
  void demand_memory();

  const Config& config_;
  const Sample& sample_;
  SampleInputs inputs_;
  std::unique_ptr<PlannedSample> planned_;
  io::InputSource& source_;
  histograms::HistogramSet& histograms_;
  JobPlan& job_;
  std::vector<std::string> warnings_, unused_names_;
  PlanOutline outline_;
  SamplePlan report_;
  MemoryDemand demand_;
  std::set<std::string> carried_;  // fields that are counted among the columns of the demand
};

}  // namespace skimline::skims
