// SPDX-License-Identifier: BSD-3-Clause
// A plan as JSON.
#include "skimline/skims/plan_report.h"

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PlannedFile& file) {
  return {{"path", file.path},
          {"ntuple", file.ntuple_name},
          {"entries", file.num_entries},
          {"clusters", file.num_clusters},
          {"bytes", file.bytes}};
}

Json json_of(const PlannedColumn& column) {
  return {{"name", column.name},
          {"type", column.type},
          {"bytes_stored", column.bytes_stored},
          {"bytes_in_memory", static_cast<std::uint64_t>(column.size.in_memory)}};
}

Json json_of(const PlannedValue& value) {
  return {{"name", value.name}, {"expression", value.text}, {"type", value.type}};
}

Json json_of(const PlannedModel& model) {
  return {{"name", model.name},
          {"path", model.path},
          {"checksum", model.checksum},
          {"evaluator", model.evaluator}};
}

Json json_of(const PlannedAxis& axis) {
  return {{"value", axis.value},
          {"kind", axis.kind},
          {"bins", axis.bins},
          {"growing", axis.is_growing},
          {"circular", axis.is_circular}};
}

template <typename Item>
Json list_of(const std::vector<Item>& items);

Json json_of(const PlannedHistogram& histogram) {
  return {{"name", histogram.name},
          {"axes", list_of(histogram.axes)},
          {"profile", histogram.profile},
          {"weight", histogram.weight},
          {"storage", histogram.storage},
          {"cells", histogram.cells},
          {"cell_bytes", histogram.cell_bytes},
          {"placement", histogram.is_shared ? "shared" : "private"},
          {"events", histogram.events}};
}

Json json_of(const PlannedSkimFile& skim) {
  return {{"name", skim.name},
          {"path", skim.path},
          {"format", skim.format},
          {"carried", skim.carried},
          {"computed", skim.computed},
          {"bytes_to_read", skim.bytes_to_read},
          {"compression", skim.compression},
          {"events", skim.events}};
}

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

Json json_of_events(const SamplePlan& report, std::size_t number) {
  const PlannedEvents& events = report.events[number];
  Json histograms = Json::array(), skims = Json::array();
  for (const std::size_t histogram : events.histograms)
    histograms.push_back(report.histograms[histogram].name);
  for (const std::size_t skim : events.skims) skims.push_back(report.skims[skim].name);
  return {{"number", number},
          {"outer", number == 0 ? Json() : Json(events.outer)},
          {"names", events.names},
          {"where", events.where},
          {"keep_when", events.keep_when},
          {"is_selection", events.is_selection},
          {"columns", list_of(events.columns)},
          {"values", list_of(events.values)},
          {"histograms", std::move(histograms)},
          {"skims", std::move(skims)}};
}

Json json_of(const MemoryEstimate& memory) {
  const auto whole = [](double bytes) { return static_cast<std::uint64_t>(bytes); };
  return {{"histograms", whole(memory.histograms)}, {"columns", whole(memory.columns)},
          {"batches", whole(memory.batches)},       {"skims", whole(memory.skims)},
          {"results", whole(memory.results)},       {"program", whole(memory.program)},
          {"total", whole(memory.total())}};
}

Json json_of(const SamplePlan& plan) {
  Json events = Json::array();
  for (std::size_t i = 0; i < plan.events.size(); ++i) events.push_back(json_of_events(plan, i));
  return {{"sample", plan.sample},
          {"files", list_of(plan.files)},
          {"entries", plan.num_entries},
          {"slices", plan.num_slices},
          {"largest_slice", plan.largest_slice},
          {"steps", plan.num_steps},
          {"events", std::move(events)},
          {"bytes_for_all_events", plan.least_bytes},
          {"bytes_at_most", plan.most_bytes},
          {"histograms", list_of(plan.histograms)},
          {"skims", list_of(plan.skims)},
          {"memory", json_of(plan.memory)}};
}

}  // namespace

std::string to_json(const PlanReport& report) {
  Json samples = Json::array();
  for (const SamplePlan& sample : report.samples) samples.push_back(json_of(sample));
  const Json json{{"samples", std::move(samples)},
                  {"threads", report.threads},
                  {"max_slices_in_flight", report.max_slices_in_flight},
                  {"models", list_of(report.models)},
                  {"warnings", report.warnings}};
  // Names come from files: bytes that are no UTF-8 must not stop the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
