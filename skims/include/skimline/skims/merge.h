// SPDX-License-Identifier: BSD-3-Clause
// The command `skimline merge`: the RNTuples and histograms of many files in one.
#pragma once

#include "skimline/io/file_merge.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// What is merged, and what may be done for it.
struct MergeRequest {
  io::MergeOptions options;     ///< record directory, texts, copies and order follow from what is here
  int threads = 0;              ///< 0 means one per core the process may run on
  bool allow_overlap = false;   ///< merge also what was made from the same entries of an input
  bool overwrites = false;      ///< replace any file
  bool keeps_order = false;     ///< entries come in the order of the inputs, not in that of the run
  bool allows_missing = false;  ///< merge skims though shards of their run are missing
};

/// What came of a merge.
struct MergeReport {
  std::string output;
  std::vector<std::string> missing, left_out, differing_configs;  ///< shards, inputs of runs, samples
  io::MergeSummary summary;
  int threads = 0;
  double seconds = 0;
};

/// Returns the arguments with "@list" replaced by the paths in the file `list`, one in each line; blank lines
/// do not count. Throws FileError if a list cannot be read, ConfigError if it names no file.
std::vector<std::string> expand_lists(const std::vector<std::string>& arguments);

/// Merges. What the output replaces must be that of an earlier merge of the same inputs, unless the request
/// overwrites any file. Records of runs are merged too, whatever the options say about texts. Throws what
/// io::merge_files() and, unless `allow_overlap`, merged_record_text() throw, ConfigError if the output
/// cannot be a file, and Error naming the shards of which the skims are missing, unless `allows_missing`.
MergeReport merge(MergeRequest request);

/// What `method` and `missing_fields` of set_ntuple_options() may be: "copy" for instance, and "drop".
std::vector<std::string> merge_methods();
std::vector<std::string> missing_fields_choices();

/// Sets how RNTuples are merged: `method` may also be empty, `cluster_size` is a size such as "64 MiB" or
/// empty. Throws ConfigError naming what is allowed.
void set_ntuple_options(io::MergeOptions& options, const std::string& method,
                        const std::string& missing_fields, const std::string& cluster_size);

/// What was merged, how fast, and which inputs were left out.
std::string to_text(const MergeReport& report);
std::string to_json(const MergeReport& report);

}  // namespace skimline::skims
