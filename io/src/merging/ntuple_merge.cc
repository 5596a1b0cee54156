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
}

void NTupleMerge::append(const NextNTupleInput& next, const std::function<void(std::uint64_t)>& done) {
  jobs_.begin(next);
  run([&] { return jobs_.next(); }, done);
}

MergedNTuple NTupleMerge::finish() {
  run([&] { return jobs_.rest(); }, [](std::uint64_t) {});
  metadata_.finish();
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

void NTupleMerge::note(const ClusterJob& job) {
  MethodCounts& counts = merged_.methods[job.placed.method];
  ++counts.clusters;
  for (const std::uint64_t size : job.placed.layout.blob_sizes) counts.bytes += size;
  if (job.is_rewritten) merged_.num_joined += job.num_begun();
}

}  // namespace skimline::io
