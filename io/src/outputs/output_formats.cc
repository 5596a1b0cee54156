// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/output_formats.h"

#include "skimline/framework/error.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/output_file.h"
#include "skimline/io/tree_sink.h"

#include <algorithm>

namespace skimline::io {
namespace {

std::string no_problem(Type) { return {}; }

std::vector<std::string> ntuple_classes() { return {"ROOT::RNTuple"}; }

constexpr OutputFormat arrow_format(DataFormat format, const char* name) {
  return {.format = format,
          .name = name,
          .carries_fields = true,
          .carries_unread = false,
          .has_records = true,
          .is_arrow = true,
          .shares_counts = false,
          .keeps_clusters = false,
          .usual_sizes = kRNTupleSizes,
          .problem_of = no_problem,
          .classes = ntuple_classes};
}

constexpr OutputFormat kOutputFormats[] = {
    {.format = DataFormat::kRNTuple,
     .name = "rntuple",
     .carries_fields = true,
     .carries_unread = true,
     .has_records = true,
     .is_arrow = false,
     .shares_counts = false,
     .keeps_clusters = false,
     .usual_sizes = kRNTupleSizes,
     .problem_of = no_problem,
     .classes = ntuple_classes},
    {.format = DataFormat::kTTree,
     .name = "ttree",
     .carries_fields = false,
     .carries_unread = false,
     .has_records = false,
     .is_arrow = false,
     .shares_counts = true,
     .keeps_clusters = true,
     .usual_sizes = kTreeSizes,
     .problem_of = problem_in_tree,
     .classes = tree_classes},
    arrow_format(DataFormat::kParquet, "parquet"),
    arrow_format(DataFormat::kArrow, "arrow"),
};

template <typename Predicate>
const OutputFormat* first_output_format(Predicate is_meant) {
  const auto* const found = std::find_if(std::begin(kOutputFormats), std::end(kOutputFormats), is_meant);
  return found == std::end(kOutputFormats) ? nullptr : found;
}

}  // namespace

std::span<const OutputFormat> output_formats() { return kOutputFormats; }

const OutputFormat& output_format(DataFormat format) {
  const OutputFormat* found =
      first_output_format([&](const OutputFormat& each) { return each.format == format; });
  if (!found) throw InternalError(std::string("nothing writes the format ") + name_of(format));
  return *found;
}

std::vector<const char*> output_format_names() {
  std::vector<const char*> names;
  for (const OutputFormat& format : kOutputFormats) names.push_back(format.name);
  return names;
}

std::vector<const char*> root_format_names() {
  std::vector<const char*> names;
  for (const OutputFormat& format : kOutputFormats)
    if (!format.is_arrow) names.push_back(format.name);
  return names;
}

DataFormat format_by_name(std::string_view path) {
  return output_format_called(arrow_format_of(path)).value_or(kOutputFormats[0].format);
}

std::string problem_of_compression(DataFormat format, const std::optional<CompressionSetting>& compression) {
  if (!compression || !output_format(format).is_arrow) return {};
  const std::string name = compression_name(compression->root_number());
  const bool is_zlib = name.starts_with("zlib") && format == DataFormat::kArrow;
  if (!name.starts_with("lzma") && !is_zlib) return {};
  return std::string("no file of ") + name_of(format) + " is compressed by " + name +
         ": choose \"zstd\", \"lz4\" or \"none\"";
}

std::string missing_ending(DataFormat format, std::string_view path) {
  const OutputFormat& wanted = output_format(format);
  if (!wanted.is_arrow || arrow_format_of(path) == wanted.name) return {};
  std::string endings;
  for (const ArrowEnding& each : arrow_endings())
    if (each.format == wanted.name)
      endings.append(endings.empty() ? "\"" : " or \"").append(each.ending) += '"';
  return endings;
}

std::unique_ptr<OutputFile> write_as(DataFormat format, const OutputFile& made, const std::string& ntuple,
                                     const std::optional<CompressionSetting>& compression, StopFlag stop) {
  return write_arrow({.from = made.current_path(),
                      .ntuple = ntuple,
                      .to = {},
                      .format = output_format(format).name,
                      .compression = compression ? compression_name(compression->root_number()) : "auto"},
                     made.path(), stop);
}

std::optional<DataFormat> output_format_called(std::string_view name) {
  const OutputFormat* found =
      first_output_format([&](const OutputFormat& each) { return std::string_view(each.name) == name; });
  if (!found) return std::nullopt;
  return found->format;
}

}  // namespace skimline::io
