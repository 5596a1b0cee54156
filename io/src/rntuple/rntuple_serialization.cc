// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/rntuple_serialization.h"

#include "root/object_streaming.h"
#include "storage/byte_writer.h"
#include "storage/xxh3.h"

#include <limits>

namespace skimline::io {
namespace {

// The format written: that of ROOT 6.40.00.
constexpr std::uint16_t kVersion[4] = {1, 0, 2, 0};
constexpr std::uint64_t kMaxKeySize = 1 << 30;

constexpr std::uint16_t kFieldRepetitive = 0x01, kFieldProjected = 0x02, kFieldHasChecksum = 0x04,
                        kFieldSoa = 0x08;
constexpr std::uint16_t kColumnDeferred = 0x01, kColumnHasRange = 0x02;

// Writes a frame around what `content` writes; list frames have a number of items.
template <typename Content>
void record_frame(ByteWriter& out, Content content) {
  const std::size_t start = out.size();
  out.little<std::int64_t>(0);
  content();
  out.set_little<std::int64_t>(start, static_cast<std::int64_t>(out.size() - start));
}

template <typename Content>
void list_frame(ByteWriter& out, std::size_t num_items, Content content) {
  const std::size_t start = out.size();
  out.little<std::int64_t>(0);
  out.little<std::uint32_t>(static_cast<std::uint32_t>(num_items));
  content();
  out.set_little<std::int64_t>(start, -static_cast<std::int64_t>(out.size() - start));
}

template <typename Items, typename WriteItem>
void list_of_records(ByteWriter& out, const Items& items, WriteItem write_item) {
  list_frame(out, items.size(), [&] {
    for (const auto& item : items) record_frame(out, [&] { write_item(item); });
  });
}

void empty_list(ByteWriter& out) {
  list_frame(out, 0, [] {});
}

// Starts with the type; the length is filled in by seal().
ByteWriter start_envelope(EnvelopeType type) {
  ByteWriter out;
  out.little<std::uint64_t>(static_cast<std::uint64_t>(type));
  return out;
}

StoredEnvelope seal(ByteWriter out, EnvelopeType type, CompressionSetting compression) {
  const std::uint64_t size = out.size() + sizeof(std::uint64_t);
  out.set_little<std::uint64_t>(0, static_cast<std::uint64_t>(type) | size << 16);
  StoredEnvelope envelope;
  envelope.checksum = xxh3_64(out.bytes());
  out.little<std::uint64_t>(envelope.checksum);
  envelope.raw_size = out.size();
  compress_block(out.bytes(), compression, envelope.bytes, BlockChecksum::kElsewhere);
  return envelope;
}

void write_locator(ByteWriter& out, const Locator& locator) {
  constexpr std::uint64_t kMaxStandardSize = (std::uint64_t{1} << 31) - 1;
  if (locator.size <= kMaxStandardSize) {
    out.little<std::int32_t>(static_cast<std::int32_t>(locator.size));
  } else {
    out.little<std::int32_t>(-(20 | 1 << 24));
    out.little<std::uint64_t>(locator.size);
  }
  out.little<std::uint64_t>(locator.offset);
}

void write_field(ByteWriter& out, const FieldDescriptor& field) {
  const std::uint16_t flags = static_cast<std::uint16_t>(
      (field.repetition ? kFieldRepetitive : 0) | (field.source_field ? kFieldProjected : 0) |
      (field.type_checksum ? kFieldHasChecksum : 0) | (field.is_soa ? kFieldSoa : 0));
  out.little<std::uint32_t>(field.field_version);
  out.little<std::uint32_t>(field.type_version);
  out.little<std::uint32_t>(field.parent);
  out.little<std::uint16_t>(static_cast<std::uint16_t>(field.role));
  out.little<std::uint16_t>(flags);
  out.envelope_string(field.name);
  out.envelope_string(field.type_name);
  out.envelope_string(field.type_alias);
  out.envelope_string(field.description);
  if (field.repetition) out.little<std::uint64_t>(*field.repetition);
  if (field.source_field) out.little<std::uint32_t>(*field.source_field);
  if (field.type_checksum) out.little<std::uint32_t>(*field.type_checksum);
}

void write_column(ByteWriter& out, const ColumnDescriptor& column) {
  const bool has_range = column.type == ColumnType::kReal32Quant;
  out.little<std::uint16_t>(static_cast<std::uint16_t>(column.type));
  out.little<std::uint16_t>(column.bits_on_storage);
  out.little<std::uint32_t>(column.field);
  out.little<std::uint16_t>(static_cast<std::uint16_t>((column.is_deferred ? kColumnDeferred : 0) |
                                                       (has_range ? kColumnHasRange : 0)));
  out.little<std::uint16_t>(column.representation);
  if (column.is_deferred) out.little<std::int64_t>(static_cast<std::int64_t>(column.first_element));
  if (has_range) {
    out.little<double>(column.value_min);
    out.little<double>(column.value_max);
  }
}

void write_pages(ByteWriter& out, const ColumnRange& range) {
  list_frame(out, range.pages.size(), [&] {
    for (const PageInfo& page : range.pages) {
      const auto count = static_cast<std::int32_t>(page.num_elements);
      out.little<std::int32_t>(page.has_checksum ? -count : count);
      write_locator(out, page.locator);
    }
    if (range.is_suppressed) return out.little<std::int64_t>(std::numeric_limits<std::int64_t>::min());
    out.little<std::int64_t>(static_cast<std::int64_t>(range.first_element));
    out.little<std::uint32_t>(range.compression);
  });
}

void write_link(ByteWriter& out, const EnvelopeLink& link) {
  out.little<std::uint64_t>(link.raw_size);
  write_locator(out, link.locator);
}

}  // namespace

StoredEnvelope make_header(const RNTupleDescriptor& descriptor, CompressionSetting compression) {
  ByteWriter out = start_envelope(EnvelopeType::kHeader);
  out.little<std::uint64_t>(0);  // feature flags
  out.envelope_string(descriptor.name);
  out.envelope_string(descriptor.description);
  out.envelope_string(descriptor.writer);
  list_of_records(out, descriptor.fields, [&](const FieldDescriptor& field) { write_field(out, field); });
  list_of_records(out, descriptor.columns,
                  [&](const ColumnDescriptor& column) { write_column(out, column); });
  list_of_records(out, descriptor.aliases, [&](const AliasColumn& alias) {
    out.little<std::uint32_t>(alias.physical_column);
    out.little<std::uint32_t>(alias.field);
  });
  list_of_records(out, descriptor.extra_type_info, [&](const std::string& content) {
    out.little<std::uint32_t>(0);  // streamer information
    out.little<std::uint32_t>(0);  // type version
    out.envelope_string("");       // type name
    out.envelope_string(content);
  });
  return seal(std::move(out), EnvelopeType::kHeader, compression);
}

StoredEnvelope make_page_list(std::span<const ClusterDescriptor> clusters, std::uint64_t header_checksum,
                              CompressionSetting compression) {
  ByteWriter out = start_envelope(EnvelopeType::kPageList);
  out.little<std::uint64_t>(header_checksum);
  list_of_records(out, clusters, [&](const ClusterDescriptor& cluster) {
    out.little<std::uint64_t>(cluster.first_entry);
    out.little<std::uint64_t>(cluster.num_entries);
  });
  list_frame(out, clusters.size(), [&] {
    for (const ClusterDescriptor& cluster : clusters)
      list_frame(out, cluster.columns.size(), [&] {
        for (const ColumnRange& range : cluster.columns) write_pages(out, range);
      });
  });
  return seal(std::move(out), EnvelopeType::kPageList, compression);
}

StoredEnvelope make_footer(std::span<const ClusterGroup> groups, std::uint64_t header_checksum,
                           CompressionSetting compression) {
  ByteWriter out = start_envelope(EnvelopeType::kFooter);
  out.little<std::uint64_t>(0);  // feature flags
  out.little<std::uint64_t>(header_checksum);
  record_frame(out, [&] {  // schema extension: fields, columns, aliases, extra type information
    for (int list = 0; list < 4; ++list) empty_list(out);
  });
  list_of_records(out, groups, [&](const ClusterGroup& group) {
    out.little<std::uint64_t>(group.first_entry);
    out.little<std::uint64_t>(group.num_entries);
    out.little<std::uint32_t>(group.num_clusters);
    write_link(out, group.page_list);
  });
  empty_list(out);  // attribute sets
  return seal(std::move(out), EnvelopeType::kFooter, compression);
}

std::vector<std::byte> make_anchor(const EnvelopeLink& header, const EnvelopeLink& footer) {
  ByteWriter content;
  for (const std::uint16_t number : kVersion) content.big<std::uint16_t>(number);
  for (const EnvelopeLink& link : {header, footer}) {
    content.big<std::uint64_t>(link.locator.offset);
    content.big<std::uint64_t>(link.locator.size);
    content.big<std::uint64_t>(link.raw_size);
  }
  content.big<std::uint64_t>(kMaxKeySize);

  ByteWriter out;
  constexpr std::uint16_t kClassVersion = 2;
  out.big<std::uint32_t>(kByteCountBit | static_cast<std::uint32_t>(content.size() + sizeof kClassVersion));
  out.big<std::uint16_t>(kClassVersion);
  out.raw(content.bytes());
  out.big<std::uint64_t>(xxh3_64(content.bytes()));
  return std::move(out).take();
}

}  // namespace skimline::io
