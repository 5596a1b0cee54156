// SPDX-License-Identifier: BSD-3-Clause
// The formats that events are written in: one table for all code that treats them alike.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/framework/type.h"
#include "skimline/io/data_format.h"
#include "skimline/io/writer_settings.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

class OutputFile;

/// One format, and what it can hold.
struct OutputFormat {
  DataFormat format;
  const char* name;  ///< in configs and options: "rntuple"
  /// Whether it holds fields of RNTuples as they are stored; else all columns are written anew.
  bool carries_fields;
  /// Whether these may be fields that no expression can use.
  bool carries_unread;
  /// Whether lists may be members of lists of records.
  bool has_records;
  /// Whether it is a file of Arrow, which is made of an RNTuple when that is complete. It has no projections,
  /// so that lists of one size are not members of a collection that they were not in before: they keep their
  /// names.
  bool is_arrow;
  /// Whether lists that have the same sizes share their counts, which are columns beside them.
  bool shares_counts;
  /// Whether clusters are in memory as a whole until they are sealed; else only pages are.
  bool keeps_clusters;
  /// Of clusters and of pages or baskets, unless others are asked for.
  WriterSizes usual_sizes;
  /// Returns why no column of this type can be written, or nothing.
  std::string (*problem_of)(Type type);
  /// The classes of what is written, for RootFileWriter.
  std::vector<std::string> (*classes)();
};

/// All formats, the first of which is meant where none is asked for.
std::span<const OutputFormat> output_formats();

const OutputFormat& output_format(DataFormat format);

/// Their names, in the same order; those of ROOT files come first.
std::vector<const char*> output_format_names();
std::vector<const char*> root_format_names();

/// The format of a file that is called so: any name but one of Arrow is one of a ROOT file, with an RNTuple.
DataFormat format_by_name(std::string_view path);

/// Returns why files in this format cannot be compressed so, or nothing.
std::string problem_of_compression(DataFormat format, const std::optional<CompressionSetting>& compression);

/// Returns what ends the name of a file in this format, or nothing if it does; any name is one of a ROOT
/// file.
std::string missing_ending(DataFormat format, std::string_view path);

/// Returns a complete file of Arrow, to be published where `made` would be: a complete ROOT file, of which it
/// has one RNTuple and the record. Throws FileError, and Interrupted soon after `stop` is set.
std::unique_ptr<OutputFile> write_as(DataFormat format, const OutputFile& made, const std::string& ntuple,
                                     const std::optional<CompressionSetting>& compression, StopFlag stop);

/// Nothing if no format is called so.
std::optional<DataFormat> output_format_called(std::string_view name);

}  // namespace skimline::io
