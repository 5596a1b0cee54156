// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_sink.h"

#include "compression/compression_choice.h"
#include "rntuple/carried_fields.h"
#include "rntuple/cluster_builder.h"
#include "rntuple/column_compressions.h"
#include "rntuple/computed_columns.h"
#include "rntuple/output_schema.h"
#include "rntuple/rntuple_output.h"
#include "rntuple/slice_gatherer.h"
#include "root/file_cuts.h"
#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

// The pages that a portion brought to one cluster, and the cluster's end if the portion completed it.
struct ClusterPart {
  std::vector<RawPage> raw_pages;
  std::vector<SealedPage> sealed_pages;  // in the order of raw_pages
  std::unique_ptr<ClusterEnd> end;
  bool is_last_of_file = false;
  std::uint64_t num_pages_copied = 0;
};

// The elements of a page that lie together, and their hash.
struct OwnPage {
  const std::byte* elements = nullptr;
  std::size_t size = 0;
  std::uint64_t hash = 0;
};

// What is to be written, and by which of the outputs.
struct OutputJob {
  RNTupleOutput* output = nullptr;
  WriteJob job;
};

struct RNTuplePortion : Portion {
  std::optional<GatheredEntries> entries;  // until they have been stitched
  std::vector<ElementRange> survivors;     // counted from the start of the slice
  std::vector<ClusterPart> parts;
  std::vector<OutputJob> jobs;
};

RNTuplePortion& as_own(Portion& portion) { return static_cast<RNTuplePortion&>(portion); }

// Notes survivors as runs of entries that follow each other.
void append_runs(std::vector<ElementRange>& runs, const Survivors& survivors) {
  const auto append = [&](std::uint64_t begin, std::uint64_t end) {
    if (!runs.empty() && runs.back().end == begin)
      runs.back().end = end;
    else
      runs.push_back({begin, end});
  };
  if (survivors.count == survivors.range.count) return append(survivors.range.first, survivors.range.end());
  for (std::size_t i = 0; i < survivors.count; ++i) {
    const std::uint64_t entry = survivors.range.first + survivors.positions[i];
    append(entry, entry + 1);
  }
}

}  // namespace

class RNTupleSink::Implementation {
 public:
  // Without `file` the sink makes one of its own.
  Implementation(RootFileWriter* file, const Schema& computed, std::shared_ptr<const CarriedFields> carried,
                 RNTupleSinkOptions options)
      : options_(checked(std::move(options))),
        carried_(std::move(carried)),
        num_carried_columns_(carried_ ? carried_->columns().size() : 0),
        pool_(options_.max_idle_bytes),
        own_file_(file ? nullptr : make_file(options_.path)),
        schema_(make_schema(computed)),
        builder_(schema_, options_.settings.sizes(kRNTupleSizes), pool_),
        compressions_(schema_, options_.settings.compression),
        cuts_(options_.split.max_entries, options_.split.max_bytes),
        sealed_(schema_.columns().size()) {
    add_output(file ? *file : *own_file_);
  }

  std::unique_ptr<RNTuplePortion> begin() const {
    auto portion = std::make_unique<RNTuplePortion>();
    portion->entries.emplace(memory_);
    return portion;
  }

  void append(RNTuplePortion& portion, const Survivors& survivors,
              std::span<const ColumnView> columns) const {
    GatheredEntries& entries = *portion.entries;
    computed_->append(columns, entries);
    if (carried_) append_runs(portion.survivors, survivors);
    entries.num_entries += survivors.count;
  }

  void gather(RNTuplePortion& portion, SliceReader& reader) const {
    GatheredEntries& entries = *portion.entries;
    if (carried_) {
      StoredSlice* stored = reader.stored();
      if (stored == nullptr) throw InternalError("carried fields are of another source");
      SliceGatherer(*stored, *carried_, options_.settings.compression, entries).gather(portion.survivors);
      portion.survivors = {};
    }
    entries.levels[0].count = entries.num_entries;
    for (std::size_t i = num_carried_columns_; i < entries.columns.size(); ++i) {
      const OutputColumn& column = schema_.columns()[i];
      GatheredLevel& level = entries.levels[column.level];
      level.bytes += level.count * column.element_size;
    }
  }

  void stitch(RNTuplePortion& portion) {
    std::uint64_t first = 0;
    while (first < portion.entries->num_entries) {
      ClusterPart& part = portion.parts.emplace_back();
      const ClusterBuilder::Room room = builder_.room_for(*portion.entries, first);
      const std::uint64_t count = std::min<std::uint64_t>(room.num_entries, cuts_.room());
      builder_.append(*portion.entries, first, first + count, part.raw_pages);
      part.is_last_of_file = cuts_.add_entries(count);
      if (part.is_last_of_file || (room.is_filled && count == room.num_entries))
        part.end = std::make_unique<ClusterEnd>(builder_.finish(part.raw_pages));
      for (const RawPage& page : part.raw_pages) compressions_.note(page);
      first += count;
    }
  }

  void seal(RNTuplePortion& portion) const {
    portion.entries.reset();  // here, as no other slice waits for this stage
    for (ClusterPart& part : portion.parts) {
      const std::vector<std::size_t> originals = find_originals(part);
      part.sealed_pages.resize(part.raw_pages.size());
      for (const RawPage& page : part.raw_pages)
        part.num_pages_copied += stays_stored(page, compressions_.of(page.column)) ? 1 : 0;
      for_each(part.raw_pages.size(), [&](std::size_t i) {
        const std::size_t column = part.raw_pages[i].column;
        if (originals[i] == i)
          part.sealed_pages[i] =
              seal_page(schema_.columns()[column], part.raw_pages[i], compressions_.of(column), pool_);
      });
      for (std::size_t i = 0; i < originals.size(); ++i) {
        part.sealed_pages[i] = part.sealed_pages[originals[i]];
        part.raw_pages[i].copied = {};
        part.raw_pages[i].parts.clear();
      }
    }
  }

  void commit(RNTuplePortion& portion) {
    for (ClusterPart& part : portion.parts) {
      statistics_.num_pages_copied += part.num_pages_copied;
      for (std::size_t i = 0; i < part.sealed_pages.size(); ++i)
        sealed_[part.raw_pages[i].column].push_back(std::move(part.sealed_pages[i]));
      if (!part.end) continue;
      for (std::size_t column = 0; column < sealed_.size(); ++column)
        statistics_.bytes_in_memory +=
            part.end->num_elements[column] * schema_.columns()[column].element_size;
      std::vector<CompressionSetting> compressions = compressions_of_cluster();
      SealedCluster cluster{std::move(*part.end), std::move(sealed_), std::move(compressions)};
      if (cuts_.begins_file(cluster.num_bytes(), part.is_last_of_file))
        add_output(options_.split.next_file());
      commit(std::move(cluster), portion.jobs);
      sealed_.clear();
      sealed_.resize(schema_.columns().size());
    }
    portion.parts.clear();
  }

  void write(RNTuplePortion& portion) {
    for (const OutputJob& each : portion.jobs) each.output->write(each.job);
    portion.jobs.clear();
  }

  void finish() {
    RNTuplePortion last;
    if (builder_.num_entries() > 0) {
      ClusterPart& part = last.parts.emplace_back();
      part.end = std::make_unique<ClusterEnd>(builder_.finish(part.raw_pages));
      for (const RawPage& page : part.raw_pages) compressions_.note(page);
      seal(last);
      commit(last);
      write(last);
    }
    options_.stop.throw_if_set();
    for (const std::unique_ptr<RNTupleOutput>& output : outputs_) {
      files_.push_back({output->num_entries(), output->finish()});
      statistics_.num_entries += output->num_entries();
      statistics_.num_clusters += output->num_clusters();
      statistics_.num_pages += output->num_pages();
    }
    statistics_.compressions = compressions_.num_chosen();
    if (own_file_) statistics_.file_bytes = own_file_->commit(files_.front().content_hash);
  }

  const std::vector<FileContent>& files() const { return files_; }

  const WriteStatistics& statistics() const { return statistics_; }

 private:
  static std::unique_ptr<RootFileWriter> make_file(const std::string& path) {
    return std::make_unique<RootFileWriter>(path, std::vector<std::string>{"ROOT::RNTuple"});
  }

  // Of those columns of the cluster to be committed that have pages; of others it does not matter.
  std::vector<CompressionSetting> compressions_of_cluster() const {
    std::vector<CompressionSetting> compressions(sealed_.size());
    for (std::size_t column = 0; column < sealed_.size(); ++column)
      if (options_.settings.compression || !sealed_[column].empty())
        compressions[column] = compressions_.of(column);
    return compressions;
  }

  OutputSchema make_schema(const Schema& computed) {
    OutputSchema schema;
    if (carried_) carried_->add_to(schema);
    computed_ = std::make_unique<ComputedColumns>(computed, options_.collections,
                                                  may_compress(options_.settings.compression), schema);
    return schema;
  }

  void add_output(RootFileWriter& file) {
    RNTupleOutputOptions output;
    output.ntuple_name = options_.ntuple_name;
    output.description = options_.description;
    output.metadata_compression = options_.settings.compression.value_or(CompressionSetting{});
    if (carried_) output.extra_type_info = carried_->extra_type_info();
    outputs_.push_back(std::make_unique<RNTupleOutput>(file, schema_, std::move(output)));
  }

  void commit(SealedCluster&& cluster, std::vector<OutputJob>& jobs) {
    RNTupleOutput& output = *outputs_.back();
    std::vector<WriteJob> of_cluster;
    output.commit(std::move(cluster), of_cluster);
    for (WriteJob& job : of_cluster) jobs.push_back({&output, std::move(job)});
  }

  template <typename Work>
  void for_each(std::size_t num_pages, Work work) const {
    oneapi::tbb::parallel_for(std::size_t{0}, num_pages, [&](std::size_t i) {
      options_.stop.throw_if_set();
      work(i);
    });
  }

  // For every page, the first one with the same elements, itself if there is none: lists that always have
  // equal sizes, such as the columns of one collection, have equal pages of collection ends, which are sealed
  // once.
  std::vector<std::size_t> find_originals(ClusterPart& part) const {
    std::vector<std::size_t> originals(part.raw_pages.size());
    std::iota(originals.begin(), originals.end(), std::size_t{0});
    find_equal_contents(part, find_equal_parts(part, originals), originals);
    for (std::size_t& original : originals) original = originals[original];
    return originals;
  }

  // Sets the originals of pages that are made of the same memory. Returns those whose contents have to be
  // compared: most pages differ in a sample of their elements, and need not be put together before they are
  // sealed.
  std::vector<std::size_t> find_equal_parts(const ClusterPart& part,
                                            std::vector<std::size_t>& originals) const {
    std::unordered_multimap<std::uint64_t, std::size_t> by_parts;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_sample;
    for (std::size_t i = 0; i < part.raw_pages.size(); ++i) {
      const RawPage& page = part.raw_pages[i];
      if (!page.is_own()) continue;
      if (const std::optional<std::uint64_t> hash = hash_of_parts(page)) {
        const auto [first, last] = by_parts.equal_range(*hash);
        const auto same = std::find_if(first, last, [&](const auto& candidate) {
          const RawPage& other = part.raw_pages[candidate.second];
          return are_stored_alike(other, page) && have_same_parts(other, page);
        });
        if (same != last) {
          originals[i] = same->second;
          continue;
        }
        by_parts.emplace(*hash, i);
      }
      by_sample[hash_of_sample(schema_.columns()[page.column], page)].push_back(i);
    }
    std::vector<std::size_t> to_compare;
    for (const auto& [hash, pages] : by_sample)
      if (pages.size() > 1) to_compare.insert(to_compare.end(), pages.begin(), pages.end());
    std::sort(to_compare.begin(), to_compare.end());
    return to_compare;
  }

  // Sets the originals of some pages by their elements.
  void find_equal_contents(ClusterPart& part, const std::vector<std::size_t>& pages,
                           std::vector<std::size_t>& originals) const {
    std::vector<OwnPage> own(pages.size());
    for_each(pages.size(), [&](std::size_t i) {
      RawPage& page = part.raw_pages[pages[i]];
      const OutputColumn& column = schema_.columns()[page.column];
      own[i] = {assemble(column, page, pool_), page.num_elements * column.element_size, 0};
      own[i].hash = xxh3_64({own[i].elements, own[i].size});
    });
    std::unordered_multimap<std::uint64_t, std::size_t> seen;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const auto [first, last] = seen.equal_range(own[i].hash);
      const auto equal = std::find_if(first, last, [&](const auto& candidate) {
        const std::size_t other = candidate.second;
        return are_stored_alike(part.raw_pages[pages[other]], part.raw_pages[pages[i]]) &&
               own[other].size == own[i].size &&
               std::memcmp(own[other].elements, own[i].elements, own[i].size) == 0;
      });
      if (equal == last)
        seen.emplace(own[i].hash, i);
      else
        originals[pages[i]] = pages[equal->second];
    }
  }

  // Whether equal elements of two pages make equal stored pages.
  bool are_stored_alike(const RawPage& a, const RawPage& b) const {
    const PageEncoding& first = schema_.columns()[a.column].encoding;
    const PageEncoding& second = schema_.columns()[b.column].encoding;
    return compressions_.of(a.column) == compressions_.of(b.column) && first.type == second.type &&
           first.bits == second.bits && a.num_elements == b.num_elements;
  }

  RNTupleSinkOptions options_;
  std::shared_ptr<const CarriedFields> carried_;
  std::size_t num_carried_columns_;
  mutable BufferPool pool_;
  std::unique_ptr<RootFileWriter> own_file_;
  std::unique_ptr<const ComputedColumns> computed_;
  OutputSchema schema_;
  std::vector<std::unique_ptr<RNTupleOutput>> outputs_;  // by file
  ClusterBuilder builder_;
  ColumnCompressions compressions_;
  FileCuts cuts_;
  std::vector<std::vector<SealedPage>> sealed_;  // of the cluster to be committed next, by physical column
  WriteStatistics statistics_;
  std::vector<FileContent> files_;
  GatheredMemory memory_{schema_.levels().size(), schema_.columns().size(), options_.max_idle_bytes};
};

RNTupleSink::RNTupleSink(const Schema& schema, RNTupleSinkOptions options)
    : RNTupleSink(nullptr, schema, std::move(options)) {}
RNTupleSink::RNTupleSink(std::shared_ptr<const CarriedFields> carried, const Schema& computed,
                         RNTupleSinkOptions options)
    : implementation_(
          std::make_unique<Implementation>(nullptr, computed, std::move(carried), std::move(options))) {}
RNTupleSink::RNTupleSink(RootFileWriter& file, std::shared_ptr<const CarriedFields> carried,
                         const Schema& computed, RNTupleSinkOptions options)
    : implementation_(
          std::make_unique<Implementation>(&file, computed, std::move(carried), std::move(options))) {}
RNTupleSink::~RNTupleSink() = default;

std::unique_ptr<Portion> RNTupleSink::begin() const { return implementation_->begin(); }

void RNTupleSink::append(Portion& portion, const Survivors& survivors,
                         std::span<const ColumnView> columns) const {
  implementation_->append(as_own(portion), survivors, columns);
}

void RNTupleSink::gather(Portion& portion, SliceReader& reader) const {
  implementation_->gather(as_own(portion), reader);
}

void RNTupleSink::stitch(Portion& portion) { implementation_->stitch(as_own(portion)); }
void RNTupleSink::seal(Portion& portion) const { implementation_->seal(as_own(portion)); }
void RNTupleSink::commit(Portion& portion) { implementation_->commit(as_own(portion)); }
void RNTupleSink::write(Portion& portion) { implementation_->write(as_own(portion)); }
void RNTupleSink::finish() { implementation_->finish(); }

const WriteStatistics& RNTupleSink::statistics() const { return implementation_->statistics(); }
std::uint64_t RNTupleSink::content_hash() const { return files().front().content_hash; }
const std::vector<FileContent>& RNTupleSink::files() const { return implementation_->files(); }

}  // namespace skimline::io
