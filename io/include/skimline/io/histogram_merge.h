// SPDX-License-Identifier: BSD-3-Clause
// Adds the histograms of many ROOT files into one file.
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

/// An RNTuple of the output.
struct MergedNTuple {
  std::string path;
  std::uint64_t num_files = 0;  ///< that have it
  std::uint64_t num_entries = 0;
  std::uint64_t num_clusters = 0;
  std::uint64_t num_pages = 0;
  std::map<MergeMethod, MethodCounts> methods;  ///< those that were used
  std::uint64_t pages_verified = 0;             ///< whose checksums were compared
  std::uint64_t pages_without_checksum = 0;     ///< of those that were read
  std::uint64_t num_joined = 0;                 ///< clusters of the inputs that became parts of larger ones
  std::vector<std::string> left_out;            ///< why fields were left out, a sentence for each
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

/// Writes a file with the sum of each histogram over all inputs that have it, by path; of several cycles the
/// newest counts. The order is that of the first file, then that of what only later ones have.
///
/// Histograms of our own files carry exact sums: if all inputs with a histogram have them, the result is that
/// of filling it once, bit by bit. Others are added as doubles in the order of the inputs, integers exactly;
/// everything else is that of the first input that has the histogram, with errors if any input has errors.
///
/// Uses the threads of the current arena; the bytes of the output do not depend on their number. Holds a few
/// histograms per thread at a time, and the list of objects of each input. Throws ConfigError if an input is
/// given twice or is the output, or if a pattern matches nothing; FileError if an input is damaged or the
/// output cannot be written; Error if an object is no histogram, or if histograms cannot be added; and what
/// combine_texts throws. The output is complete or absent.
MergeSummary merge_histograms(const MergeOptions& options);

}  // namespace skimline::io
