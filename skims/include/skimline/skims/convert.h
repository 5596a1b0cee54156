// SPDX-License-Identifier: BSD-3-Clause
// Turns TTrees, and RNTuples, into RNTuples.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/writer_settings.h"
#include "skimline/skims/left_out_columns.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What convert() reads and writes, and how.
struct ConvertOptions {
  std::vector<std::string> inputs;  ///< "file.root:Events", read one after the other
  std::string output;
  std::string ntuple_name;               ///< empty: as in the first input
  std::vector<std::string> keep, drop;   ///< patterns of columns, as for skims; all if empty
  bool has_only_common_columns = false;  ///< whether columns may be left out that not all inputs have alike
  io::WriterSettings settings;
  bool allows_duplicates = false;   ///< whether inputs may be copies of each other
  bool requires_checksums = false;  ///< whether what has no checksum is an error when it is read
  std::string checksum_folder;      ///< of files of checksums; empty for those beside the inputs
  bool has_records = true;  ///< whether lists that belong together are one of records; else each is by itself
  bool overwrites = false;  ///< whether it may replace a file that is no older output for the same inputs
  int threads = 0;          ///< 0 means one per core; the file is the same for any number
  StopFlag stop;
  /// Called with the number of entries done and the number there are.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

/// What came of a conversion.
struct ConvertReport {
  std::string path;
  std::string ntuple_name;
  std::uint64_t num_entries = 0;
  std::size_t num_columns = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t file_bytes = 0;
  double seconds = 0;
  std::vector<std::string> differences;  ///< between the inputs, and what was made of them
  std::vector<LeftOutColumn> left_out;   ///< of the RNTuple, and of those beside it
  std::vector<std::string> warnings;     ///< of these, and of names that had to change

  /// Whether all that was wanted is written.
  bool is_complete() const { return !is_incomplete(left_out); }
};

/// Writes all entries of the inputs into one RNTuple of a new file, in order, with all columns or those that
/// patterns choose, and what NanoAOD has beside its events, "Runs" and "LuminosityBlocks". Columns with a
/// common counter become a collection. What cannot be written is left out, unless it is kept by its name.
/// Throws ConfigError for patterns that match nothing and inputs that are copies of each other, FileError and
/// SchemaError, Interrupted; then no output remains.
ConvertReport convert(const ConvertOptions& options);

/// Returns the report as lines to read.
std::string to_text(const ConvertReport& report);

}  // namespace skimline::skims
