// SPDX-License-Identifier: BSD-3-Clause
// All entries of inputs as an RNTuple or TTree.
#pragma once

#include "plan/column_patterns.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/io/input_source.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/io/writer_settings.h"
#include "skimline/skims/left_out_columns.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skimline::skims {

struct WriteOptions {
  ColumnChoice columns{};
  /// Whether a column may be left out without a word.
  std::function<bool(const LeftOutColumn&)> may_lack{};
  int threads = 0;  ///< as for a job; the bytes do not depend on it
  StopFlag stop;
  io::DataFormat format = io::DataFormat::kRNTuple;  ///< to write
  WrittenLists lists = WrittenLists::kRecords;       ///< where the format has records
  io::WriterSettings settings{};
  /// Called from one thread at a time with the number of entries done.
  std::function<void(std::uint64_t)> progress{};
};

struct WrittenEntries {
  std::uint64_t num_entries = 0;
  std::size_t num_columns = 0;
  std::uint64_t content_hash = 0;       ///< for RootFileWriter::complete()
  std::vector<LeftOutColumn> left_out;  ///< what is wanted, may not be left out, and could not be written
  std::vector<std::string> warnings;    ///< of these, and of columns with other names than in the input
};

/// Writes all entries, and the columns that are wanted, as the RNTuple or TTree `name`: fields of RNTuples in
/// RNTuples as they are stored. Columns that the files store too differently, that cannot be read or that a
/// TTree cannot hold are left out. Nothing is written if no column is left. The classes of the format must be
/// among those of the output. Throws what the source and run() throw.
WrittenEntries write_entries(io::InputSource& source, const std::string& name, io::RootFileWriter& output,
                             const WriteOptions& options);

}  // namespace skimline::skims
