// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/histogram_merge.h"

#include "histograms/merge_inputs.h"
#include "histograms/merged_histograms.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"
#include "skimline/io/root_file_writer.h"

namespace skimline::io {
namespace {

MergeSummary merge_once(const MergeOptions& options, const std::vector<std::string>& paths) {
  MergeSummary summary;
  const MergeInputs inputs(options, paths, summary.skipped);
  if (inputs.files().empty()) throw Error("none of the inputs can be read: " + summary.skipped.front());
  if (inputs.histograms().empty()) throw Error("the inputs have no histograms to merge");
  summary.compression = compression_of(options, inputs);
  RootFileWriter writer = begin_histograms(options, inputs);
  write_merged_histograms(options, inputs, writer, summary);
  summary.bytes_written = writer.complete();
  if (options.before_naming) options.before_naming();
  writer.file().publish(options.stop);
  return summary;
}

}  // namespace

MergeSummary merge_histograms(const MergeOptions& options) {
  check_paths(options);
  return merge_without_bad_inputs(
      options, [&](const std::vector<std::string>& paths) { return merge_once(options, paths); });
}

}  // namespace skimline::io
