// SPDX-License-Identifier: BSD-3-Clause
#include "record/cutflow_tables.h"

#include "base/text_table.h"

#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cstdint>

namespace skimline::skims {
namespace {

bool has_weights(const std::vector<SampleSteps>& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const SampleSteps& sample) {
    return std::any_of(sample.steps.begin(), sample.steps.end(),
                       [](const RecordedStep& step) { return step.sum_weights != step.num_events; });
  });
}

std::vector<std::string> names_of(const std::vector<RecordedStep>& steps) {
  std::vector<std::string> names;
  for (const RecordedStep& step : steps) names.push_back(step.name);
  return names;
}

std::optional<double> share_of(double part, double whole) {
  return whole != 0 ? std::optional(part / whole) : std::nullopt;
}

Measured events_of(const RecordedStep& step, const RecordedStep& all) {
  return {.value = step.num_events,
          .error = {},
          .up = {},
          .down = {},
          .share = share_of(step.num_events, all.num_events)};
}

Measured weights_of(const RecordedStep& step, const RecordedStep& all) {
  return {.value = step.sum_weights,
          .error = step.error,
          .up = {},
          .down = {},
          .share = share_of(step.sum_weights, all.sum_weights)};
}

template <typename CellOf>
MeasuredColumn column_of(const SampleSteps& sample, const std::vector<std::string>& rows, CellOf cell_of) {
  MeasuredColumn column{sample.sample, std::vector<std::optional<Measured>>(rows.size()), false};
  for (const RecordedStep& step : sample.steps) {
    const auto row = std::find(rows.begin(), rows.end(), step.name);
    column.cells[static_cast<std::size_t>(row - rows.begin())] = cell_of(step, sample.steps.front());
  }
  return column;
}

template <typename CellOf>
MeasuredTable table_of(const char* title, const std::vector<SampleSteps>& samples, CellOf cell_of) {
  std::vector<std::vector<std::string>> lists;
  for (const SampleSteps& sample : samples) lists.push_back(names_of(sample.steps));
  MeasuredTable table{title, "step", united_rows(lists), {}};
  for (const SampleSteps& sample : samples) table.columns.push_back(column_of(sample, table.rows, cell_of));
  return table;
}

std::string share_text(double part, double whole) {
  return whole != 0 ? fixed_digits(100 * part / whole, 2) + " %" : "-";
}

// The decimals that sums of weights of a sample have.
int decimals_of(const std::vector<RecordedStep>& steps) {
  MeasuredColumn column;
  for (const RecordedStep& step : steps) column.cells.emplace_back(weights_of(step, steps.front()));
  return decimals_of(column);
}

std::string text_of_one(const std::vector<RecordedStep>& steps, bool is_weighted) {
  std::vector<std::string> head{"step", ">events", ">of previous", ">of all"};
  if (is_weighted) head.insert(head.end(), {">sum of weights", ">error", ">of all weights"});
  TextTable table(head);
  const int decimals = decimals_of(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const RecordedStep &step = steps[i], &all = steps.front();
    std::vector<std::string> row{step.name, format_count(static_cast<std::uint64_t>(step.num_events)),
                                 i == 0 ? "" : share_text(step.num_events, steps[i - 1].num_events),
                                 share_text(step.num_events, all.num_events)};
    const int own_decimals = decimals_of(weights_of(step, all), decimals);
    if (is_weighted)
      row.insert(row.end(),
                 {format_grouped(step.sum_weights, own_decimals), format_grouped(step.error, own_decimals),
                  share_text(step.sum_weights, all.sum_weights)});
    table.add(row);
  }
  return "cutflow\n" + table.format();
}

}  // namespace

std::vector<SampleSteps> cutflows_of(const RunRecord& record) {
  std::vector<SampleSteps> cutflows;
  for (const SampleRecord& sample : record.samples) {
    cutflows.push_back({sample.name, steps_of(sample)});
    if (cutflows.back().steps.empty()) cutflows.pop_back();
  }
  return cutflows;
}

std::vector<std::string> united_rows(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> rows;
  for (const std::vector<std::string>& list : lists) {
    auto at = rows.begin();
    for (const std::string& name : list) {
      const auto known = std::find(rows.begin(), rows.end(), name);
      at = known != rows.end() ? known : rows.insert(at, name);
      ++at;
    }
  }
  return rows;
}

std::vector<MeasuredTable> cutflow_tables(const std::vector<SampleSteps>& samples) {
  std::vector<MeasuredTable> tables{table_of("cutflow: events", samples, events_of)};
  for (MeasuredColumn& column : tables.front().columns) column.are_counts = true;
  if (has_weights(samples)) tables.push_back(table_of("cutflow: sums of weights", samples, weights_of));
  return tables;
}

std::string cutflow_text(const std::vector<SampleSteps>& samples, std::size_t width) {
  if (samples.empty()) return {};
  if (samples.size() == 1) return text_of_one(samples.front().steps, has_weights(samples));
  return format_tables(cutflow_tables(samples), TableFormat::kText, width);
}

}  // namespace skimline::skims
