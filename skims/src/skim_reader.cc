// SPDX-License-Identifier: BSD-3-Clause
#include "skim_reader.h"

#include "byte_size_reader.h"
#include "input_files.h"
#include "name_checks.h"

namespace skimline::skims {
namespace {

constexpr ByteLimits kClusterLimits{64 << 10, 16ull << 30};
constexpr ByteLimits kPageLimits{1 << 10, 256 << 20};

void read_compression(const Text& text, SkimConfig& skim, Diagnostics& diagnostics) {
  try {
    skim.compression = io::parse_compression(text.value);
  } catch (const ConfigError& error) {
    diagnostics.add(text.location, error.what());
  }
}

}  // namespace

std::optional<SkimConfig> read_skim(const Text& name, const JsonValue& value, const EventChoiceReader& events,
                                    const std::filesystem::path& folder, Diagnostics& diagnostics) {
  const ObjectReader object(value, "the skim \"" + name.value + "\"",
                            {"file", "format", "name", "keep", "drop", "compression", "cluster_size",
                             "page_size", "after", "region", "where"},
                            diagnostics);
  SkimConfig skim;
  skim.name = name;
  skim.ntuple_name = "Events";
  if (const auto format = object.choice("format", {"rntuple", "ttree"})) {
    skim.format = *format == 0 ? io::DataFormat::kRNTuple : io::DataFormat::kTTree;
    skim.format_location = object.find("format")->location;
  }
  if (const auto ntuple = object.text("name")) {
    check_object_name(*ntuple, "an ntuple", diagnostics);
    skim.ntuple_name = ntuple->value;
  }
  skim.keep = object.texts("keep");
  skim.drop = object.texts("drop");
  skim.events = events.of_skim(object);
  if (const auto compression = object.text("compression")) read_compression(*compression, skim, diagnostics);
  if (const JsonValue* size = object.find("cluster_size"))
    skim.cluster_bytes = read_byte_size(*size, "\"cluster_size\"", kClusterLimits, diagnostics);
  if (const JsonValue* size = object.find("page_size"))
    skim.page_bytes = read_byte_size(*size, "\"page_size\"", kPageLimits, diagnostics);
  auto file = object.required_text("file");
  if (!file) return std::nullopt;
  skim.path = resolved(folder, file->value).string();
  skim.file = std::move(*file);
  return skim;
}

}  // namespace skimline::skims
