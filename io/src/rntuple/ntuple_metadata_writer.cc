// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/ntuple_metadata_writer.h"

#include "rntuple/envelope.h"
#include "storage/xxh3.h"

#include "skimline/framework/version.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace skimline::io {
namespace {

// A group is complete when it has so many clusters, or so many pages and column ranges.
constexpr std::size_t kClustersPerGroup = 4096;
constexpr std::uint64_t kPagesPerGroup = 1 << 20;

std::uint64_t with_pages(std::uint64_t hash, const ClusterDescriptor& cluster) {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  for (const ColumnRange& range : cluster.columns)
    for (const PageInfo& page : range.pages) begin = std::min(begin, page.locator.offset);
  std::vector<std::uint64_t> facts{cluster.num_entries};
  for (const ColumnRange& range : cluster.columns) {
    facts.insert(facts.end(), {range.is_suppressed, range.pages.size()});
    for (const PageInfo& page : range.pages)
      facts.insert(facts.end(), {page.num_elements, page.locator.offset - begin, page.locator.size});
  }
  return xxh3_64(std::as_bytes(std::span(facts)), hash);
}

}  // namespace

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

NTupleMetadataWriter::NTupleMetadataWriter(RootFileWriter& file, RNTupleDescriptor schema, std::string path,
                                           CompressionSetting compression)
    : file_(file), path_(std::move(path)), compression_(compression) {
  schema.name = last_part(path_);
  content_hash_ = make_header(schema, CompressionSetting{}).checksum;
  schema.writer = "Skimline v" + std::string(kVersion);
  const StoredEnvelope header = make_header(schema, compression_);
  header_checksum_ = header.checksum;
  header_ = write_envelope(header);
}

void NTupleMetadataWriter::add(ClusterDescriptor cluster) {
  for (const ColumnRange& range : cluster.columns) num_pages_ += 1 + range.pages.size();
  content_hash_ = with_pages(content_hash_, cluster);
  clusters_.push_back(std::move(cluster));
  ++num_clusters_;
  if (clusters_.size() == kClustersPerGroup || num_pages_ >= kPagesPerGroup) write_group();
}

void NTupleMetadataWriter::finish() {
  if (!clusters_.empty()) write_group();
  const EnvelopeLink footer = write_envelope(make_footer(groups_, header_checksum_, compression_));
  file_.add_object({std::string(kAnchorClass), path_, "", make_anchor(header_, footer)});
}

EnvelopeLink NTupleMetadataWriter::write_envelope(const StoredEnvelope& envelope) {
  const std::uint64_t offset = file_.reserve_blob(envelope.bytes.size());
  file_.write_at(offset, envelope.bytes);
  return {envelope.raw_size, {offset, envelope.bytes.size()}};
}

void NTupleMetadataWriter::write_group() {
  ClusterGroup& group = groups_.emplace_back();
  group.first_entry = clusters_.front().first_entry;
  group.num_entries = clusters_.back().first_entry + clusters_.back().num_entries - group.first_entry;
  group.num_clusters = static_cast<std::uint32_t>(clusters_.size());
  group.page_list = write_envelope(make_page_list(clusters_, header_checksum_, compression_));
  clusters_.clear();
  num_pages_ = 0;
}

}  // namespace skimline::io
