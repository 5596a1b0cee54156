// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline merge`: the histograms of many files in one.
#pragma once

#include "skimline/io/histogram_merge.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What came of a merge.
struct MergeReport {
  std::string output;
  io::MergeSummary summary;
  int threads = 0;
  double seconds = 0;
};

/// Returns the arguments with "@list" replaced by the paths in the file `list`, one in each line; blank lines
/// do not count. Throws FileError if a list cannot be read, ConfigError if it names no file.
std::vector<std::string> expand_lists(const std::vector<std::string>& arguments);

/// Merges on so many threads; 0 means one per core the process may run on. What the output replaces must be
/// that of an earlier merge of the same inputs, unless it `overwrites` any file. Records of runs are merged
/// too, whatever the options say about texts. Throws what io::merge_histograms() and, unless `allow_overlap`,
/// merged_record_text() throw, and ConfigError if the output cannot be a file.
MergeReport merge(io::MergeOptions options, int threads, bool allow_overlap = false, bool overwrites = false);

/// What was merged, how fast, and which inputs were left out.
std::string to_text(const MergeReport& report);
std::string to_json(const MergeReport& report);

}  // namespace skimline::skims
