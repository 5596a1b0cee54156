// SPDX-License-Identifier: BSD-3-Clause
// In what two files of histograms differ.
#pragma once

#include "skimline/skims/compatibility.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

struct DiffOptions {
  std::string left, right;
  std::vector<std::string> include;  ///< patterns of names; all if empty
  /// What numbers may differ by and count as equal: parts of the larger one, and steps between doubles.
  double relative = 0;
  std::uint64_t ulps = 0;
  bool ignores_record = false;
};

struct HistogramDifference {
  std::string name;
  std::vector<std::string> problems;  ///< the first differences, and how many more there are
  std::optional<Compatibility> compatibility;
};

struct DiffReport {
  std::string left, right;
  std::size_t num_compared = 0;  ///< histograms that both have
  std::vector<std::string> only_left, only_right;
  std::vector<HistogramDifference> differing;
  std::vector<std::string> record;  ///< differences between the records of the runs

  bool are_equal() const;
};

/// Compares the histograms of two files of any format by name: bins, labels, entries and all sums of all
/// cells, flow cells included; a number that is none equals another one. Then the records of the runs:
/// configs, samples, inputs and cutflows. Throws FileError if a file cannot be read, ConfigError if a pattern
/// matches nothing.
DiffReport diff(const DiffOptions& options);

/// Returns what differs, in lines.
std::string to_text(const DiffReport& report);

/// Returns the report as one JSON object.
std::string to_json(const DiffReport& report);

}  // namespace skimline::skims
