// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/tree_sink.h"

#include "rntuple/output_schema.h"
#include "root/file_cuts.h"
#include "ttree/basket_record.h"
#include "ttree/tree_entries.h"
#include "ttree/tree_layout.h"
#include "ttree/tree_output.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/field_name.h"

#include <algorithm>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

// A complete cluster.
struct Cluster {
  std::vector<HeldEntries> runs;
  std::uint64_t num_entries = 0;
  std::uint64_t bytes = 0;
  std::vector<bool> is_departed;  // by group: the fallback is needed from here on, if not before
  bool is_last_of_file = false;
};

struct SealedPart {
  SealedTreeCluster cluster;
  bool is_last_of_file = false;
};

// What is to be written, and by which of the outputs.
struct TreeOutputJob {
  TreeOutput* output = nullptr;
  BasketJob job;
};

struct TreePortion : Portion {
  std::shared_ptr<TreeEntries> entries;
  std::vector<Cluster> clusters;
  std::vector<SealedPart> sealed;
  std::vector<TreeOutputJob> jobs;
};

TreePortion& as_own(Portion& portion) { return static_cast<TreePortion&>(portion); }

TreeSinkOptions checked_options(TreeSinkOptions options) {
  constexpr std::uint64_t kMaxBasketBytes = 256 * 1024 * 1024;
  const std::string problem = problem_of_path(options.tree_name, "a TTree");
  if (!problem.empty()) throw SchemaError(problem);
  const std::uint64_t basket_bytes = options.settings.sizes(kTreeSizes).page_bytes;
  if (basket_bytes == 0 || basket_bytes > kMaxBasketBytes)
    throw ConfigError("a basket must have from 1 byte to 256 MiB");
  return options;
}

}  // namespace

class TreeSink::Implementation {
 public:
  // Without `file` the sink makes one of its own.
  Implementation(RootFileWriter* file, const Schema& schema, TreeSinkOptions options)
      : options_(checked_options(std::move(options))),
        sizes_(options_.settings.sizes(kTreeSizes)),
        layout_(make_tree_layout(schema, options_.collections, options_.computed)),
        pool_(options_.max_idle_bytes),
        own_file_(file ? nullptr : std::make_unique<RootFileWriter>(options_.path, tree_classes())),
        cuts_(options_.split.max_entries, options_.split.max_bytes) {
    add_output(file ? *file : *own_file_);
    largest_counts_.resize(layout_.groups.size());
    is_departed_.resize(layout_.groups.size());
    for (std::size_t i = 0; i < layout_.branches.size(); ++i)
      sealers_.emplace_back(layout_.branches[i], i,
                            BasketSealer::Names{layout_.branches[i].name, outputs_.front()->tree_name()},
                            compression());
  }

  std::unique_ptr<TreePortion> begin() const {
    auto portion = std::make_unique<TreePortion>();
    portion->entries = std::make_shared<TreeEntries>(layout_);
    return portion;
  }

  void append(TreePortion& portion, const Survivors& survivors, std::span<const ColumnView> columns) const {
    portion.entries->append(columns, survivors.count, pool_);
  }

  void stitch(TreePortion& portion) {
    const std::shared_ptr<TreeEntries> entries = std::move(portion.entries);
    if (const std::optional<SizeMismatch>& mismatch = entries->mismatch())
      throw Error("lists that should have equal sizes do not in entry " +
                  std::to_string(num_stitched_ + mismatch->entry) + " of the TTree \"" + options_.tree_name +
                  "\": " + mismatch->problem);
    note_counts(entries->largest_counts());
    std::uint64_t first = 0;
    while (first < entries->num_entries()) {
      const std::uint64_t end = end_of_cluster(*entries, first);
      open_.is_last_of_file = cuts_.add_entries(end - first);
      const std::uint64_t bytes = entries->bytes_before(end) - entries->bytes_before(first);
      open_.runs.push_back({entries, first, end});
      open_.num_entries += end - first;
      open_.bytes += bytes;
      for (std::size_t group = 0; group < is_departed_.size(); ++group)
        if (entries->is_departed(group, end)) is_departed_[group] = true;
      first = end;
      if (open_.is_last_of_file || open_.bytes >= sizes_.cluster_bytes)
        portion.clusters.push_back(take_open());
    }
    num_stitched_ += entries->num_entries();
  }

  void seal(TreePortion& portion) const {
    for (Cluster& cluster : portion.clusters) {
      SealedPart& part = portion.sealed.emplace_back();
      part.is_last_of_file = cluster.is_last_of_file;
      SealedTreeCluster& sealed = part.cluster;
      sealed.num_entries = cluster.num_entries;
      sealed.bytes_in_memory = cluster.bytes;
      sealed.baskets.resize(sealers_.size());
      oneapi::tbb::parallel_for(std::size_t{0}, sealers_.size(), [&](std::size_t branch) {
        if (!is_needed(branch, cluster)) return;
        const std::vector<EntryRange> ranges = sealers_[branch].cut(cluster.runs, sizes_.page_bytes);
        std::vector<BasketRecord>& baskets = sealed.baskets[branch];
        baskets.resize(ranges.size());
        oneapi::tbb::parallel_for(std::size_t{0}, ranges.size(), [&](std::size_t i) {
          options_.stop.throw_if_set();
          baskets[i] = sealers_[branch].seal(cluster.runs, ranges[i], pool_);
        });
      });
      cluster.runs.clear();
    }
    portion.clusters.clear();
  }

  void commit(TreePortion& portion) {
    for (SealedPart& part : portion.sealed) {
      statistics_.bytes_in_memory += part.cluster.bytes_in_memory;
      if (cuts_.begins_file(part.cluster.num_bytes(), part.is_last_of_file))
        add_output(options_.split.next_file());
      portion.jobs.push_back({outputs_.back().get(), outputs_.back()->commit(std::move(part.cluster))});
    }
    portion.sealed.clear();
  }

  void write(TreePortion& portion) {
    for (const TreeOutputJob& each : portion.jobs) each.output->write(each.job);
    portion.jobs.clear();
  }

  void finish() {
    if (open_.num_entries > 0) {
      TreePortion last;
      last.clusters.push_back(take_open());
      seal(last);
      commit(last);
      write(last);
    }
    options_.stop.throw_if_set();
    for (const std::unique_ptr<TreeOutput>& output : outputs_) {
      output->note_counts(largest_counts_);
      output->note_departures(is_departed_);
      output->finish();
      files_.push_back({output->num_entries(), output->content_hash()});
      statistics_.num_entries += output->num_entries();
      statistics_.num_clusters += output->num_clusters();
      statistics_.num_baskets += output->num_baskets();
    }
    if (own_file_) statistics_.file_bytes = own_file_->commit(files_.front().content_hash);
  }

  const TreeStatistics& statistics() const { return statistics_; }
  const std::vector<FileContent>& files() const { return files_; }

 private:
  void add_output(RootFileWriter& file) {
    outputs_.push_back(std::make_unique<TreeOutput>(
        file, layout_, TreeOutputOptions{options_.tree_name, options_.description, compression()}));
  }

  void note_counts(const std::vector<std::uint64_t>& largest) {
    for (std::size_t group = 0; group < largest.size(); ++group)
      largest_counts_[group] = std::max(largest_counts_[group], largest[group]);
  }

  CompressionSetting compression() const {
    return options_.settings.compression.value_or(CompressionSetting{});
  }

  Cluster take_open() {
    open_.is_departed = is_departed_;
    return std::exchange(open_, {});
  }

  bool is_needed(std::size_t branch, const Cluster& cluster) const {
    const OutputBranch& output = layout_.branches[branch];
    return !output.is_fallback || cluster.is_departed[*output.group];
  }

  // The entry behind the first that fills the open cluster or its file, or behind the last.
  std::uint64_t end_of_cluster(const TreeEntries& entries, std::uint64_t first) const {
    const std::uint64_t last = first + std::min(entries.num_entries() - first, cuts_.room());
    const std::uint64_t before = entries.bytes_before(first);
    const auto is_full_after = [&](std::uint64_t end) {
      return open_.bytes + entries.bytes_before(end) - before >= sizes_.cluster_bytes;
    };
    if (!is_full_after(last)) return last;
    std::uint64_t low = first, high = last;  // full after high, not after low
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (is_full_after(middle) ? high : low) = middle;
    }
    return high;
  }

  TreeSinkOptions options_;
  WriterSizes sizes_;
  TreeLayout layout_;
  mutable BufferPool pool_;
  std::unique_ptr<RootFileWriter> own_file_;
  std::vector<std::unique_ptr<TreeOutput>> outputs_;  // by file
  FileCuts cuts_;
  std::vector<std::uint64_t> largest_counts_;  // by group, of all files, which have the same branches
  std::vector<BasketSealer> sealers_;          // by branch
  Cluster open_;
  std::vector<bool> is_departed_;  // by group
  std::uint64_t num_stitched_ = 0;
  std::vector<FileContent> files_;
  TreeStatistics statistics_;
};

std::vector<std::string> tree_classes() {
  return {"TTree",  "TBranch", "TBranchElement", "TLeafO", "TLeafB",      "TLeafS",
          "TLeafI", "TLeafL",  "TLeafF",         "TLeafD", "TLeafElement"};
}

std::string problem_in_tree(Type type) { return problem_in_branch(type); }

TreeSink::TreeSink(const Schema& schema, TreeSinkOptions options)
    : implementation_(std::make_unique<Implementation>(nullptr, schema, std::move(options))) {}
TreeSink::TreeSink(RootFileWriter& file, const Schema& schema, TreeSinkOptions options)
    : implementation_(std::make_unique<Implementation>(&file, schema, std::move(options))) {}
TreeSink::~TreeSink() = default;

std::unique_ptr<Portion> TreeSink::begin() const { return implementation_->begin(); }

void TreeSink::append(Portion& portion, const Survivors& survivors,
                      std::span<const ColumnView> columns) const {
  implementation_->append(as_own(portion), survivors, columns);
}

void TreeSink::gather(Portion&, SliceReader&) const {}
void TreeSink::stitch(Portion& portion) { implementation_->stitch(as_own(portion)); }
void TreeSink::seal(Portion& portion) const { implementation_->seal(as_own(portion)); }
void TreeSink::commit(Portion& portion) { implementation_->commit(as_own(portion)); }
void TreeSink::write(Portion& portion) { implementation_->write(as_own(portion)); }
void TreeSink::finish() { implementation_->finish(); }

const TreeStatistics& TreeSink::statistics() const { return implementation_->statistics(); }
std::uint64_t TreeSink::content_hash() const { return files().front().content_hash; }
const std::vector<FileContent>& TreeSink::files() const { return implementation_->files(); }

}  // namespace skimline::io
