// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_merge.h"

#include "histograms/merge_inputs.h"
#include "histograms/merged_histograms.h"
#include "merging/ntuple_inputs.h"
#include "merging/ntuple_merge.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"
#include "skimline/io/output_file.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <utility>

namespace skimline::io {
namespace {

// Throws SchemaError if the fields of the inputs differ, or cannot be as they are said to be.
MergeSchema schema_of(const std::string& path, const NTupleInputs& inputs) {
  const auto of_ntuple = [&](const char* problem) {
    return SchemaError("RNTuple \"" + path + "\": " + problem);
  };
  try {
    return inputs.schema();
  } catch (const SchemaError& error) {
    throw of_ntuple(error.what());
  } catch (const FormatError& error) {
    throw of_ntuple(error.what());
  }
}

// Whose StreamerInfo is written is decided before the data.
std::unique_ptr<RootFileWriter> begin_file(const MergeOptions& options, const MergeInputs& inputs) {
  if (!are_known(inputs) && !inputs.streamer_info().empty())
    return std::make_unique<RootFileWriter>(options.output,
                                            std::span<const std::byte>(inputs.streamer_info()));
  std::set<std::string> classes{std::string(kAnchorClass)};
  for (const MergedHistogram& histogram : inputs.histograms()) classes.insert(histogram.class_name);
  return std::make_unique<RootFileWriter>(options.output,
                                          std::vector<std::string>(classes.begin(), classes.end()));
}

std::uint64_t with_hash(std::uint64_t hash, std::uint64_t of_ntuple) { return hash * 31 + of_ntuple; }

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
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return;  // a device keeps nothing
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

// A merge whose first RNTuple is in the output already.
struct BegunMerge {
  RootFileWriter& writer;
  MergedNTuple first;
  std::uint64_t hash = 0;
};

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
    if (ntuples_.empty()) {
      RootFileWriter writer = begin_histograms(options_, inputs_);
      finish(writer);
      return std::move(summary_);
    }
    const std::unique_ptr<RootFileWriter> writer = begin_file(options_, inputs_);
    blaming_inputs([&] {
      for (std::size_t i = 0; i < ntuples_.size(); ++i) merge_ntuple(i, *writer);
    });
    finish(*writer);
    return std::move(summary_);
  }

  /// Merges everything but the first RNTuple.
  MergeSummary merge_rest(BegunMerge begun) {
    summary_.compression = compression_of(options_, inputs_);
    summary_.ntuples.push_back(std::move(begun.first));
    hash_ = begun.hash;
    open_ntuples(1);
    for (std::size_t i = 0; i < ntuples_.size(); ++i) merge_ntuple(i, begun.writer);
    finish(begun.writer);
    return std::move(summary_);
  }

  const MergeInputs& inputs() const { return inputs_; }

 private:
  void finish(RootFileWriter& writer) {
    write_merged_histograms(options_, inputs_, writer, summary_, num_done_);
    summary_.bytes_written = summary_.ntuples.empty() ? writer.commit() : complete(writer, summary_, hash_);
  }

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
  void open_ntuples(std::size_t first = 0) {
    for (const MergedEntries& entries : std::span(inputs_.entries()).subspan(first)) {
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

  void merge_ntuple(std::size_t number, RootFileWriter& writer) {
    NTupleInputs& inputs = *ntuples_[number];
    NTupleMerge merge(writer, inputs.path(), std::move(schemas_[number]), options_);
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
    hash_ = with_hash(hash_, merge.content_hash());
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

class FileMerge::Implementation {
 public:
  explicit Implementation(MergeOptions options) : options_(std::move(options)) {
    options_.inputs.clear();
    options_.order = nullptr;
    options_.skip_bad = false;
    options_.missing_fields = MissingFields::kRefuse;
  }

  void add(const std::string& path) {
    options_.inputs.push_back(path);
    check_paths(options_);
    if (!writer_) begin();
    if (!inputs_) inputs_ = std::make_unique<NTupleInputs>(ntuple_, std::vector<std::string>{}, options_);
    inputs_->add({path});
    append(path);
  }

  MergeSummary finish() {
    if (!merge_) throw ConfigError("nothing to merge: there are no inputs");
    MergedNTuple merged = merge_->finish();
    merged.num_files = inputs_->num_files();
    MergeOfFiles rest(options_, options_.inputs);
    check_classes(rest.inputs());
    return rest.merge_rest({*writer_, std::move(merged), with_hash(0, merge_->content_hash())});
  }

 private:
  // The first part says which classes and RNTuples there are.
  void begin() {
    std::vector<std::string> skipped;
    const MergeInputs first(options_, options_.inputs, skipped, EntriesInMerge::kListed);
    if (first.entries().empty())
      throw Error(options_.inputs.front() + ": there is no RNTuple whose entries could be merged");
    ntuple_ = first.entries().front().path;
    for (const MergedHistogram& histogram : first.histograms()) classes_.insert(histogram.class_name);
    writer_ = begin_file(options_, first);
  }

  void append(const std::string& path) {
    const MergeSchema schema = schema_of(ntuple_, *inputs_);
    if (inputs_->num_schemas() > 1)
      throw SchemaError(path + ": the fields of RNTuple \"" + ntuple_ +
                        "\" are stored otherwise than those of " + options_.inputs.front());
    if (!merge_) merge_ = std::make_unique<NTupleMerge>(*writer_, ntuple_, schema, options_);
    merge_->append([&] { return inputs_->next(); }, [](std::uint64_t) {});
  }

  void check_classes(const MergeInputs& all) const {
    for (const MergedHistogram& histogram : all.histograms())
      if (!classes_.contains(histogram.class_name))
        throw Error("\"" + histogram.path + "\" is a " + histogram.class_name +
                    ", and the first part has none: it must have all kinds of objects");
  }

  MergeOptions options_;
  std::string ntuple_;  // whose entries are appended at once
  std::set<std::string> classes_;
  std::unique_ptr<RootFileWriter> writer_;
  std::unique_ptr<NTupleInputs> inputs_;
  std::unique_ptr<NTupleMerge> merge_;
};

FileMerge::FileMerge(MergeOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
FileMerge::~FileMerge() = default;

void FileMerge::add(const std::string& path) { implementation_->add(path); }
MergeSummary FileMerge::finish() { return implementation_->finish(); }

}  // namespace skimline::io
