// SPDX-License-Identifier: BSD-3-Clause
#include "report/job_tables.h"

#include <algorithm>
#include <cmath>

namespace skimline::skims {
namespace {

Measured count_of(std::uint64_t count, std::uint64_t whole) {
  Measured cell{.value = static_cast<double>(count), .error = {}, .up = {}, .down = {}, .share = {}};
  if (whole != 0) cell.share = cell.value / static_cast<double>(whole);
  return cell;
}

MeasuredColumn empty_column(const SampleReport& sample) { return {sample.name, {}, true}; }

}  // namespace

std::vector<SampleSteps> cutflows_of(const JobReport& report) {
  std::vector<SampleSteps> cutflows;
  for (const SampleReport& sample : report.samples) {
    cutflows.push_back({sample.name, {}});
    for (const CutflowStep& step : sample.cutflow)
      cutflows.back().steps.push_back(
          {step.name, static_cast<double>(step.num_passed), step.sum_weights, std::sqrt(step.sum_squares)});
  }
  return cutflows;
}

MeasuredTable n_minus_1_table(const std::vector<SampleReport>& samples) {
  MeasuredTable table{
      "n - 1: events that pass all other cuts, and the part that the cut keeps", "all but", {}, {}};
  std::vector<std::vector<std::string>> lists;
  for (const SampleReport& sample : samples) {
    lists.emplace_back();
    for (const CutflowStep& step : sample.n_minus_1) lists.back().push_back(step.name);
  }
  table.rows = united_rows(lists);
  for (const SampleReport& sample : samples) {
    MeasuredColumn column = empty_column(sample);
    for (const std::string& row : table.rows) {
      const auto step = std::find_if(sample.n_minus_1.begin(), sample.n_minus_1.end(),
                                     [&](const CutflowStep& each) { return each.name == row; });
      column.cells.emplace_back();
      if (step == sample.n_minus_1.end()) continue;
      column.cells.back() = count_of(step->num_passed, 0);
      if (step->num_passed != 0)
        column.cells.back()->share =
            static_cast<double>(sample.cutflow.back().num_passed) / static_cast<double>(step->num_passed);
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

MeasuredTable regions_table(const std::vector<SampleReport>& samples) {
  MeasuredTable table{"regions: events, and the part of all", "region", {}, {}};
  if (samples.empty()) return table;
  for (const RegionCount& region : samples.front().regions)
    table.rows.push_back(region.step.name + " after " + region.after);
  for (const SampleReport& sample : samples) {
    table.columns.push_back(empty_column(sample));
    for (const RegionCount& region : sample.regions)
      table.columns.back().cells.emplace_back(count_of(region.step.num_passed, sample.num_entries));
  }
  return table;
}

}  // namespace skimline::skims
