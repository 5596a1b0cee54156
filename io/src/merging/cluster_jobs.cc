// SPDX-License-Identifier: BSD-3-Clause
#include "merging/cluster_jobs.h"

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"
#include "skimline/io/writer_settings.h"

#include <algorithm>
#include <utility>

namespace skimline::io {
namespace {

// An eighth of what skims are written with: reading costs nothing more from there on.
constexpr std::uint64_t kSmallClusterBytes = kRNTupleSizes.cluster_bytes / 8;

// Of the last entry of `part` that is taken.
std::uint64_t end_of(const ClusterPart& part) { return part.first_entry + part.num_entries; }

}  // namespace

std::uint64_t ClusterJob::num_begun() const {
  return static_cast<std::uint64_t>(std::count_if(
      parts.begin(), parts.end(), [](const ClusterPart& part) { return part.begins_cluster(); }));
}

ClusterJobs::ClusterJobs(const std::string& path, const MergeSchema& schema, const MergeOptions& options)
    : path_(path), schema_(schema), options_(options) {
  const bool rewrites = options.method == MergeMethod::kRewrite;
  const bool keeps_clusters = options.method && !rewrites;
  const std::uint64_t usual = rewrites ? kRNTupleSizes.cluster_bytes : kSmallClusterBytes;
  most_bytes_ = options.cluster_bytes.value_or(keeps_clusters ? 0 : usual);
  cuts_all_ = rewrites && most_bytes_ > 0;
}

std::unique_ptr<ClusterJob> ClusterJobs::next() {
  while (auto part = take_part()) {
    const bool continues_run = may_be_cut(*part) && (group_.empty() || are_alike(group_.front(), *part));
    if (std::unique_ptr<ClusterJob> job =
            continues_run ? fill_group(std::move(part)) : end_run(std::move(part)))
      return job;
  }
  return nullptr;
}

std::unique_ptr<ClusterJob> ClusterJobs::rest() { return group_.empty() ? nullptr : take_group(); }

ClusterToJoin ClusterJobs::to_join(const ClusterPart& part) const {
  const ClusterDescriptor& cluster = part.descriptor();
  return {*part.input->file,
          {path_, part.cluster, cluster.first_entry},
          {cluster, schema_.columns_of(part.input->schema)},
          part.columns,
          part.chosen ? &*part.chosen : nullptr};
}

bool ClusterJobs::may_be_cut(const ClusterPart& part) const {
  return cuts_all_ || (most_bytes_ > 0 && part.bytes <= most_bytes_);
}

bool ClusterJobs::are_alike(const ClusterPart& first, const ClusterPart& second) const {
  return have_equal_encodings(first.columns, second.columns) &&
         (options_.compression || have_alike_compressions(first.compressions, second.compressions));
}

std::unique_ptr<ClusterPart> ClusterJobs::take_part() {
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
  auto part = std::make_unique<ClusterPart>();
  part->input = input_;
  part->cluster = cluster_++;
  part->num_entries = part->descriptor().num_entries;
  find_columns(*part);
  return part;
}

void ClusterJobs::find_columns(ClusterPart& part) const {
  const SourceCluster source{part.descriptor(), schema_.columns_of(part.input->schema)};
  try {
    part.columns = columns_of_cluster(schema_, source);
  } catch (const FormatError& error) {
    throw cluster_error(*part.input->file, {path_, part.cluster, source.cluster.first_entry},
                        source.cluster.num_entries, error.what());
  } catch (const SchemaError& error) {
    throw SchemaError(part.input->file->path() + ": RNTuple \"" + path_ + "\": " + error.what());
  }
  part.compressions = compressions_of(part.columns);
  part.bytes = bytes_in_memory(schema_, part.columns);
}

// Returns what must come before the part, which then comes next, or else the part.
std::unique_ptr<ClusterJob> ClusterJobs::end_run(std::unique_ptr<ClusterPart> next) {
  std::unique_ptr<ClusterJob> job;
  if (!group_.empty()) {
    job = take_group();
    held_ = std::move(next);
  } else {
    job = std::make_unique<ClusterJob>();
    job->parts.push_back(std::move(*next));
  }
  has_several_ = false;
  return job;
}

// Returns the group once it is full.
std::unique_ptr<ClusterJob> ClusterJobs::fill_group(std::unique_ptr<ClusterPart> part) {
  if (!group_.empty()) has_several_ = true;
  const std::uint64_t fitting = entries_that_fit(*part);
  if (fitting < part->num_entries) {
    held_ = std::move(part);
    part = fitting > 0 ? cut(*held_, fitting) : nullptr;
  }
  if (part) {
    group_bytes_ += part->bytes;
    group_.push_back(std::move(*part));
  }
  return held_ ? take_group() : nullptr;
}

// A single entry that is larger than all bounds is a cluster.
std::uint64_t ClusterJobs::entries_that_fit(ClusterPart& part) const {
  if (group_bytes_ + part.bytes <= most_bytes_) return part.num_entries;
  if (!part.cuts) part.cuts = std::make_shared<const ClusterCuts>(schema_, to_join(part));
  const std::uint64_t before = part.cuts->bytes_before(part.first_entry);
  std::uint64_t fitting = group_.empty() ? 1 : 0, too_many = part.num_entries + 1;
  while (too_many - fitting > 1) {
    const std::uint64_t tried = fitting + (too_many - fitting) / 2;
    const std::uint64_t bytes = part.cuts->bytes_before(part.first_entry + tried) - before;
    (group_bytes_ + bytes <= most_bytes_ ? fitting : too_many) = tried;
  }
  return fitting;
}

// Returns the first entries, and leaves the others.
std::unique_ptr<ClusterPart> ClusterJobs::cut(ClusterPart& part, std::uint64_t num_entries) const {
  auto taken = std::make_unique<ClusterPart>(part);
  taken->num_entries = num_entries;
  part.first_entry += num_entries;
  part.num_entries -= num_entries;
  for (ClusterPart* each : {taken.get(), &part}) {
    each->chosen = part.cuts->entries(each->first_entry, end_of(*each));
    each->bytes = part.cuts->bytes_before(end_of(*each)) - part.cuts->bytes_before(each->first_entry);
  }
  return taken;
}

std::unique_ptr<ClusterJob> ClusterJobs::take_group() {
  auto job = std::make_unique<ClusterJob>();
  job->parts = std::move(group_);
  job->is_rewritten = has_several_ || job->parts.size() > 1 || job->parts.front().chosen.has_value();
  group_.clear();
  group_bytes_ = 0;
  return job;
}

}  // namespace skimline::io
