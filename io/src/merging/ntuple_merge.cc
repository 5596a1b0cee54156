// SPDX-License-Identifier: BSD-3-Clause
#include "merging/ntuple_merge.h"

#include "rntuple/page_list.h"
#include "rntuple/stored_page.h"
#include "storage/ordered_pipeline.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <map>
#include <utility>

#include <xxhash.h>

namespace skimline::io {
namespace {

// Clusters that take less in memory are joined with such beside them: an eighth of what skims are written
// with. Reading costs nothing more from there on.
constexpr std::uint64_t kLeastClusterBytes = 16 * 1024 * 1024;
// So many of the largest pages of a cluster tell it from others.
constexpr std::size_t kHashedPages = 4;

constexpr CompressionSetting kMetadataCompression{};

// For each column that of the first representation of its field at the same position.
std::vector<std::size_t> first_representations(const RNTupleDescriptor& schema) {
  const std::vector<std::uint32_t> positions = column_positions(schema);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> firsts;
  std::vector<std::size_t> columns;
  for (std::size_t id = 0; id < schema.columns.size(); ++id)
    columns.push_back(firsts.try_emplace({schema.columns[id].field, positions[id]}, id).first->second);
  return columns;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return XXH3_64bits_withSeed(&value, sizeof value, hash);
}

// The last eight bytes of a page as it is stored, which are its checksum if it has one.
std::uint64_t last_bytes(const PlacedCluster& cluster, const PageInfo& page) {
  std::uint64_t bytes = 0;
  const std::uint64_t size = std::min<std::uint64_t>(sizeof bytes, stored_size(page));
  if (size == 0) return 0;
  const std::uint64_t place = page.locator.offset + stored_size(page) - size;
  const auto to = std::as_writable_bytes(std::span(&bytes, 1)).first(size);
  for (const SourceExtent& extent : cluster.layout.extents)
    if (place >= extent.place && place < extent.place + extent.size) {
      cluster.source->read(extent.begin + (place - extent.place), to);
      return bytes;
    }
  for (const MadePage& made : cluster.layout.made)
    if (made.place == page.locator.offset) return made.bytes.checksum();
  throw InternalError("a page is in no extent");
}

// What tells a cluster from others, by whatever method it gets into the output.
std::uint64_t hash_of(const PlacedCluster& cluster) {
  struct PageOfColumn {
    std::uint64_t size;
    const PageInfo* page;
  };
  const ClusterLayout& layout = cluster.layout;
  std::uint64_t hash = mixed(layout.num_entries, layout.columns.size());
  std::vector<PageOfColumn> pages;
  for (const ColumnRange& range : layout.columns)
    for (const PageInfo& page : range.pages) {
      hash = mixed(hash, std::uint64_t{page.num_elements} << 32 ^ page.locator.size);
      pages.push_back({page.locator.size, &page});
    }
  std::stable_sort(pages.begin(), pages.end(),
                   [](const PageOfColumn& a, const PageOfColumn& b) { return a.size > b.size; });
  pages.resize(std::min(kHashedPages, pages.size()));
  for (const PageOfColumn& largest : pages) hash = mixed(hash, last_bytes(cluster, *largest.page));
  return hash;
}

}  // namespace

// A cluster of an input.
struct NTupleMerge::Part {
  std::shared_ptr<const NTupleInput> input;
  std::size_t cluster = 0;
  std::vector<ClusterColumn> columns;
  std::uint64_t bytes = 0;  // in memory

  const ClusterDescriptor& descriptor() const { return input->descriptor.clusters[cluster]; }
};

// A cluster of the output: one of an input, or several that are joined.
struct NTupleMerge::Job {
  std::vector<Part> parts;
  PlacedCluster placed;
  std::uint64_t hash = 0;
};

// Cuts the clusters of the inputs into jobs.
class NTupleMerge::Jobs {
 public:
  Jobs(const std::string& path, const MergeSchema& schema, const MergeOptions& options)
      : path_(path),
        schema_(schema),
        options_(options),
        least_bytes_(options.cluster_bytes.value_or(kLeastClusterBytes)) {}

  void begin(const NextNTupleInput& next) { next_input_ = next; }

  /// Returns nullptr behind the last cluster of all inputs; the ones that may be joined with what follows
  /// stay.
  std::unique_ptr<Job> next() {
    while (auto part = take_part()) {
      if (!is_small(*part)) {
        if (group_.empty()) return job_of(std::move(*part));
        held_ = std::move(part);
        return take_group();
      }
      if (!group_.empty() && !have_equal_encodings(group_.front().columns, part->columns)) {
        held_ = std::move(part);
        return take_group();
      }
      group_bytes_ += part->bytes;
      group_.push_back(std::move(*part));
      if (group_bytes_ >= least_bytes_) return take_group();
    }
    return nullptr;
  }

  /// Returns what stayed, or nullptr.
  std::unique_ptr<Job> rest() { return group_.empty() ? nullptr : take_group(); }

 private:
  bool is_small(const Part& part) const { return part.bytes < least_bytes_ && !keeps_clusters(); }
  bool keeps_clusters() const {
    return options_.method && *options_.method != MergeMethod::kRewrite && !options_.cluster_bytes;
  }

  std::unique_ptr<Part> take_part() {
    if (held_) return std::exchange(held_, nullptr);
    options_.stop.throw_if_set();
    while (!input_ || cluster_ == input_->descriptor.clusters.size()) {
      input_ = next_input_ ? next_input_() : nullptr;
      if (!input_) {
        next_input_ = nullptr;
        return nullptr;
      }
      cluster_ = 0;
    }
    auto part = std::make_unique<Part>();
    part->input = input_;
    part->cluster = cluster_++;
    find_columns(*part);
    return part;
  }

  void find_columns(Part& part) const {
    const SourceCluster source{part.descriptor(), schema_.columns_of(part.input->schema)};
    try {
      part.columns = columns_of_cluster(schema_, source);
    } catch (const FormatError& error) {
      throw cluster_error(*part.input->file, {path_, part.cluster, source.cluster.first_entry},
                          source.cluster.num_entries, error.what());
    }
    part.bytes = bytes_in_memory(schema_, part.columns);
  }

  static std::unique_ptr<Job> job_of(Part part) {
    auto job = std::make_unique<Job>();
    job->parts.push_back(std::move(part));
    return job;
  }

  std::unique_ptr<Job> take_group() {
    auto job = std::make_unique<Job>();
    job->parts = std::move(group_);
    group_.clear();
    group_bytes_ = 0;
    return job;
  }

  const std::string& path_;
  const MergeSchema& schema_;
  const MergeOptions& options_;
  std::uint64_t least_bytes_;
  NextNTupleInput next_input_;
  std::shared_ptr<const NTupleInput> input_;
  std::size_t cluster_ = 0;     // of the input
  std::unique_ptr<Part> held_;  // comes next
  std::vector<Part> group_;     // to be joined, unless it stays alone
  std::uint64_t group_bytes_ = 0;
};

NTupleMerge::NTupleMerge(RootFileWriter& file, std::string path, MergeSchema schema,
                         const MergeOptions& options)
    : path_(std::move(path)),
      schema_(std::move(schema)),
      options_(options),
      pool_(0),
      zeros_(schema_, options.compression.value_or(CompressionSetting{}), pool_),
      transfer_(file, options.verifies, options.requires_checksums),
      metadata_(file, schema_.descriptor(), path_, kMetadataCompression),
      jobs_(std::make_unique<Jobs>(path_, schema_, options)),
      first_columns_(first_representations(schema_.descriptor())),
      elements_before_(schema_.num_columns()) {
  merged_.path = path_;
  merged_.left_out = schema_.left_out();
}

NTupleMerge::~NTupleMerge() = default;

void NTupleMerge::append(const NextNTupleInput& next, const std::function<void(std::uint64_t)>& done) {
  jobs_->begin(next);
  run([&] { return jobs_->next(); }, done);
}

MergedNTuple NTupleMerge::finish() {
  run([&] { return jobs_->rest(); }, [](std::uint64_t) {});
  metadata_.finish();
  merged_.num_clusters = metadata_.num_clusters();
  merged_.pages_verified = transfer_.counts().verified;
  merged_.pages_without_checksum = transfer_.counts().without_checksum;
  return merged_;
}

void NTupleMerge::run(const std::function<std::unique_ptr<Job>()>& take,
                      const std::function<void(std::uint64_t)>& done) {
  const auto take_job = [&] {
    std::unique_ptr<Job> job = take();
    if (job && !must_be_rewritten(*job)) {
      job->placed.source = job->parts.front().input->file.get();
      job->placed.method = method_for(*job->placed.source);
    }
    return job;
  };
  const auto work = [&](Job& job) {
    job.placed.source ? make_layout(job) : make_joined(job);
    job.hash = hash_of(job.placed);
  };
  const auto finish = [&](Job& job) {
    note(job);
    done(job.parts.size());
  };
  run_steps(items_for_all_threads(), take_job,
            OrderedSteps{work, [&](Job& job) { place(job); }, [&](Job& job) { transfer_.write(job.placed); },
                         finish});
}

// Several clusters that become one, and those that are compressed otherwise than asked for.
bool NTupleMerge::must_be_rewritten(const Job& job) const {
  if (job.parts.size() > 1 || options_.method == MergeMethod::kRewrite) return true;
  if (!options_.compression) return false;
  const auto wanted = static_cast<std::uint32_t>(options_.compression->root_number());
  return std::any_of(
      job.parts.front().columns.begin(), job.parts.front().columns.end(), [&](const ClusterColumn& column) {
        return column.stored && !column.stored->pages.empty() && column.stored->compression != wanted;
      });
}

MergeMethod NTupleMerge::method_for(const InputFile& source) {
  const MergeMethod wanted = options_.method.value_or(MergeMethod::kClone);
  if (wanted != MergeMethod::kClone || transfer_.can_share(source)) return wanted;
  if (options_.method)
    throw ConfigError("--method clone: the storage cannot share blocks of " + source.path() +
                      " with the output; that needs one file system that can, such as XFS or Btrfs");
  return MergeMethod::kCopy;
}

void NTupleMerge::make_layout(Job& job) {
  const Part& part = job.parts.front();
  const SourceCluster source{part.descriptor(), schema_.columns_of(part.input->schema)};
  job.placed.place = {path_, part.cluster, source.cluster.first_entry};
  const Packing packing = job.placed.method == MergeMethod::kClone ? Packing::kShared : Packing::kDense;
  try {
    job.placed.layout = layout_of(source, part.columns, zeros_, packing);
  } catch (const FormatError& error) {
    throw cluster_error(*part.input->file, job.placed.place, source.cluster.num_entries, error.what());
  }
}

void NTupleMerge::make_joined(Job& job) {
  std::vector<ClusterToJoin> parts;
  for (const Part& part : job.parts) {
    const ClusterDescriptor& cluster = part.descriptor();
    parts.push_back({*part.input->file,
                     {path_, part.cluster, cluster.first_entry},
                     {cluster, schema_.columns_of(part.input->schema)},
                     part.columns});
  }
  const JoinOptions options{pool_, options_.compression, 1024 * 1024, options_.stop};
  JoinedCluster joined = join(schema_, parts, options, transfer_.counts());
  job.placed.layout =
      layout_of(joined.num_entries, joined.columns, std::move(joined.pages), joined.compressions);
  job.placed.method = MergeMethod::kRewrite;
}

void NTupleMerge::place(Job& job) {
  hash_ = mixed(hash_, job.hash);
  transfer_.reserve(job.placed);
  const ClusterLayout& layout = job.placed.layout;
  ClusterDescriptor cluster;
  cluster.first_entry = merged_.num_entries;
  cluster.num_entries = layout.num_entries;
  cluster.columns = layout.columns;
  for (std::size_t column = 0; column < cluster.columns.size(); ++column) {
    ColumnRange& range = cluster.columns[column];
    if (range.is_suppressed) continue;
    range.first_element = elements_before_[first_columns_[column]];
    for (PageInfo& page : range.pages) page.locator.offset = job.placed.offset_of(page.locator.offset);
    merged_.num_pages += range.pages.size();
    elements_before_[first_columns_[column]] += layout.num_elements[column];
  }
  merged_.num_entries += layout.num_entries;
  metadata_.add(std::move(cluster));
}

void NTupleMerge::note(const Job& job) {
  MethodCounts& counts = merged_.methods[job.placed.method];
  ++counts.clusters;
  for (const std::uint64_t size : job.placed.layout.blob_sizes) counts.bytes += size;
  if (job.parts.size() > 1) merged_.num_joined += job.parts.size();
}

}  // namespace skimline::io
