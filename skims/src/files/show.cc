// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/show.h"

#include "skimline/framework/error.h"
#include "skimline/skims/histogram_file.h"
#include "skimline/skims/shown_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

ShownFile read_file(const std::string& path) {
  ShownFile shown{.path = path, .record = {}, .problem = {}};
  try {
    shown.record = HistogramFile(path).record();
    if (!shown.record)
      shown.problem =
          path + ": has no record of a run: skimline did not write it, or another tool has left it out";
  } catch (const FileError& error) {
    shown.problem = error.what();
  }
  return shown;
}

}  // namespace

bool ShowReport::is_complete() const {
  return std::all_of(files.begin(), files.end(),
                     [](const ShownFile& file) { return file.record.has_value(); });
}

bool ShowReport::has_records() const {
  return std::any_of(files.begin(), files.end(),
                     [](const ShownFile& file) { return file.record.has_value(); });
}

std::string problems_of(const ShowReport& report) {
  std::string text;
  for (const ShownFile& file : report.files)
    if (!file.record) text += (text.empty() ? "" : "; ") + file.problem;
  return text;
}

ShowReport read_records(const std::vector<std::string>& paths) {
  ShowReport report;
  for (const std::string& path : paths) report.files.push_back(read_file(path));
  return report;
}

std::string to_text(const ShowReport& report, bool has_configs, std::size_t width) {
  std::string text;
  for (const ShownFile& file : report.files) {
    if (!text.empty()) text += "\n";
    if (!file.record) {
      text += "error: " + skims::shown(file.problem) + "\n";
      continue;
    }
    text += skims::shown(file.path) + ": " + to_text(*file.record, width);
    if (!has_configs) continue;
    for (const std::string& config : file.record->configs)
      text += "\nconfig\n" + dumped(Json::parse(config)) + "\n";
  }
  return text;
}

std::string to_json(const ShowReport& report) {
  Json files = Json::array();
  for (const ShownFile& file : report.files) {
    Json json{{"file", file.path}};
    if (file.record)
      json["record"] = Json::parse(to_json(*file.record));
    else
      json["error"] = file.problem;
    files.push_back(std::move(json));
  }
  return dumped({{"files", std::move(files)}}) + "\n";
}

}  // namespace skimline::skims
