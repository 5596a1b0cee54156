// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_merge.h"

#include "histograms/merge_inputs.h"
#include "histograms/merged_histograms.h"
#include "merging/ntuple_inputs.h"
#include "merging/ntuple_merge.h"

#include "skimline/framework/error.h"
#include "skimline/io/output_file.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace skimline::io {
namespace {

// Whose StreamerInfo is written is decided before the data.
RootFileWriter begin_file(const MergeOptions& options, const MergeInputs& inputs) {
  if (!are_known(inputs) && !inputs.streamer_info().empty())
    return {options.output, std::span<const std::byte>(inputs.streamer_info())};
  std::set<std::string> classes{std::string(kAnchorClass)};
  for (const MergedHistogram& histogram : inputs.histograms()) classes.insert(histogram.class_name);
  return {options.output, std::vector<std::string>(classes.begin(), classes.end())};
}

// An input that is damaged can be left out; an output that cannot be written cannot.
template <typename Step>
auto blaming_inputs(Step step) {
  try {
    return step();
  } catch (const FileError& error) {
    if (error.fault() == FileFault::kUnwritable) throw;
    throw BadInput(error);
  }
}

// What the output says itself of its entries must be what the inputs say.
void check_entries(const std::string& path, const std::string& output,
                   const std::vector<MergedNTuple>& ntuples) {
  const RootFile file(path);
  for (const MergedNTuple& ntuple : ntuples) {
    const std::uint64_t found = read_descriptor(file, ntuple.path).num_entries();
    if (found != ntuple.num_entries)
      throw InternalError(output + ": RNTuple \"" + ntuple.path + "\" has " + std::to_string(found) +
                          " entries, and the inputs have " + std::to_string(ntuple.num_entries));
  }
}

std::uint64_t complete(RootFileWriter& writer, const MergeSummary& summary, std::uint64_t hash) {
  const std::uint64_t bytes = writer.complete(hash);
  check_entries(writer.file().current_path(), writer.file().path(), summary.ntuples);
  writer.publish();
  return bytes;
}

// One merge of inputs that are all there.
class MergeOfFiles {
 public:
  MergeOfFiles(const MergeOptions& options, const std::vector<std::string>& paths)
      : options_(options), inputs_(options, paths, summary_.skipped, EntriesInMerge::kListed) {
    if (inputs_.files().empty()) throw Error("none of the inputs can be read: " + summary_.skipped.front());
    if (inputs_.histograms().empty() && inputs_.entries().empty())
      throw Error("the inputs have no histograms or RNTuples to merge");
  }

  MergeSummary merge() {
    summary_.compression = compression_of(options_, inputs_);
    find_order();
    blaming_inputs([&] { open_ntuples(); });
    RootFileWriter writer =
        ntuples_.empty() ? begin_histograms(options_, inputs_) : begin_file(options_, inputs_);
    blaming_inputs([&] {
      for (std::size_t i = 0; i < ntuples_.size(); ++i) merge_ntuple(i, writer);
    });
    write_merged_histograms(options_, inputs_, writer, summary_, num_done_);
    summary_.bytes_written = ntuples_.empty() ? writer.commit() : complete(writer, summary_, hash_);
    return std::move(summary_);
  }

 private:
  const std::string& path_of(std::size_t input) const { return inputs_.files()[input].file->path(); }

  void find_order() {
    if (inputs_.entries().empty() || !options_.order) return;
    std::vector<std::string> files;
    for (std::size_t input = 0; input < inputs_.files().size(); ++input) files.push_back(path_of(input));
    const std::vector<std::size_t> order = options_.order(files);
    places_.resize(files.size());
    for (std::size_t place = 0; place < order.size(); ++place) places_.at(order[place]) = place;
  }

  // Everything that can be wrong with metadata is found before anything is written.
  void open_ntuples() {
    for (const MergedEntries& entries : inputs_.entries()) {
      std::vector<std::size_t> inputs = entries.inputs;
      if (!places_.empty())
        std::sort(inputs.begin(), inputs.end(),
                  [&](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
      std::vector<std::string> files;
      for (const std::size_t input : inputs) files.push_back(path_of(input));
      ntuples_.push_back(std::make_unique<NTupleInputs>(entries.path, std::move(files), options_));
      schemas_.push_back(schema_of(entries.path, *ntuples_.back()));
      num_to_do_ += ntuples_.back()->num_clusters();
    }
  }

  static MergeSchema schema_of(const std::string& path, const NTupleInputs& inputs) {
    try {
      return inputs.schema();
    } catch (const SchemaError& error) {
      throw SchemaError("RNTuple \"" + path + "\": " + error.what());
    }
  }

  void merge_ntuple(std::size_t number, RootFileWriter& writer) {
    NTupleInputs& inputs = *ntuples_[number];
    NTupleMerge merge(writer, inputs_.entries()[number].path, std::move(schemas_[number]), options_);
    merge.append([&] { return inputs.next(); },
                 [&](std::uint64_t clusters) {
                   num_done_ += clusters;
                   if (options_.progress)
                     options_.progress(num_done_, num_to_do_ + inputs_.histograms().size());
                 });
    MergedNTuple merged = merge.finish();
    merged.num_files = inputs.num_files();
    if (merged.num_entries != inputs.num_entries())
      throw InternalError("RNTuple \"" + merged.path + "\": " + std::to_string(merged.num_entries) + " of " +
                          std::to_string(inputs.num_entries()) + " entries were merged");
    summary_.ntuples.push_back(std::move(merged));
    hash_ = hash_ * 31 + merge.content_hash();
  }

  const MergeOptions& options_;
  MergeSummary summary_;
  MergeInputs inputs_;
  std::vector<std::size_t> places_;  // by input, if there is an order
  std::vector<std::unique_ptr<NTupleInputs>> ntuples_;
  std::vector<MergeSchema> schemas_;
  std::uint64_t num_to_do_ = 0, num_done_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace

MergeSummary merge_files(const MergeOptions& options) {
  check_paths(options);
  return merge_without_bad_inputs(
      options, [&](const std::vector<std::string>& paths) { return MergeOfFiles(options, paths).merge(); });
}

}  // namespace skimline::io
