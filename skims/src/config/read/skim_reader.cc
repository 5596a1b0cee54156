// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/skim_reader.h"

#include "base/resolved_path.h"
#include "config/json/byte_size_reader.h"
#include "config/json/name_checks.h"

#include "skimline/framework/error.h"
#include "skimline/framework/schema.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/output_formats.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace skimline::skims {
namespace {

constexpr ByteLimits kClusterLimits{64 << 10, 16ull << 30};
constexpr ByteLimits kPageLimits{1 << 10, 256 << 20};
constexpr ByteLimits kSplitLimits{64 << 10, 16ull << 40};
constexpr double kMostEventsOfFile = 1e15;  // doubles below hold every whole number

void read_compression(const Text& text, SkimConfig& skim, Diagnostics& diagnostics) {
  try {
    skim.settings.compression = io::parse_writer_compression(text.value);
  } catch (const ConfigError& error) {
    diagnostics.add(text.location, error.what());
  }
}

void read_columns(const JsonValue& value, SkimConfig& skim, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for_each_named(value, "\"columns\"", diagnostics, [&](const Text& name, const JsonValue& each) {
    const Text column = unquoted(name);
    // Columns of a file may be called as the weight is, which they may hold.
    if (column.value == name.value && !is_given_name(name.value))
      check_identifier(name, "a column", diagnostics);
    if (!names.insert(column.value).second)
      diagnostics.add(name.location, "there is another column \"" + column.value + "\"");
    auto text = read_text(each, "the column \"" + column.value + "\"", diagnostics);
    if (text) skim.columns.push_back({column, std::move(*text)});
  });
}

// A condition, or an object with it.
void read_thinned(const Text& collection, const JsonValue& value, SkimConfig& skim,
                  Diagnostics& diagnostics) {
  const std::string what = "what \"thin\" keeps of \"" + collection.value + "\"";
  if (value.kind != JsonKind::kObject) {
    if (auto where = read_text(value, what, diagnostics))
      skim.thin.push_back({collection, std::move(*where), false});
    return;
  }
  const ObjectReader object(value, what, {"where", "closure"}, diagnostics);
  const bool has_closure = object.flag("closure", false);
  if (auto where = object.required_text("where"))
    skim.thin.push_back({collection, std::move(*where), has_closure});
}

// The collection that columns point into, or false.
void read_index(const Text& column, const JsonValue& value, SkimConfig& skim, Diagnostics& diagnostics) {
  if (has_wildcards(column.value))
    check_column_pattern(column, diagnostics);
  else
    column_name(column, diagnostics);
  if (value.kind == JsonKind::kBool && !value.boolean) return skim.indices.push_back({column, std::nullopt});
  if (auto target = read_text(value, "what \"" + column.value + "\" points into", diagnostics))
    skim.indices.push_back({column, std::move(target)});
}

// Each list of a TTree is an array, or a std::vector, anyway.
void read_lists(const ObjectReader& object, SkimConfig& skim) {
  const auto lists = object.choice("collections", {"records", "vectors"});
  if (!lists) return;
  if (output_format(skim.format).has_records)
    skim.lists = *lists == 0 ? WrittenLists::kRecords : WrittenLists::kVectors;
  else
    object.diagnostics().add(
        object.find("collections")->location,
        std::string("a ") + io::name_of(skim.format) +
            " has no records: its lists are arrays of their own without \"collections\"");
}

// Files of Arrow are known by their names when they are read again, and need a library.
void check_format(const SkimConfig& skim, Diagnostics& diagnostics) {
  const io::OutputFormat& format = output_format(skim.format);
  if (const std::string ending = missing_ending(skim.format, skim.file.value); !ending.empty())
    diagnostics.add(skim.file.location,
                    std::string("a file of ") + io::name_of(skim.format) + " has to end with " + ending);
  if (const std::string_view called = io::arrow_format_of(skim.file.value);
      !format.is_arrow && !called.empty())
    diagnostics.add(skim.file.location, "\"" + skim.file.value + "\" would be a ROOT file: \"format\": \"" +
                                            std::string(called) + "\" writes what it is called");
  if (!format.is_arrow) return;
  if (const std::string problem = io::problem_with_arrow(); !problem.empty())
    diagnostics.add(*skim.format_location, problem);
  if (const std::string problem = problem_of_compression(skim.format, skim.settings.compression);
      !problem.empty())
    diagnostics.add(*skim.format_location, problem);
}

std::uint64_t read_events_of_file(const JsonValue& value, Diagnostics& diagnostics) {
  if (value.kind == JsonKind::kInteger && value.number >= 1 && value.number <= kMostEventsOfFile)
    return static_cast<std::uint64_t>(value.number);
  diagnostics.add(value.location, "\"events\" of \"split\" must be a whole number, 1 or more");
  return 0;
}

// A size, or an object with a number of events.
void read_split(const JsonValue& value, SkimConfig& skim, Diagnostics& diagnostics) {
  SkimSplit split{0, 0, value.location};
  if (value.kind == JsonKind::kObject) {
    const ObjectReader object(value, "\"split\"", {"events"}, diagnostics);
    if (const JsonValue* events = object.find("events"))
      split.events = read_events_of_file(*events, diagnostics);
    else
      diagnostics.add(value.location, "\"split\" lacks \"events\"");
  } else if (const auto bytes = read_byte_size(value, "\"split\"", kSplitLimits, diagnostics)) {
    split.bytes = *bytes;
    const std::uint64_t usual = output_format(skim.format).usual_sizes.cluster_bytes;
    if (!skim.settings.cluster_bytes && *bytes < usual) skim.settings.cluster_bytes = *bytes;
  }
  skim.split = split;
}

// True for all, or patterns of their names.
void read_variations(const JsonValue& value, SkimConfig& skim, const Config& config,
                     Diagnostics& diagnostics) {
  if (value.kind == JsonKind::kBool) {
    if (value.boolean) skim.variations.push_back({"*", value.location});
  } else {
    skim.variations = read_texts(value, "\"variations\"", diagnostics);
  }
  std::vector<std::string> names;
  for (const Variation& variation : config.variations) names.push_back(variation.name.value);
  for (const Text& pattern : skim.variations)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches_pattern(name, pattern.value); }))
      diagnostics.add(pattern.location, names.empty() ? "there are no \"variations\""
                                                      : "no variation matches \"" + pattern.value + "\"" +
                                                            diagnostics.meant(pattern.value, names));
}

}  // namespace

std::optional<SkimConfig> read_skim(const Text& name, const JsonValue& value, const EventChoiceReader& events,
                                    const std::filesystem::path& folder, Diagnostics& diagnostics) {
  const ObjectReader object(value, "the skim \"" + name.value + "\"",
                            {"file", "format", "collections", "name", "keep", "drop", "columns_in_common",
                             "columns", "thin", "indices", "variations", "compression", "split",
                             "cluster_size", "page_size", "after", "region", "where"},
                            diagnostics);
  SkimConfig skim;
  skim.name = name;
  skim.ntuple_name = "Events";
  if (const auto format = object.choice("format", io::output_format_names())) {
    skim.format = io::output_formats()[*format].format;
    skim.format_location = object.find("format")->location;
  }
  read_lists(object, skim);
  if (const auto ntuple = object.text("name")) {
    check_object_name(*ntuple, "an ntuple", diagnostics);
    if (ntuple->value == kRecordDirectory)
      diagnostics.add(ntuple->location,
                      "\"" + ntuple->value + "\" is where the record of the run is: give another name");
    skim.ntuple_name = ntuple->value;
  }
  skim.keep = object.texts("keep");
  skim.drop = object.texts("drop");
  skim.has_only_common_columns = object.flag("columns_in_common", false);
  if (const JsonValue* columns = object.find("columns")) read_columns(*columns, skim, diagnostics);
  if (const JsonValue* thin = object.find("thin"))
    for_each_named(*thin, "\"thin\"", diagnostics, [&](const Text& collection, const JsonValue& each) {
      read_thinned(collection, each, skim, diagnostics);
    });
  if (const JsonValue* indices = object.find("indices"))
    for_each_named(*indices, "\"indices\"", diagnostics, [&](const Text& column, const JsonValue& each) {
      read_index(column, each, skim, diagnostics);
    });
  if (const JsonValue* variations = object.find("variations"))
    read_variations(*variations, skim, events.config(), diagnostics);
  skim.events = events.of_skim(object);
  if (const auto compression = object.text("compression")) read_compression(*compression, skim, diagnostics);
  if (const JsonValue* size = object.find("cluster_size"))
    skim.settings.cluster_bytes = read_byte_size(*size, "\"cluster_size\"", kClusterLimits, diagnostics);
  if (const JsonValue* size = object.find("page_size"))
    skim.settings.page_bytes = read_byte_size(*size, "\"page_size\"", kPageLimits, diagnostics);
  if (const JsonValue* split = object.find("split")) read_split(*split, skim, diagnostics);
  auto file = object.required_text("file");
  if (!file) return std::nullopt;
  if (skim.split && io::is_url(file->value))
    diagnostics.add(skim.split->location, "a skim that is split is written to a folder, not to a URL");
  skim.path = resolved(folder, file->value).string();
  skim.file = std::move(*file);
  check_format(skim, diagnostics);
  return skim;
}

}  // namespace skimline::skims
