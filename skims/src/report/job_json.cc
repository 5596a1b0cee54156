// SPDX-License-Identifier: BSD-3-Clause
// The report of a run as JSON.
#include "report/stage_names.h"
#include "report/yield_tables.h"

#include "skimline/framework/version.h"
#include "skimline/skims/job_report.h"

#include <cmath>
#include <ctime>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

// An object with room for that many members: it copies those that it has where it must grow.
Json object_of(std::size_t num_members) {
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(num_members);
  return json;
}

Json json_of(const ReadStatistics& read) {
  return {{"bytes", read.bytes_read},
          {"requests", read.read_calls},
          {"pages_decoded", read.pages_decoded},
          {"bytes_decoded", read.bytes_decoded},
          {"pages_passed", read.pages_passed},
          {"bytes_passed", read.bytes_passed},
          {"pages_skipped", read.pages_skipped},
          {"bytes_skipped", read.bytes_skipped},
          {"bytes_verified", read.bytes_verified},
          {"bytes_unverified", read.bytes_unverified}};
}

double part_of(double part, double whole) { return whole != 0 ? part / whole : 0; }

Json json_of(const CutflowStep& step) {
  Json json = object_of(8);
  json["name"] = step.name;
  json["events"] = step.num_passed;
  json["sum_weights"] = step.sum_weights;
  json["sum_weights_error"] = std::sqrt(step.sum_squares);
  return json;
}

// With the efficiencies of each step, by events and by weights.
Json json_of_cutflow(const std::vector<CutflowStep>& cutflow) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cutflow.size(); ++i) {
    const CutflowStep& before = cutflow[i == 0 ? 0 : i - 1];
    const auto events = [](const CutflowStep& step) { return static_cast<double>(step.num_passed); };
    Json step = json_of(cutflow[i]);
    step["of_previous"] = part_of(events(cutflow[i]), events(before));
    step["of_all"] = part_of(events(cutflow[i]), events(cutflow.front()));
    step["weighted_of_previous"] = part_of(cutflow[i].sum_weights, before.sum_weights);
    step["weighted_of_all"] = part_of(cutflow[i].sum_weights, cutflow.front().sum_weights);
    list.push_back(std::move(step));
  }
  return list;
}

Json json_of(const RegionCount& region) {
  Json json = json_of(region.step);
  json["after"] = region.after;
  return json;
}

Json json_of(const SkippedInput& skipped) { return {{"file", skipped.file}, {"problem", skipped.problem}}; }

std::string name_of(LeftOutKind kind) {
  switch (kind) {
    case LeftOutKind::kDifferent:
      return "different";
    case LeftOutKind::kUnwritable:
      return "unwritable";
    case LeftOutKind::kNamesake:
      return "namesake";
    case LeftOutKind::kUnreadable:
      break;
  }
  return "unreadable";
}

Json json_of(const LeftOutOfSkim& left_out) {
  Json columns = Json::array();
  for (const LeftOutColumn& column : left_out.columns)
    columns.push_back({{"name", column.name}, {"kind", name_of(column.kind)}, {"reason", column.reason}});
  return {{"skim", left_out.skim}, {"ntuple", left_out.ntuple}, {"columns", std::move(columns)}};
}

Json json_of(const LumiCount& lumi) { return {{"accepted", lumi.accepted}, {"rejected", lumi.rejected}}; }

Json json_of(const OutputFile& output) {
  return {{"path", output.path},
          {"content", output.content},
          {"bytes", output.bytes},
          {"checksum", output.checksum}};
}

// Times, and what part of the whole run they are.
Json json_of(const std::optional<StoreUse>& store) {
  if (!store) return nullptr;
  return {{"taken", store->num_taken}, {"computed", store->num_computed}};
}

Json json_of(const HistogramSummary& histograms, double seconds) {
  const auto share = [&](double part) { return seconds > 0 ? part / seconds : 0; };
  return {{"number", histograms.number},
          {"cells", histograms.cells},
          {"bytes", histograms.bytes},
          {"reduce_seconds", histograms.reduce_seconds},
          {"reduce_share", share(histograms.reduce_seconds)},
          {"write_seconds", histograms.write_seconds},
          {"write_share", share(histograms.write_seconds)}};
}

Json stages_of(const JobReport& report) {
  Json json = Json::object();
  for (std::size_t stage = 0; stage < kNumStages; ++stage)
    json[kStageNames[stage]] = report.stage_seconds[stage];
  return json;
}

// Of the threads' time: what storage has cost, within the stages, and what was not spent in any stage.
Json waiting_of(const JobReport& report) {
  double worked = report.histograms.reduce_seconds + report.histograms.write_seconds;
  for (const double seconds : report.stage_seconds) worked += seconds;
  return {{"storage", report.read.seconds_waited},
          {"others", std::max(0.0, report.seconds * report.threads - worked)}};
}

// "2025-03-07T09:05:03Z"
std::string utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

Json variations_of(const SampleReport& sample) {
  Json json = object_of(sample.variations.size());
  for (const VariationCount& variation : sample.variations)
    json[variation.name] = {{"cutflow", json_of_cutflow(variation.cutflow)},
                            {"regions", list_of(variation.regions)}};
  return json;
}

Json json_of(const SampleReport& sample) {
  Json json = object_of(14);
  json["name"] = sample.name;
  json["events"] = sample.num_entries;
  json["promised_events"] = sample.promised_entries;
  json["files"] = sample.num_files;
  json["cutflow"] = json_of_cutflow(sample.cutflow);
  json["regions"] = list_of(sample.regions);
  if (!sample.n_minus_1.empty()) json["n_minus_1"] = list_of(sample.n_minus_1);
  if (!sample.variations.empty()) json["variations"] = variations_of(sample);
  if (sample.lumi) json["luminosity_mask"] = json_of(*sample.lumi);
  json["skipped"] = list_of(sample.skipped);
  json["missing"] = sample.missing;
  json["left_out"] = list_of(sample.left_out);
  json["differences"] = sample.differences;
  json["seconds"] = sample.seconds;
  return json;
}

// In which state files behind URLs were.
Json remote_inputs_of(const RunRecord& record) {
  Json json = Json::array();
  for (const SampleRecord& sample : record.samples)
    for (const InputRecord& input : sample.inputs)
      if (!input.version.empty())
        json.push_back({{"sample", sample.name},
                        {"file", input.file},
                        {"version", input.version},
                        {"bytes", input.file_bytes}});
  return json;
}

}  // namespace

std::string to_json(const JobReport& report) {
  Json samples = Json::array();
  for (const SampleReport& sample : report.samples) samples.push_back(json_of(sample));
  Json json = object_of(19);
  json["version"] = kVersion;
  json["started"] = utc(report.started);
  json["complete"] = report.is_complete();
  json["events"] = report.num_entries;
  json["files"] = report.num_files;
  json["samples"] = std::move(samples);
  json["remote_inputs"] = remote_inputs_of(report.record);
  json["read"] = json_of(report.read);
  json["histograms"] = json_of(report.histograms, report.seconds);
  json["yields"] = report.yields ? json_of(*report.yields) : Json();
  json["store"] = json_of(report.store);
  json["outputs"] = list_of(report.outputs);
  json["warnings"] = report.warnings;
  json["threads"] = report.threads;
  // the part of the threads' time in which they worked
  json["threads_share"] = part_of(report.processor_seconds, report.seconds * report.threads);
  json["seconds"] = report.seconds;
  json["stages"] = stages_of(report);
  json["waiting"] = waiting_of(report);
  json["peak_memory"] = report.peak_memory;
  // Paths need not be UTF-8, which must not stop the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
