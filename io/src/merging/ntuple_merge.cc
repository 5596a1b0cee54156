// SPDX-License-Identifier: BSD-3-Clause
#include "merging/ntuple_merge.h"

#include "rntuple/column_elements.h"
#include "rntuple/stored_page.h"
#include "storage/ordered_pipeline.h"
#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// So many of the largest and of the smallest pages of a cluster tell it from others. Those of constants,
// which may be all that differs, are small.
constexpr std::size_t kHashedPages = 32;

constexpr CompressionSetting kMetadataCompression{};

// What pages as they are stored end with: their checksums, or so many bytes if they have none.
constexpr std::uint64_t kUncheckedEnd = 1024;

std::uint64_t end_size(const PageInfo& page) {
  return std::min(page.has_checksum ? sizeof(std::uint64_t) : kUncheckedEnd, stored_size(page));
}

class PageEnds {
 public:
  PageEnds(const PlacedCluster& cluster, const std::vector<const PageInfo*>& pages) : cluster_(cluster) {
    std::uint64_t size = 0;
    for (const PageInfo* page : pages) size += end_size(*page);
    bytes_.resize(size);
    std::span<std::byte> rest = bytes_;
    for (const PageInfo* page : pages) {
      fill(*page, rest.first(end_size(*page)));
      rest = rest.subspan(end_size(*page));
    }
    if (!reads_.empty()) cluster_.source->read(reads_);
  }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void fill(const PageInfo& page, std::span<std::byte> end) {
    if (end.empty()) return;
    const std::uint64_t place = page.locator.offset + stored_size(page) - end.size();
    for (const SourceExtent& extent : cluster_.layout.extents)
      if (place >= extent.place && place < extent.place + extent.size) {
        reads_.push_back({extent.begin + (place - extent.place), end});
        return;
      }
    for (const MadePage& made : cluster_.layout.made)
      if (made.place == page.locator.offset) {
        const auto stored = made.bytes.bytes();
        std::copy(stored.end() - static_cast<std::ptrdiff_t>(end.size()), stored.end(), end.begin());
        return;
      }
    throw InternalError("a page is in no extent");
  }

  const PlacedCluster& cluster_;
  std::vector<std::byte> bytes_;
  std::vector<RangeRead> reads_;
};

// Its pages by size, but for those in the middle if there are many.
std::vector<const PageInfo*> pages_to_hash(const ClusterLayout& layout) {
  std::vector<const PageInfo*> pages;
  for (const ColumnRange& range : layout.columns)
    for (const PageInfo& page : range.pages) pages.push_back(&page);
  std::stable_sort(pages.begin(), pages.end(),
                   [](const PageInfo* a, const PageInfo* b) { return a->locator.size > b->locator.size; });
  if (pages.size() > 2 * kHashedPages) pages.erase(pages.begin() + kHashedPages, pages.end() - kHashedPages);
  return pages;
}

// What tells a cluster from others, by whatever method it gets into the output.
std::uint64_t hash_of(const PlacedCluster& cluster) {
  return xxh3_64(PageEnds(cluster, pages_to_hash(cluster.layout)).bytes());
}

}  // namespace

NTupleMerge::NTupleMerge(RootFileWriter& file, std::string path, MergeSchema schema,
                         const MergeOptions& options)
    : path_(std::move(path)),
      schema_(std::move(schema)),
      options_(options),
      pool_(0),
      zeros_(schema_, options.compression.value_or(CompressionSetting{}), pool_),
      transfer_(file, options.verifies, options.requires_checksums),
      metadata_(file, schema_.descriptor(), path_, kMetadataCompression),
      jobs_(path_, schema_, options),
      first_columns_(first_representations(schema_.descriptor())),
      elements_before_(schema_.num_columns()) {
  merged_.path = path_;
  merged_.left_out = schema_.left_out();
  merged_.other_bits = schema_.other_bits();
}

void NTupleMerge::append(const NextNTupleInput& next, const std::function<void(std::uint64_t)>& done) {
  jobs_.begin(next);
  run([&] { return jobs_.next(); }, done);
}

MergedNTuple NTupleMerge::finish() {
  run([&] { return jobs_.rest(); }, [](std::uint64_t) {});
  metadata_.finish();
  hash_ = hash_with(hash_, metadata_.content_hash());
  merged_.num_clusters = metadata_.num_clusters();
  merged_.pages_verified = transfer_.counts().verified;
  merged_.pages_without_checksum = transfer_.counts().without_checksum;
  return merged_;
}

void NTupleMerge::run(const std::function<std::unique_ptr<ClusterJob>()>& take,
                      const std::function<void(std::uint64_t)>& done) {
  const auto take_job = [&] {
    std::unique_ptr<ClusterJob> job = take();
    if (job && !must_be_rewritten(*job)) {
      job->placed.source = job->parts.front().input->file.get();
      job->placed.method = method_for(*job->placed.source);
    }
    return job;
  };
  const auto work = [&](ClusterJob& job) {
    job.placed.source ? make_layout(job) : make_joined(job);
    job.hash = hash_of(job.placed);
  };
  const auto finish = [&](ClusterJob& job) {
    note(job);
    done(job.num_begun());
  };
  run_steps(items_for_all_threads(), take_job,
            OrderedSteps{work, [&](ClusterJob& job) { place(job); },
                         [&](ClusterJob& job) { transfer_.write(job.placed); }, finish});
}

// Those that are cut anew, and those that are compressed otherwise than asked for.
bool NTupleMerge::must_be_rewritten(const ClusterJob& job) const {
  if (job.is_rewritten || options_.method == MergeMethod::kRewrite) return true;
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

void NTupleMerge::make_layout(ClusterJob& job) {
  const ClusterPart& part = job.parts.front();
  const SourceCluster source{part.descriptor(), schema_.columns_of(part.input->schema)};
  job.placed.place = {path_, part.cluster, source.cluster.first_entry};
  const Packing packing = job.placed.method == MergeMethod::kClone ? Packing::kShared : Packing::kDense;
  try {
    job.placed.layout = layout_of(source, part.columns, zeros_, packing);
  } catch (const FormatError& error) {
    throw cluster_error(*part.input->file, job.placed.place, source.cluster.num_entries, error.what());
  }
}

void NTupleMerge::make_joined(ClusterJob& job) {
  std::vector<ClusterToJoin> parts;
  for (const ClusterPart& part : job.parts) parts.push_back(jobs_.to_join(part));
  const JoinOptions options{pool_, options_.compression, 1024 * 1024, options_.stop};
  JoinedCluster joined = join(schema_, parts, options, transfer_.counts());
  job.placed.layout =
      layout_of(joined.num_entries, joined.columns, std::move(joined.pages), joined.compressions);
  job.placed.method = MergeMethod::kRewrite;
}

void NTupleMerge::place(ClusterJob& job) {
  hash_ = hash_with(hash_, job.hash);
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

void NTupleMerge::note(const ClusterJob& job) {
  MethodCounts& counts = merged_.methods[job.placed.method];
  ++counts.clusters;
  for (const std::uint64_t size : job.placed.layout.blob_sizes) counts.bytes += size;
  if (job.is_rewritten) merged_.num_joined += job.num_begun();
}

}  // namespace skimline::io
