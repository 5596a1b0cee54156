// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_merge.h"

#include "histograms/merge_inputs.h"
#include "histograms/merged_histograms.h"
#include "merging/copied_files.h"
#include "merging/entries_merge.h"
#include "rntuple/envelope.h"

#include "skimline/framework/error.h"
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

// Whose StreamerInfo is written is decided before the data. That of inputs with trees describes the classes
// of their branches.
std::unique_ptr<RootFileWriter> begin_file(const MergeOptions& options, const MergeInputs& inputs) {
  const bool has_trees = std::any_of(inputs.entries().begin(), inputs.entries().end(),
                                     [](const MergedEntries& entries) { return entries.is_tree; });
  if ((has_trees || !are_known(inputs)) && !inputs.streamer_info().empty())
    return std::make_unique<RootFileWriter>(options.output,
                                            std::span<const std::byte>(inputs.streamer_info()));
  std::set<std::string> classes{std::string(kAnchorClass)};
  if (has_trees) classes.insert("TTree");
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
    const std::uint64_t found = num_entries_of(file, ntuple);
    if (found != ntuple.num_entries)
      throw InternalError(output + ": \"" + ntuple.path + "\" has " + std::to_string(found) +
                          " entries, and the inputs have " + std::to_string(ntuple.num_entries));
  }
}

std::uint64_t publish(RootFileWriter& writer, const MergeSummary& summary, std::uint64_t hash,
                      const MergeOptions& options) {
  const std::uint64_t bytes = writer.complete(hash);
  if (!summary.ntuples.empty())
    check_entries(writer.file().current_path(), writer.file().path(), summary.ntuples);
  if (options.before_naming) options.before_naming();
  writer.file().publish(options.stop);
  return bytes;
}

// A merge of which the entries of the first path are in the output already.
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
      throw Error("the inputs have no histograms, RNTuples or TTrees to merge");
  }

  MergeSummary merge() {
    summary_.compression = compression_of(options_, inputs_);
    find_order();
    blaming_inputs([&] {
      open_entries();
      refuse_copies();
    });
    if (entries_.empty()) {
      RootFileWriter writer = begin_histograms(options_, inputs_);
      write_processes(writer);
      finish(writer);
      return std::move(summary_);
    }
    const std::unique_ptr<RootFileWriter> writer = begin_file(options_, inputs_);
    write_processes(*writer);
    blaming_inputs([&] {
      for (const auto& entries : entries_) merge_entries(*entries, *writer);
    });
    finish(*writer);
    return std::move(summary_);
  }

  /// Merges everything but the entries of the first path.
  MergeSummary merge_rest(BegunMerge begun) {
    summary_.compression = compression_of(options_, inputs_);
    summary_.ntuples.push_back(std::move(begun.first));
    hash_ = begun.hash;
    open_entries(1);
    refuse_copies();
    for (const auto& entries : entries_) merge_entries(*entries, begun.writer);
    finish(begun.writer);
    return std::move(summary_);
  }

  const MergeInputs& inputs() const { return inputs_; }

 private:
  void write_processes(RootFileWriter& writer) const {
    const std::vector<std::string>& processes = inputs_.processes().all();
    for (std::size_t i = 0; i < processes.size(); ++i) writer.add_object(process_object(i, processes[i]));
  }

  void finish(RootFileWriter& writer) {
    write_merged_histograms(options_, inputs_, writer, summary_, num_done_);
    summary_.bytes_written = publish(writer, summary_, summary_.ntuples.empty() ? 0 : hash_, options_);
  }

  // What is not found by what is known of entries.
  void refuse_copies() const {
    if (!options_.allows_copies) refuse_equal_files(inputs_.files());
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
  void open_entries(std::size_t first = 0) {
    for (const MergedEntries& entries : std::span(inputs_.entries()).subspan(first)) {
      std::vector<std::size_t> inputs = entries.inputs;
      if (!places_.empty())
        std::sort(inputs.begin(), inputs.end(),
                  [&](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
      std::vector<InputOfEntries> files;
      for (const std::size_t input : inputs)
        files.push_back({path_of(input), inputs_.files()[input].processes});
      entries_.push_back(merge_of_entries(entries, options_));
      entries_.back()->add(std::move(files));
      entries_.back()->check();
      num_to_do_ += entries_.back()->num_to_do();
    }
  }

  void merge_entries(EntriesMerge& merge, RootFileWriter& writer) {
    merge.begin(writer);
    merge.append([&](std::uint64_t done) {
      num_done_ += done;
      if (options_.progress) options_.progress(num_done_, num_to_do_ + inputs_.histograms().size());
    });
    summary_.ntuples.push_back(merge.finish());
    hash_ = with_hash(hash_, merge.content_hash());
  }

  const MergeOptions& options_;
  MergeSummary summary_;
  MergeInputs inputs_;
  std::vector<std::size_t> places_;  // by input, if there is an order
  std::vector<std::unique_ptr<EntriesMerge>> entries_;
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
    const bool is_first = !entries_;
    if (is_first) begin_with_first();
    entries_->add({{path}});
    if (is_first) {
      entries_->check();
      entries_->begin(*writer_);
    } else {
      entries_->check_added(path, options_.inputs.front());
    }
    entries_->append([](std::uint64_t) {});
  }

  MergeSummary finish() {
    if (!entries_) throw ConfigError("nothing to merge: there are no inputs");
    MergedNTuple merged = entries_->finish();
    MergeOfFiles rest(options_, options_.inputs);
    check_classes(rest.inputs());
    return rest.merge_rest({*writer_, std::move(merged), with_hash(0, entries_->content_hash())});
  }

 private:
  // The first part says which classes and entries there are.
  void begin_with_first() {
    std::vector<std::string> skipped;
    const MergeInputs first(options_, options_.inputs, skipped, EntriesInMerge::kListed);
    if (first.entries().empty())
      throw Error(options_.inputs.front() + ": there is no RNTuple or TTree whose entries could be merged");
    for (const MergedHistogram& histogram : first.histograms()) classes_.insert(histogram.class_name);
    writer_ = begin_file(options_, first);
    entries_ = merge_of_entries(first.entries().front(), options_);
  }

  void check_classes(const MergeInputs& all) const {
    if (!all.processes().all().empty())
      throw Error(
          "the parts have references between objects, which only a merge of all parts at once can keep");
    for (const MergedHistogram& histogram : all.histograms())
      if (!classes_.contains(histogram.class_name))
        throw Error("\"" + histogram.path + "\" is a " + histogram.class_name +
                    ", and the first part has none: it must have all kinds of objects");
  }

  MergeOptions options_;
  std::set<std::string> classes_;
  std::unique_ptr<RootFileWriter> writer_;
  std::unique_ptr<EntriesMerge> entries_;  // that are appended at once
};

FileMerge::FileMerge(MergeOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
FileMerge::~FileMerge() = default;

void FileMerge::add(const std::string& path) { implementation_->add(path); }
MergeSummary FileMerge::finish() { return implementation_->finish(); }

}  // namespace skimline::io
