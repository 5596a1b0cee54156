// SPDX-License-Identifier: BSD-3-Clause
// The entries of one path out of all inputs of a merge, whatever they are stored as.
#pragma once

#include "histograms/merge_inputs.h"
#include "merging/input_of_entries.h"

#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace skimline::io {

class EntriesMerge {
 public:
  virtual ~EntriesMerge() = default;

  /// Reads the metadata of files, whose entries come behind those of the files before. Throws FileError, and
  /// Error for files that are copies of each other.
  virtual void add(std::vector<InputOfEntries> files) = 0;

  /// Throws SchemaError that lists all in which the files differ and which is not to be evened out.
  virtual void check() = 0;
  /// The same for a file that is added once the merge has begun.
  virtual void check_added(const std::string& file, const std::string& first) = 0;

  /// Begins to write; the file must outlive the merge.
  virtual void begin(RootFileWriter& file) = 0;

  /// Appends what was added; `done` is told how much at a time. Throws FileError if an input is damaged.
  virtual void append(const std::function<void(std::uint64_t)>& done) = 0;

  /// Writes all that is left. Throws InternalError if entries got lost.
  virtual MergedNTuple finish() = 0;

  virtual const std::string& path() const = 0;
  /// What append() counts.
  virtual std::uint64_t num_to_do() const = 0;
  /// Valid after finish().
  virtual std::uint64_t content_hash() const = 0;
};

/// The options must outlive the merge.
std::unique_ptr<EntriesMerge> merge_of_entries(const MergedEntries& entries, const MergeOptions& options);

/// How many entries a finished file says that it has.
std::uint64_t num_entries_of(const RootFile& file, const MergedNTuple& merged);

}  // namespace skimline::io
