// SPDX-License-Identifier: BSD-3-Clause
// Merges files with RNTuples, TTrees, histograms and records of runs into one.
#pragma once

#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"

#include <memory>
#include <string>

namespace skimline::io {

/// Writes a file with the entries of each RNTuple and TTree of the inputs, by path, one input after the
/// other, and the sum of each histogram over all inputs that have it: that of one run, bit by bit, where all
/// carry exact sums.
///
/// Pages and baskets stay as they are stored: clusters are shared by the storage (MergeMethod::kClone) or
/// copied; small ones of RNTuples are joined, and what is to be compressed otherwise rewritten.
///
/// Uses the threads of the current arena and as many open files; the bytes do not depend on their number.
/// Throws ConfigError if an input is given twice or is the output; SchemaError that lists the fields that
/// differ; FileError if one is damaged or the output cannot be written; Error for what cannot be added. The
/// output is complete or absent.
MergeSummary merge_files(const MergeOptions& options);

/// The same while parts are still being made: the entries of each part get into the output as soon as it is
/// added, everything else by finish(). The bytes are those of merge_files() with the same inputs in the same
/// order. Calls must not overlap.
class FileMerge {
 public:
  /// The inputs of the options do not count. Those that cannot be read are errors, and so are fields that are
  /// not those of the first part: `skip_bad` and `missing_fields` are ignored. Parts keep their order.
  explicit FileMerge(MergeOptions options);
  /// Without finish(), nothing remains.
  ~FileMerge();
  FileMerge(const FileMerge&) = delete;
  FileMerge& operator=(const FileMerge&) = delete;

  /// Appends the entries of a complete file, which must stay as it is until finish(). Throws as
  /// merge_files(); nothing but destruction is possible then.
  void add(const std::string& path);

  /// Adds up all histograms of the parts, puts their records together, and gives the file its name.
  MergeSummary finish();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace skimline::io
