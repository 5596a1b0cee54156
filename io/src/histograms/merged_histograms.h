// SPDX-License-Identifier: BSD-3-Clause
// The histograms of a merge, added up and written into its output.
#pragma once

#include "histograms/merge_inputs.h"

#include "skimline/framework/error.h"
#include "skimline/io/merge_options.h"
#include "skimline/io/merge_summary.h"
#include "skimline/io/root_file_writer.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skimline::io {

/// An input that turned out to be bad while it was merged.
class BadInput : public FileError {
 public:
  BadInput(const FileError& error) : FileError(error) {}
};

/// Throws ConfigError if there are no inputs, one is given twice or is the output, or options exclude each
/// other.
void check_paths(const MergeOptions& options);

/// Calls `merge` with the paths of the inputs, and again without those that it throws BadInput of, if the
/// options allow that.
MergeSummary merge_without_bad_inputs(
    const MergeOptions& options, const std::function<MergeSummary(const std::vector<std::string>&)>& merge);

/// How histograms are compressed.
CompressionSetting compression_of(const MergeOptions& options, const MergeInputs& inputs);

/// Whether the classes of all that is listed are those of our own files, whose StreamerInfo we write.
bool are_known(const MergeInputs& inputs);

/// Begins an output for what the inputs list.
RootFileWriter begin_histograms(const MergeOptions& options, const MergeInputs& inputs);

/// Adds the sum of each histogram to the output, and what was done to the summary, whose compression is used.
/// `num_before` things were done before. Throws as merge_files does.
void write_merged_histograms(const MergeOptions& options, const MergeInputs& inputs, RootFileWriter& writer,
                             MergeSummary& summary, std::uint64_t num_before = 0);

}  // namespace skimline::io
