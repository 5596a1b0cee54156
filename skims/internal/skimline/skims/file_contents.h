// SPDX-License-Identifier: BSD-3-Clause
// What a file holds: beside the metadata its histograms, and on request what values its columns have.
#pragma once

#include "skimline/skims/event_contents.h"
#include "skimline/skims/inspection_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What is looked at, and how closely.
struct ContentsOptions {
  /// Names of columns and histograms, with `*` and `?`; all if empty. Histograms are known by the last part
  /// of their path too.
  std::vector<std::string> patterns;
  std::uint64_t head = 0;   ///< so many entries are shown, the first ones
  bool has_ranges = false;  ///< whether all values are read, for their ranges
  int threads = 0;          ///< as for a job; nothing depends on it
};

/// An axis of a histogram, and what was filled along it.
struct AxisContents {
  std::string title;  ///< "label [unit]"
  std::string kind;   ///< "regular", "variable", "integer", "category"
  int num_bins = 0;
  double low = 0, high = 0;
  std::optional<double> mean, rms;  ///< none of categories, and of nothing
};

/// A histogram in a few numbers.
struct HistogramContents {
  std::string name, class_name, title;
  std::uint64_t entries = 0;
  std::optional<double> integral;      ///< of all bins without flow cells; none of a profile
  double underflow = 0, overflow = 0;  ///< of a histogram with one axis
  std::vector<AxisContents> axes;
  std::string sparkline, ascii_sparkline;  ///< of a histogram with one axis
};

/// All that was asked for.
struct FileContents {
  FileInspection file;  ///< without what is among the histograms
  std::vector<HistogramContents> histograms;
  std::vector<EventContents> events;
};

/// Looks into "file.root", "file.root:name" or UHI JSON ("file.json"). Beside metadata, histograms are read,
/// and columns if values are asked for, cluster by cluster. Throws FileError, ConfigError for a pattern that
/// matches nothing.
FileContents inspect_contents(const std::string& location, const ContentsOptions& options);

/// Returns tables for people to read; lines of blocks for the contents of histograms only `with_blocks`,
/// which are not ASCII.
std::string to_text(const FileContents& contents, bool with_blocks = true);

/// Returns the same as one JSON object.
std::string to_json(const FileContents& contents);

}  // namespace skimline::skims
