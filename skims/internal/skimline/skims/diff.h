// SPDX-License-Identifier: BSD-3-Clause
// In what two files of histograms or events differ.
#pragma once

#include "skimline/skims/compatibility.h"
#include "skimline/skims/event_diff.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

struct DiffOptions {
  std::string left, right;           ///< "file.root", "file.root:name", UHI JSON
  std::vector<std::string> include;  ///< patterns of names; all if empty
  /// What numbers may differ by and count as equal: parts of the larger one, and steps between numbers of
  /// their type.
  double relative = 0;
  std::uint64_t ulps = 0;
  /// Expressions by which events are matched, whatever their order; see EventDiffOptions.
  std::vector<std::string> key;
  bool ignores_record = false;
  int threads = 0;  ///< as for a job; nothing depends on it
};

struct HistogramDifference {
  std::string name;
  std::vector<std::string> problems;  ///< the first differences, and how many more there are
  std::optional<Compatibility> compatibility;
};

struct DiffReport {
  std::string left, right;
  std::size_t num_compared = 0;                    ///< histograms that both have
  std::vector<std::string> only_left, only_right;  ///< histograms, RNTuples and TTrees
  std::vector<HistogramDifference> differing;
  std::vector<std::string> not_compared;  ///< why histograms could not be read; other objects that differ
  std::vector<EventDifference> events;    ///< RNTuples and TTrees that were compared, equal ones too
  std::vector<std::string> record;        ///< differences between the records of the runs

  bool are_equal() const;
  /// Whether all histograms and columns could be read, and other objects are the same.
  bool has_all() const;
};

/// Compares the histograms of two files of any format by name: bins, labels, entries and all sums of all
/// cells, flow cells included. Then RNTuples and TTrees by name, or those that the locations name, as
/// compare_events() does, and the records of the runs: configs, samples, inputs and cutflows. Of other
/// objects it is said whether their bytes differ. Throws FileError if a file cannot be read, ConfigError if a
/// pattern matches nothing or no events have the key.
DiffReport diff(const DiffOptions& options);

/// Returns what differs, in lines.
std::string to_text(const DiffReport& report);

/// Returns the report as one JSON object.
std::string to_json(const DiffReport& report);

}  // namespace skimline::skims
