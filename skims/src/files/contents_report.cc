// SPDX-License-Identifier: BSD-3-Clause
// What a file holds, values and histograms included, as tables and as JSON.
#include "base/text_table.h"
#include "files/value_text.h"

#include "skimline/skims/file_contents.h"
#include "skimline/skims/shown_text.h"

#include <nlohmann/json.hpp>

namespace skimline::skims {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 32;

std::string short_number(const std::optional<double>& value) { return value ? format_number(*value) : "-"; }

std::string axis_text(const AxisContents& axis) {
  const std::string bins = std::to_string(axis.num_bins) + (axis.num_bins == 1 ? " bin" : " bins");
  if (axis.kind.find("categor") != std::string::npos)
    return std::to_string(axis.num_bins) + (axis.num_bins == 1 ? " category" : " categories");
  return bins + " [" + format_number(axis.low) + ", " + format_number(axis.high) + "]";
}

// A line for each axis; what belongs to the whole stands in the first.
std::string histogram_table(const std::vector<HistogramContents>& histograms, bool with_blocks) {
  TextTable table({"name", "class", ">entries", ">integral", "axis", "bins", ">mean", ">RMS", "contents"});
  for (const HistogramContents& each : histograms)
    for (std::size_t i = 0; i < each.axes.size(); ++i) {
      const AxisContents& axis = each.axes[i];
      const bool is_first = i == 0;
      table.add({is_first ? each.name : "", is_first ? each.class_name : "",
                 is_first ? format_count(each.entries) : "", is_first ? short_number(each.integral) : "",
                 axis.title, axis_text(axis), short_number(axis.mean), short_number(axis.rms),
                 with_blocks ? each.sparkline : each.ascii_sparkline});
    }
  return table.empty() ? "" : "\nhistograms\n" + table.format();
}

std::string range_table(const EventContents& events) {
  TextTable table({"column", "type", ">values", ">minimum", ">maximum", ">not a number", "list sizes"});
  for (const ColumnRange& range : events.ranges)
    table.add({range.column, range.type, format_count(range.num_values), range.minimum, range.maximum,
               format_count(range.num_nan),
               range.has_lists
                   ? std::to_string(range.shortest_list) + " to " + std::to_string(range.longest_list)
                   : ""});
  return table.empty() ? "" : "\nranges of " + shown(events.name) + "\n" + table.format();
}

std::string entry_table(const EventContents& events) {
  if (events.entries.empty()) return {};
  std::vector<std::string> headings{"column"};
  for (std::size_t entry = 0; entry < events.entries.size(); ++entry)
    headings.push_back("entry " + std::to_string(entry));
  TextTable table(headings);
  for (std::size_t column = 0; column < events.columns.size(); ++column) {
    std::vector<std::string> row{events.columns[column]};
    for (const std::vector<std::string>& entry : events.entries)
      row.push_back(shortened(entry[column], kLongestValue));
    table.add(std::move(row));
  }
  return "\nfirst entries of " + shown(events.name) + "\n" + table.format();
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json parsed_or_null(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  return text.empty() ? Json() : Json(text);
}

Json json_of(const AxisContents& axis) {
  return {{"title", axis.title},
          {"kind", axis.kind},
          {"bins", axis.num_bins},
          {"low", axis.low},
          {"high", axis.high},
          {"mean", number_or_null(axis.mean)},
          {"rms", number_or_null(axis.rms)}};
}

Json json_of(const HistogramContents& histogram) {
  Json axes = Json::array();
  for (const AxisContents& axis : histogram.axes) axes.push_back(json_of(axis));
  const bool has_flow = histogram.axes.size() == 1;
  return {{"name", histogram.name},
          {"class", histogram.class_name},
          {"title", histogram.title},
          {"entries", histogram.entries},
          {"integral", number_or_null(histogram.integral)},
          {"underflow", has_flow ? Json(histogram.underflow) : Json()},
          {"overflow", has_flow ? Json(histogram.overflow) : Json()},
          {"axes", axes},
          {"sparkline", histogram.sparkline}};
}

Json json_of(const ColumnRange& range) {
  return {{"column", range.column},
          {"type", range.type},
          {"values", range.num_values},
          {"minimum", parsed_or_null(range.minimum)},
          {"maximum", parsed_or_null(range.maximum)},
          {"nan", range.num_nan},
          {"shortest_list", range.has_lists ? Json(range.shortest_list) : Json()},
          {"longest_list", range.has_lists ? Json(range.longest_list) : Json()}};
}

Json ranges_json(const EventContents& events) {
  Json ranges = Json::array();
  for (const ColumnRange& range : events.ranges) ranges.push_back(json_of(range));
  return ranges;
}

Json entries_json(const EventContents& events) {
  Json entries = Json::array();
  for (const std::vector<std::string>& entry : events.entries) {
    Json values = Json::object();
    for (std::size_t i = 0; i < entry.size(); ++i)
      values[events.columns[i]] = Json::parse(entry[i], nullptr, false);
    entries.push_back(std::move(values));
  }
  return entries;
}

void add_events(const EventContents& events, Json& object) {
  if (!events.ranges.empty()) object["ranges"] = ranges_json(events);
  if (!events.entries.empty()) object["first_entries"] = entries_json(events);
}

// They are in the order of the lists. Names, which need not be UTF-8, are others in JSON.
void add_events(const std::vector<EventContents>& all, Json& file) {
  auto events = all.begin();
  for (const char* list : {"ntuples", "trees"})
    for (Json& object : file[list])
      if (events != all.end()) add_events(*events++, object);
}

}  // namespace

std::string to_text(const FileContents& contents, bool with_blocks) {
  std::string text = to_text(contents.file) + histogram_table(contents.histograms, with_blocks);
  for (const EventContents& events : contents.events) text += range_table(events) + entry_table(events);
  return text;
}

std::string to_json(const FileContents& contents) {
  Json json = Json::parse(to_json(contents.file));
  json["histograms"] = Json::array();
  for (const HistogramContents& each : contents.histograms) json["histograms"].push_back(json_of(each));
  add_events(contents.events, json);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skimline::skims
