// SPDX-License-Identifier: BSD-3-Clause
// The entries of several files, one behind the other, in a file that has other things too.
#pragma once

#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace skimline::io {

/// Merges the RNTuple or TTree of one path into a file, as FileMerge does. Calls must not overlap.
class AppendedEntries {
 public:
  /// The file must outlive this. Of the options, what is said of RNTuples and TTrees counts.
  AppendedEntries(RootFileWriter& file, std::string path, bool is_tree, MergeOptions options);
  ~AppendedEntries();
  AppendedEntries(const AppendedEntries&) = delete;
  AppendedEntries& operator=(const AppendedEntries&) = delete;

  /// Appends the entries of a complete file, which must stay as it is until finish(), on the threads of the
  /// current arena. Throws as FileMerge::add().
  void add(const std::string& path);

  /// After one call of add() at least.
  MergedNTuple finish();
  /// For RootFileWriter::complete(), after finish().
  std::uint64_t content_hash() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
