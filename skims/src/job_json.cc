// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/job.h"

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ReadStatistics& read) {
  return {{"bytes", read.bytes_read},
          {"requests", read.read_calls},
          {"pages_decoded", read.pages_decoded},
          {"bytes_decoded", read.bytes_decoded},
          {"pages_passed", read.pages_passed},
          {"bytes_passed", read.bytes_passed},
          {"pages_skipped", read.pages_skipped},
          {"bytes_skipped", read.bytes_skipped}};
}

Json json_of(const CutflowStep& step) { return {{"name", step.name}, {"events", step.num_passed}}; }

Json json_of(const RegionCount& region) {
  return {{"name", region.name}, {"after", region.after}, {"events", region.num_passed}};
}

Json json_of(const OutputFile& output) {
  return {{"path", output.path}, {"content", output.content}, {"bytes", output.bytes}};
}

// Times, and what part of the whole run they are.
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

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

std::string to_json(const JobReport& report) {
  const Json json{{"events", report.num_entries},
                  {"files", report.num_files},
                  {"cutflow", list_of(report.samples.front().cutflow)},
                  {"regions", list_of(report.samples.front().regions)},
                  {"read", json_of(report.read)},
                  {"histograms", json_of(report.histograms, report.seconds)},
                  {"outputs", list_of(report.outputs)},
                  {"warnings", report.warnings},
                  {"threads", report.threads},
                  {"seconds", report.seconds}};
  // Paths need not be UTF-8, which must not stop the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
