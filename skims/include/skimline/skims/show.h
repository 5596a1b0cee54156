// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline show`: the records of output files.
#pragma once

#include "skimline/skims/run_record.h"

#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// The record of one file.
struct ShownFile {
  std::string path;
  std::optional<RunRecord> record;
  std::string problem;  ///< why there is no record
};

/// The records of files, in the order of the paths.
struct ShowReport {
  std::vector<ShownFile> files;

  /// Whether all files have a record.
  bool is_complete() const;
  /// Whether any file has one.
  bool has_records() const;
};

/// Reads the records of files. Throws nothing about a single file: those that cannot be read, or have no
/// record, have a problem instead.
ShowReport read_records(const std::vector<std::string>& paths);

/// Returns what is wrong with files, a line for each.
std::string problems_of(const ShowReport& report);

/// The records one after the other, with the configs if asked for.
std::string to_text(const ShowReport& report, bool has_configs, std::size_t width = 100);

/// One JSON object with all of it.
std::string to_json(const ShowReport& report);

}  // namespace skimline::skims
