// SPDX-License-Identifier: BSD-3-Clause
// What came of a merge of files.
#pragma once

#include "skimline/io/compression.h"
#include "skimline/io/merge_options.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace skimline::io {

/// How many clusters got into the output by one method.
struct MethodCounts {
  std::uint64_t clusters = 0;
  std::uint64_t bytes = 0;  ///< of pages, as they are stored
};

/// An RNTuple of the output, or a TTree: its baskets count as pages, and as clusters in `methods`.
struct MergedNTuple {
  std::string path;
  bool is_tree = false;
  std::uint64_t num_files = 0;  ///< that have it
  std::uint64_t num_entries = 0;
  std::uint64_t num_clusters = 0, num_pages = 0;
  std::map<MergeMethod, MethodCounts> methods;  ///< those that were used
  std::uint64_t pages_verified = 0;             ///< whose checksums were compared
  std::uint64_t pages_without_checksum = 0;     ///< of those that were read
  std::uint64_t num_joined = 0;                 ///< clusters of the inputs that were joined or cut
  std::vector<std::string> left_out;            ///< why fields were left out, a sentence for each
  std::vector<std::string> other_bits;  ///< that files describe differently, a sentence for each column
};

/// What was merged, and how large it is.
struct MergeSummary {
  std::vector<MergedNTuple> ntuples;
  std::uint64_t num_files = 0;       ///< that were merged
  std::uint64_t num_histograms = 0;  ///< in the output
  std::uint64_t num_exact = 0;       ///< of them, those that have exact sums
  std::uint64_t num_partial = 0;     ///< of them, those that some inputs lack
  std::uint64_t num_changed = 0;     ///< of them, those that were changed in an input, with allow_changed
  std::uint64_t num_records = 0;     ///< inputs that have a text in the record directory
  std::uint64_t bytes_read = 0;      ///< stored bytes
  std::uint64_t bytes_added = 0;     ///< the same objects decompressed
  std::uint64_t bytes_written = 0;   ///< of the output
  CompressionSetting compression{};  ///< of the output
  std::vector<std::string> skipped;  ///< why inputs were left out; each text begins with the path
};

}  // namespace skimline::io
