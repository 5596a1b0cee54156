// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/rntuple_sink.h"

#include "cluster_builder.h"
#include "output_schema.h"
#include "rntuple_serialization.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/io/root_file_writer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include <oneapi/tbb/parallel_for.h>
#include <xxhash.h>

namespace skimline::io {
namespace {

constexpr std::size_t kMaxIdleBytes = 64 * 1024 * 1024;
constexpr std::uint64_t kMaxBlobBytes = 1 << 30;
constexpr std::size_t kClustersPerGroup = 4096;
constexpr std::string_view kAnchorClass = "ROOT::RNTuple";

// The stored bytes of a page, checksum included; equal pages share them.
using SealedBytes = std::shared_ptr<const std::vector<std::byte>>;

struct SealedPage {
  std::uint32_t num_elements = 0;
  SealedBytes bytes;

  std::uint64_t checksum() const {
    std::uint64_t value;
    std::memcpy(&value, bytes->data() + bytes->size() - sizeof value, sizeof value);
    return value;
  }
};

// Consecutive bytes of the file, ready to be written.
struct WriteJob {
  ReservedCluster room;
  std::vector<SealedBytes> pages;
};

// The pages that a portion brought to one cluster, and the cluster's end if the portion completed it.
struct ClusterPart {
  std::vector<RawPage> raw_pages;
  std::vector<SealedPage> sealed_pages;  // in the order of raw_pages
  std::unique_ptr<ClusterEnd> end;
};

struct RNTuplePortion : Portion {
  std::size_t num_entries = 0;
  std::vector<ColumnChunk> chunks;  // by column of the schema
  std::vector<ClusterPart> parts;
  std::vector<WriteJob> jobs;
};

RNTuplePortion& as_own(Portion& portion) { return static_cast<RNTuplePortion&>(portion); }

// Throws unless the options can be honoured.
RNTupleSinkOptions checked(RNTupleSinkOptions options) {
  constexpr std::size_t kMaxNameLength = 254;
  constexpr std::uint64_t kMaxPageBytes = 256 * 1024 * 1024;
  if (!is_legal_name(options.ntuple_name) || options.ntuple_name.size() > kMaxNameLength)
    throw SchemaError("\"" + options.ntuple_name + "\" cannot be the name of an RNTuple");
  if (options.page_bytes == 0 || options.page_bytes > kMaxPageBytes)
    throw ConfigError("a page must have from 1 byte to 256 MiB");
  return options;
}

}  // namespace

class RNTupleSink::Implementation {
 public:
  Implementation(const Schema& schema, RNTupleSinkOptions options)
      : options_(checked(std::move(options))),
        schema_(schema, options_.compression.algorithm != CompressionAlgorithm::kNone),
        num_schema_columns_(schema.size()),
        pool_(kMaxIdleBytes),
        builder_(schema, schema_.columns(), options_.cluster_bytes, options_.page_bytes, pool_),
        file_(options_.path, {std::string(kAnchorClass)}),
        sealed_(schema_.columns().size()),
        elements_before_(schema_.columns().size()) {
    RNTupleDescriptor descriptor;
    descriptor.name = options_.ntuple_name;
    descriptor.description = options_.description;
    descriptor.writer = "Skimline v" + std::string(kVersion);
    descriptor.fields = schema_.fields();
    descriptor.columns = schema_.column_descriptors();
    const StoredEnvelope header = make_header(descriptor, options_.compression);
    header_checksum_ = header.checksum;
    header_ = write_envelope(header);
  }

  std::unique_ptr<RNTuplePortion> begin() const {
    auto portion = std::make_unique<RNTuplePortion>();
    const std::lock_guard lock(idle_mutex_);
    if (!idle_chunks_.empty()) {
      portion->chunks = std::move(idle_chunks_.back());
      idle_chunks_.pop_back();
    }
    portion->chunks.resize(num_schema_columns_);
    return portion;
  }

  static void append(RNTuplePortion& portion, std::span<const ColumnView> columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) append_column(portion.chunks[i], columns[i]);
    if (!columns.empty()) portion.num_entries += columns[0].length;
  }

  void stitch(RNTuplePortion& portion) {
    std::size_t first = 0;
    while (first < portion.num_entries) {
      ClusterPart& part = portion.parts.emplace_back();
      const ClusterBuilder::Room room = builder_.room_for(portion.chunks, first, portion.num_entries);
      builder_.append(portion.chunks, first, first + room.num_entries, part.raw_pages);
      if (room.is_filled) part.end = std::make_unique<ClusterEnd>(builder_.finish(part.raw_pages));
      first += room.num_entries;
    }
    recycle(std::move(portion.chunks));
  }

  void seal(RNTuplePortion& portion) const {
    for (ClusterPart& part : portion.parts) {
      const std::vector<std::size_t> originals = find_originals(part.raw_pages);
      part.sealed_pages.resize(part.raw_pages.size());
      oneapi::tbb::parallel_for(std::size_t{0}, originals.size(), [&](std::size_t i) {
        if (originals[i] == i) part.sealed_pages[i] = seal_page(part.raw_pages[i]);
      });
      for (std::size_t i = 0; i < originals.size(); ++i) {
        part.sealed_pages[i] = part.sealed_pages[originals[i]];
        part.raw_pages[i].elements = {};
      }
    }
  }

  void commit(RNTuplePortion& portion) {
    for (ClusterPart& part : portion.parts) {
      for (std::size_t i = 0; i < part.sealed_pages.size(); ++i)
        sealed_[part.raw_pages[i].column].push_back(std::move(part.sealed_pages[i]));
      if (part.end) commit_cluster(*part.end, portion.jobs);
    }
    portion.parts.clear();
  }

  void write(RNTuplePortion& portion) {
    for (WriteJob& job : portion.jobs) {
      std::vector<std::span<const std::byte>> pieces;
      for (const SealedBytes& page : job.pages) pieces.emplace_back(*page);
      file_.write_cluster(job.room, pieces);
    }
    portion.jobs.clear();
  }

  void finish() {
    RNTuplePortion last;
    if (builder_.num_entries() > 0) {
      ClusterPart& part = last.parts.emplace_back();
      part.end = std::make_unique<ClusterEnd>(builder_.finish(part.raw_pages));
      seal(last);
      commit(last);
      write(last);
    }
    std::vector<ClusterGroup> groups;
    for (std::size_t first = 0; first < clusters_.size(); first += kClustersPerGroup)
      groups.push_back(write_group(
          std::span(clusters_).subspan(first, std::min(kClustersPerGroup, clusters_.size() - first))));
    const EnvelopeLink footer = write_envelope(make_footer(groups, header_checksum_, options_.compression));
    file_.add_object({std::string(kAnchorClass), options_.ntuple_name, "", make_anchor(header_, footer)});
    statistics_.file_bytes = file_.commit(page_hash_);
  }

  const WriteStatistics& statistics() const { return statistics_; }

 private:
  static void append_column(ColumnChunk& chunk, const ColumnView& column) {
    const std::size_t size = size_of(column.type.scalar);
    const std::size_t num_before = chunk.values.size() / size;
    const std::byte* values = column.data<std::byte>();
    chunk.values.insert(chunk.values.end(), values, values + column.num_values() * size);
    if (!column.type.is_jagged()) return;
    for (std::size_t entry = 0; entry < column.length; ++entry)
      chunk.ends.push_back(num_before + column.offsets[entry + 1]);
  }

  // Memory of gathered entries goes back to begin().
  void recycle(std::vector<ColumnChunk> chunks) {
    for (ColumnChunk& chunk : chunks) {
      chunk.values.clear();
      chunk.ends.clear();
    }
    const std::lock_guard lock(idle_mutex_);
    idle_chunks_.push_back(std::move(chunks));
  }

  // For every page, the first one with the same elements, itself if there is none: lists that always have
  // equal sizes, such as the columns of one collection, have equal pages of collection ends, which are sealed
  // once.
  std::vector<std::size_t> find_originals(const std::vector<RawPage>& pages) const {
    std::vector<std::size_t> originals(pages.size());
    std::unordered_multimap<std::uint64_t, std::size_t> seen;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      originals[i] = i;
      const std::size_t size = pages[i].num_elements * schema_.columns()[pages[i].column].element_size;
      const std::uint64_t hash = XXH3_64bits(pages[i].elements.get(), size);
      const auto [first, last] = seen.equal_range(hash);
      for (auto candidate = first; candidate != last; ++candidate)
        if (are_equal(pages[candidate->second], pages[i])) originals[i] = candidate->second;
      if (originals[i] == i) seen.emplace(hash, i);
    }
    return originals;
  }

  bool are_equal(const RawPage& a, const RawPage& b) const {
    const PhysicalColumn& column = schema_.columns()[a.column];
    return column.encoding.type == schema_.columns()[b.column].encoding.type &&
           a.num_elements == b.num_elements &&
           std::memcmp(a.elements.get(), b.elements.get(), a.num_elements * column.element_size) == 0;
  }

  // Encodes, compresses and appends the checksum of the stored bytes.
  SealedPage seal_page(const RawPage& page) const {
    thread_local std::vector<std::byte> encoded, stored;
    const PageEncoding& encoding = schema_.columns()[page.column].encoding;
    encoded.resize(encoded_size(encoding, page.num_elements));
    encode_page(encoding, element_type(encoding), page.elements.get(), page.num_elements, encoded.data());
    stored.clear();
    compress_block(encoded, options_.compression, stored);
    const std::uint64_t checksum = XXH3_64bits(stored.data(), stored.size());
    const auto checksum_bytes = std::as_bytes(std::span(&checksum, 1));
    stored.insert(stored.end(), checksum_bytes.begin(), checksum_bytes.end());
    return {static_cast<std::uint32_t>(page.num_elements),
            std::make_shared<const std::vector<std::byte>>(stored)};
  }

  // Lays the pages of a complete cluster out, column after column, and hands them over for writing. Pages
  // with equal bytes are stored once, whichever portions they came in.
  void commit_cluster(const ClusterEnd& end, std::vector<WriteJob>& jobs) {
    ClusterDescriptor& cluster = clusters_.emplace_back();
    cluster.first_entry = statistics_.num_entries;
    cluster.num_entries = end.num_entries;
    std::vector<SealedBytes> stored;
    std::vector<std::size_t> stored_number;  // by page, in the order of the page list
    std::unordered_multimap<std::uint64_t, std::size_t> seen;
    for (std::size_t column = 0; column < sealed_.size(); ++column) {
      ColumnRange& range = cluster.columns.emplace_back();
      range.first_element = elements_before_[column];
      range.compression = static_cast<std::uint32_t>(options_.compression.root_number());
      for (const SealedPage& page : sealed_[column]) {
        range.pages.push_back({page.num_elements, true, {0, page.bytes->size() - sizeof(std::uint64_t)}});
        stored_number.push_back(number_of(page, stored, seen));
      }
      sealed_[column].clear();
      elements_before_[column] += end.num_elements[column];
      statistics_.bytes_in_memory += end.num_elements[column] * schema_.columns()[column].element_size;
    }
    statistics_.num_entries += end.num_entries;
    statistics_.num_clusters += 1;
    statistics_.num_pages += stored_number.size();
    const std::vector<std::uint64_t> offsets = place_pages(std::move(stored), jobs);
    auto number = stored_number.begin();
    for (ColumnRange& range : cluster.columns)
      for (PageInfo& page : range.pages) page.locator.offset = offsets[*number++];
  }

  // Which of the stored pages has the bytes of `page`; adds it if none has.
  std::size_t number_of(const SealedPage& page, std::vector<SealedBytes>& stored,
                        std::unordered_multimap<std::uint64_t, std::size_t>& seen) {
    const std::uint64_t checksum = page.checksum();
    const auto [first, last] = seen.equal_range(checksum);
    for (auto candidate = first; candidate != last; ++candidate)
      if (stored[candidate->second] == page.bytes || *stored[candidate->second] == *page.bytes)
        return candidate->second;
    page_hash_ = XXH3_64bits_withSeed(&checksum, sizeof checksum, page_hash_);
    seen.emplace(checksum, stored.size());
    stored.push_back(page.bytes);
    return stored.size() - 1;
  }

  // Returns the offset of every page. One record for the whole cluster, or several if it is larger than a
  // record may be.
  std::vector<std::uint64_t> place_pages(std::vector<SealedBytes> pages, std::vector<WriteJob>& jobs) {
    std::vector<std::uint64_t> offsets;
    for (std::size_t first = 0; first < pages.size();) {
      std::size_t last = first;
      std::uint64_t size = 0;
      do size += pages[last++]->size();
      while (last < pages.size() && size + pages[last]->size() <= kMaxBlobBytes);

      WriteJob& job = jobs.emplace_back();
      job.room = file_.reserve_cluster(size);
      std::uint64_t offset = job.room.offset;
      for (; first < last; ++first) {
        offsets.push_back(offset);
        offset += pages[first]->size();
        job.pages.push_back(std::move(pages[first]));
      }
    }
    return offsets;
  }

  EnvelopeLink write_envelope(const StoredEnvelope& envelope) {
    const std::uint64_t offset = file_.reserve_blob(envelope.bytes.size());
    file_.write_at(offset, envelope.bytes);
    return {envelope.raw_size, {offset, envelope.bytes.size()}};
  }

  ClusterGroup write_group(std::span<const ClusterDescriptor> clusters) {
    ClusterGroup group;
    group.first_entry = clusters.front().first_entry;
    group.num_entries = clusters.back().first_entry + clusters.back().num_entries - group.first_entry;
    group.num_clusters = static_cast<std::uint32_t>(clusters.size());
    group.page_list = write_envelope(make_page_list(clusters, header_checksum_, options_.compression));
    return group;
  }

  RNTupleSinkOptions options_;
  OutputSchema schema_;
  std::size_t num_schema_columns_;
  mutable BufferPool pool_;
  ClusterBuilder builder_;
  RootFileWriter file_;
  std::vector<std::vector<SealedPage>> sealed_;  // of the cluster to be committed next, by physical column
  std::vector<std::uint64_t> elements_before_;   // in committed clusters, by physical column
  std::vector<ClusterDescriptor> clusters_;
  std::uint64_t header_checksum_ = 0;
  EnvelopeLink header_;
  std::uint64_t page_hash_ = 0;
  WriteStatistics statistics_;
  mutable std::mutex idle_mutex_;
  mutable std::vector<std::vector<ColumnChunk>> idle_chunks_;
};

RNTupleSink::RNTupleSink(const Schema& schema, RNTupleSinkOptions options)
    : implementation_(std::make_unique<Implementation>(schema, std::move(options))) {}
RNTupleSink::~RNTupleSink() = default;

std::unique_ptr<Portion> RNTupleSink::begin() const { return implementation_->begin(); }

void RNTupleSink::append(Portion& portion, std::span<const ColumnView> columns) const {
  Implementation::append(as_own(portion), columns);
}

void RNTupleSink::stitch(Portion& portion) { implementation_->stitch(as_own(portion)); }
void RNTupleSink::seal(Portion& portion) const { implementation_->seal(as_own(portion)); }
void RNTupleSink::commit(Portion& portion) { implementation_->commit(as_own(portion)); }
void RNTupleSink::write(Portion& portion) { implementation_->write(as_own(portion)); }
void RNTupleSink::finish() { implementation_->finish(); }

const WriteStatistics& RNTupleSink::statistics() const { return implementation_->statistics(); }

}  // namespace skimline::io
