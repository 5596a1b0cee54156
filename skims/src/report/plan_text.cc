// SPDX-License-Identifier: BSD-3-Clause
// A plan as text.
#include "base/text_table.h"

#include "skimline/framework/column_name.h"
#include "skimline/skims/plan_report.h"
#include "skimline/skims/shown_text.h"

#include <cmath>

namespace skimline::skims {
namespace {

constexpr std::size_t kLineWidth = 100;

std::string format_bytes(double bytes) {
  return skims::format_bytes(static_cast<std::uint64_t>(std::llround(bytes)));
}

std::string joined(const std::vector<std::string>& items, const std::string& between) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : between) + item;
  return text;
}

// "two muons: nMuon == 2", "where nMuon == 2", "not where nMuon == 2".
std::string heading(const PlannedEvents& events) {
  if (events.where.empty()) return shown(joined(events.names, ", "));
  const std::string where = (events.keep_when ? "" : "not ") + shown(events.where);
  return events.names.empty() ? (events.is_selection ? "where " : "only where ") + where
                              : shown(joined(events.names, ", ")) + ": " + where;
}

// As tables refer to it.
std::string short_name(const PlannedEvents& events) {
  return events.names.empty() ? heading(events) : joined(events.names, ", ");
}

std::string input_text(const SamplePlan& report) {
  TextTable table({"file", "ntuple", ">events", ">clusters", ">size"});
  for (const PlannedFile& file : report.files)
    table.add({file.path, file.ntuple_name, format_count(file.num_entries), format_count(file.num_clusters),
               skims::format_bytes(file.bytes)});
  return "input\n" + table.format() + "  " + counted(report.num_entries, "event") + " in " +
         counted(report.num_slices, "slice") + " of at most " + format_count(report.largest_slice) + "\n";
}

class EventTree {
 public:
  explicit EventTree(const SamplePlan& report) : report_(report), inner_(report.events.size()) {
    for (std::size_t i = 1; i < report.events.size(); ++i) inner_[report.events[i].outer].push_back(i);
  }

  std::string text() {
    // Sets may be nested as deep as expressions are long: no recursion.
    std::vector<std::pair<std::size_t, std::size_t>> pending{{0, 1}};
    while (!pending.empty()) {
      const auto [number, depth] = pending.back();
      pending.pop_back();
      add(report_.events[number], depth);
      for (auto inner = inner_[number].rbegin(); inner != inner_[number].rend(); ++inner)
        pending.emplace_back(*inner, depth + 1);
    }
    return "events\n" + text_;
  }

 private:
  void add(const PlannedEvents& events, std::size_t depth) {
    text_ += std::string(2 * depth, ' ') + heading(events) + "\n";
    const std::string indent(2 * depth + 2, ' ');
    std::vector<std::string> columns, histograms;
    for (const PlannedColumn& column : events.columns)
      columns.push_back(shown(in_expression(column.name)) + " (" + skims::format_bytes(column.bytes_stored) +
                        ")");
    add_list(indent + "read     ", columns);
    for (const PlannedValue& value : events.values)
      if (value.is_shown)
        text_ += indent + "compute  " + shown((value.name.empty() ? "" : value.name + " = ") + value.text) +
                 " (" + value.type + ")\n";
    for (const std::size_t histogram : events.histograms)
      histograms.push_back(shown(report_.histograms[histogram].name));
    add_list(indent + "fill     ", histograms);
    for (const std::size_t skim : events.skims)
      text_ += indent + "keep     " + shown(report_.skims[skim].name) + "\n";
  }

  // Items in lines of limited width, below each other.
  void add_list(const std::string& first, const std::vector<std::string>& items) {
    std::string line = first;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string item = items[i] + (i + 1 < items.size() ? ", " : "");
      if (line.size() > first.size() && line.size() + item.size() > kLineWidth) {
        end_line(line);
        line = std::string(first.size(), ' ');
      }
      line += item;
    }
    if (!items.empty()) end_line(line);
  }

  void end_line(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + "\n";
  }

  const SamplePlan& report_;
  std::vector<std::vector<std::size_t>> inner_;
  std::string text_;
};

// "120 regular: mll", "3 growing: channel".
std::string axis_text(const PlannedAxis& axis) {
  const std::string kind = axis.is_growing ? "growing" : axis.is_circular ? "circular" : axis.kind;
  return format_count(axis.bins) + " " + kind + ": " + axis.value;
}

std::string axes_text(const PlannedHistogram& histogram) {
  std::string text;
  for (const PlannedAxis& axis : histogram.axes) text += (text.empty() ? "" : " x ") + axis_text(axis);
  return histogram.profile.empty() ? text : histogram.profile + " in " + text;
}

std::string histograms_text(const SamplePlan& report) {
  if (report.histograms.empty()) return {};
  TextTable table({"histogram", "bins", "weight", ">cells", ">a copy", "copies", "events"});
  for (const PlannedHistogram& histogram : report.histograms)
    table.add({histogram.name, axes_text(histogram), histogram.weight.empty() ? "1" : histogram.weight,
               format_count(histogram.cells), skims::format_bytes(histogram.cell_bytes),
               histogram.is_shared ? "shared" : "per thread", short_name(report.events[histogram.events])});
  return "\nhistograms\n" + table.format();
}

std::string skims_text(const SamplePlan& report) {
  if (report.skims.empty()) return {};
  TextTable table({"skim", "file", "format", ">carried", ">computed", ">to read", "compression", "events"});
  for (const PlannedSkimFile& skim : report.skims)
    table.add({skim.name, skim.path, skim.format, format_count(skim.carried.size()),
               format_count(skim.computed.size()), skims::format_bytes(skim.bytes_to_read), skim.compression,
               short_name(report.events[skim.events])});
  return "\nskims\n" + table.format();
}

std::string models_text(const PlanReport& report) {
  if (report.models.empty()) return {};
  TextTable table({"model", "file", "checksum", "evaluated by"});
  for (const PlannedModel& model : report.models)
    table.add({model.name, model.path, model.checksum, model.evaluator});
  return "\nmodels\n" + table.format();
}

std::string memory_text(const SamplePlan& report) {
  const MemoryEstimate& memory = report.memory;
  TextTable table({"", ">"});
  table.add({"histograms", format_bytes(memory.histograms)});
  table.add({"columns", format_bytes(memory.columns)});
  table.add({"batches", format_bytes(memory.batches)});
  table.add({"skims", format_bytes(memory.skims)});
  table.add({"results", format_bytes(memory.results)});
  table.add({"program", format_bytes(memory.program)});
  table.add({"total", format_bytes(memory.total())});
  const std::string text = table.format();
  return "\nmemory, estimated for " + counted(static_cast<std::uint64_t>(report.threads), "thread") +
         text.substr(text.find('\n'));
}

std::string sample_text(const SamplePlan& plan) {
  return input_text(plan) + "\n" + EventTree(plan).text() + "\nto read\n  " +
         skims::format_bytes(plan.least_bytes) + " for all events, at most " +
         skims::format_bytes(plan.most_bytes) + "\n" + histograms_text(plan) + skims_text(plan) +
         memory_text(plan);
}

}  // namespace

std::string to_text(const PlanReport& report) {
  std::string text;
  for (const SamplePlan& sample : report.samples) {
    if (!text.empty()) text += "\n";
    if (report.samples.size() > 1) text += "sample " + shown(sample.sample) + "\n\n";
    text += sample_text(sample);
  }
  text += models_text(report);
  for (const std::string& warning : report.warnings) text += "\n" + warning + "\n";
  return text;
}

}  // namespace skimline::skims
