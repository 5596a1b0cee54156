// SPDX-License-Identifier: BSD-3-Clause
// RNTuples of any fields, written column by column, and read back entry by entry in the plainest way: the
// oracle of the tests that carry fields.
#pragma once

#include "rntuple/field_columns.h"
#include "rntuple/output_schema.h"
#include "rntuple/page_sealer.h"
#include "rntuple/rntuple_serialization.h"

#include "skimline/io/compression.h"
#include "skimline/io/input_file.h"
#include "skimline/io/page_encoding.h"
#include "skimline/io/rntuple_metadata.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io::testing {

/// Writes the RNTuple "Events". Columns are given raw elements; end_cluster() cuts them into pages.
class TableWriter {
 public:
  static constexpr std::uint32_t kTopLevel = std::numeric_limits<std::uint32_t>::max();

  TableWriter(std::string path, const CompressionSetting& compression)
      : path_(std::move(path)), compression_(compression) {
    descriptor_.name = "Events";
  }

  /// Returns the field's id.
  std::uint32_t add_field(const std::string& name, const std::string& type_name,
                          FieldRole role = FieldRole::kPlain, std::uint32_t parent = kTopLevel,
                          std::optional<std::uint64_t> repetition = std::nullopt) {
    const auto id = static_cast<std::uint32_t>(descriptor_.fields.size());
    FieldDescriptor& field = descriptor_.fields.emplace_back();
    field.name = name;
    field.type_name = type_name;
    field.role = role;
    field.parent = parent == kTopLevel ? id : parent;
    field.repetition = repetition;
    return id;
  }

  /// Returns the column's number. `bits` and range are those of reduced reals.
  std::size_t add_column(std::uint32_t field, ColumnType type, std::uint16_t bits = 0, double min = 0,
                         double max = 0) {
    ColumnDescriptor& column = descriptor_.columns.emplace_back();
    column.type = type;
    column.bits_on_storage = bits == 0 ? fixed_bits(type).value() : bits;
    column.field = field;
    column.value_min = min;
    column.value_max = max;
    columns_.push_back({{type, column.bits_on_storage, min, max}, {}, 0, 0, page_bytes});
    return columns_.size() - 1;
  }

  /// A field with a column of its own.
  std::size_t add_values(const std::string& name, const std::string& type_name, ColumnType type,
                         std::uint32_t parent = kTopLevel) {
    return add_column(add_field(name, type_name, FieldRole::kPlain, parent), type);
  }

  void add_projection(std::uint32_t field, std::uint32_t source, std::size_t column) {
    descriptor_.fields.own()[field].source_field = source;
    descriptor_.aliases.push_back({static_cast<std::uint32_t>(column), field});
  }

  /// The column begins with element `first`; those before it are zero.
  void defer(std::size_t column, std::uint64_t first) {
    descriptor_.columns.own()[column].is_deferred = true;
    descriptor_.columns.own()[column].first_element = columns_[column].next_element = first;
  }

  template <typename T>
  void put(std::size_t column, T value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    columns_[column].elements.insert(columns_[column].elements.end(), bytes.begin(), bytes.end());
    ++columns_[column].count;
  }

  std::uint64_t count(std::size_t column) const { return columns_[column].count; }

  void end_cluster(std::uint64_t num_entries) {
    ClusterDescriptor& cluster = clusters_.emplace_back();
    cluster.first_entry = num_entries_;
    cluster.num_entries = num_entries;
    for (std::size_t number = 0; number < columns_.size(); ++number)
      cluster.columns.push_back(write_pages(number));
    // Columns that are added later are not in the page list.
    while (!cluster.columns.empty() && cluster.columns.back().pages.empty() &&
           descriptor_.columns[cluster.columns.size() - 1].is_deferred)
      cluster.columns.pop_back();
    num_entries_ += num_entries;
  }

  void finish() {
    const StoredEnvelope header = make_header(descriptor_, compression_);
    const EnvelopeLink header_link = write(header);
    ClusterGroup group;
    group.num_entries = num_entries_;
    group.num_clusters = static_cast<std::uint32_t>(clusters_.size());
    group.page_list = write(make_page_list(clusters_, header.checksum, compression_));
    const EnvelopeLink footer = write(make_footer(std::span(&group, 1), header.checksum, compression_));
    file_.add_object({"ROOT::RNTuple", "Events", "", make_anchor(header_link, footer)});
    file_.commit();
  }

  /// Bytes in memory of the pages of columns added later.
  std::size_t page_bytes = 64 * 1024;
  /// Called with every encoded page before it is compressed and gets its checksum.
  std::function<void(std::size_t column, std::vector<std::byte>& page)> damage;
  /// What page lists say of the compression of every column.
  std::optional<int> declared_compression;

 private:
  struct Column {
    PageEncoding encoding;
    std::vector<std::byte> elements;  // of the cluster
    std::uint64_t count = 0;
    std::uint64_t next_element = 0;
    std::size_t page_bytes = 0;
  };

  ColumnRange write_pages(std::size_t number) {
    Column& column = columns_[number];
    const std::size_t size = raw_element_size(column.encoding);
    ColumnRange range;
    range.first_element = column.next_element;
    range.compression = static_cast<std::uint32_t>(declared_compression.value_or(compression_.root_number()));
    const std::uint64_t most = std::max<std::uint64_t>(1, column.page_bytes / size);
    for (std::uint64_t first = 0; first < column.count; first += most) {
      const std::uint64_t count = std::min(most, column.count - first);
      std::vector<std::byte> page(encoded_size(column.encoding, count));
      encode_raw_page(column.encoding, column.elements.data() + first * size, count, page.data());
      if (damage) damage(number, page);
      const SealedBytes sealed = seal_encoded(page, compression_, pool_);
      range.pages.push_back({static_cast<std::uint32_t>(count),
                             true,
                             {offset_of(sealed), sealed.size() - sizeof(std::uint64_t)}});
    }
    column.next_element += column.count;
    column.count = 0;
    column.elements.clear();
    return range;
  }

  // Equal pages of a file are stored once.
  std::uint64_t offset_of(const SealedBytes& sealed) {
    for (const auto& [bytes, offset] : stored_)
      if (bytes == sealed) return offset;
    const ReservedCluster room = file_.reserve_cluster(sealed.size());
    file_.write_cluster(room, {sealed.bytes()});
    stored_.emplace_back(sealed, room.offset);
    return room.offset;
  }

  EnvelopeLink write(const StoredEnvelope& envelope) {
    const std::uint64_t offset = file_.reserve_blob(envelope.bytes.size());
    file_.write_at(offset, envelope.bytes);
    return {envelope.raw_size, {offset, envelope.bytes.size()}};
  }

  std::string path_;
  CompressionSetting compression_;
  RootFileWriter file_{path_, {"ROOT::RNTuple"}};
  RNTupleDescriptor descriptor_;
  std::vector<Column> columns_;
  std::vector<ClusterDescriptor> clusters_;
  BufferPool pool_{0};
  std::vector<std::pair<SealedBytes, std::uint64_t>> stored_;
  std::uint64_t num_entries_ = 0;
};

/// Reads every entry as bytes that say all about its values: equal if and only if the values are. Projected
/// fields are left out.
class TableRows {
 public:
  explicit TableRows(const std::string& path, std::vector<std::string> fields = {})
      : root_(path), descriptor_(read_descriptor(root_, "Events")), fields_(std::move(fields)) {
    children_.resize(descriptor_.fields.size());
    columns_of_.resize(descriptor_.fields.size());
    for (std::uint32_t id = 0; id < descriptor_.fields.size(); ++id)
      if (!descriptor_.is_top_level(id)) children_[descriptor_.fields[id].parent].push_back(id);
    for (std::uint32_t id = 0; id < descriptor_.columns.size(); ++id)
      columns_of_[descriptor_.columns[id].field].push_back(id);
    for (const ClusterDescriptor& cluster : descriptor_.clusters) read(cluster);
  }

  const RNTupleDescriptor& descriptor() const { return descriptor_; }
  const std::vector<std::string>& rows() const { return rows_; }

  /// The stored bytes of a page, checksum included.
  std::vector<std::byte> stored(const PageInfo& page) const {
    std::vector<std::byte> bytes(page.locator.size + sizeof(std::uint64_t));
    root_.input().read(page.locator.offset, bytes);
    return bytes;
  }

 private:
  struct Elements {
    std::vector<std::byte> bytes;
    std::size_t size = 0;     // of an element
    std::uint64_t first = 0;  // those before are zero
  };

  void read(const ClusterDescriptor& cluster) {
    elements_.clear();
    for (std::uint32_t id = 0; id < descriptor_.columns.size(); ++id)
      elements_.push_back(read_column(cluster, id));
    std::vector<std::uint32_t> top_level;
    for (std::uint32_t id = 0; id < descriptor_.fields.size(); ++id) {
      const bool is_wanted = fields_.empty() || std::find(fields_.begin(), fields_.end(),
                                                          descriptor_.fields[id].name) != fields_.end();
      if (descriptor_.is_top_level(id) && is_wanted) top_level.push_back(id);
    }
    // By name, as files may differ in the order of fields.
    std::sort(top_level.begin(), top_level.end(), [&](std::uint32_t a, std::uint32_t b) {
      return descriptor_.fields[a].name < descriptor_.fields[b].name;
    });
    for (std::uint64_t entry = 0; entry < cluster.num_entries; ++entry) {
      std::string& row = rows_.emplace_back();
      for (const std::uint32_t id : top_level) append(id, entry, row);
    }
  }

  // Numbers as the field's type, whatever the column's; others as raw elements.
  Elements read_column(const ClusterDescriptor& cluster, std::uint32_t id) const {
    const ColumnDescriptor& column = descriptor_.columns[id];
    const FieldDescriptor& field = descriptor_.fields[column.field];
    const PageEncoding encoding{column.type, column.bits_on_storage, column.value_min, column.value_max};
    const std::optional<ScalarType> scalar = scalar_of(field.type_name);
    Elements read;
    read.size = scalar ? size_of(*scalar) : raw_element_size(encoding);
    if (id >= cluster.columns.size() && column.is_deferred) read.first = ~std::uint64_t{0};
    if (id >= cluster.columns.size()) return read;
    const ColumnRange& range = cluster.columns[id];
    read.first = column.is_deferred ? range.first_element - std::min(range.first_element,
                                                                     elements_before(cluster, column.field))
                                    : 0;
    for (const PageInfo& page : range.pages) {
      const std::vector<std::byte> bytes = stored(page);
      std::vector<std::byte> raw(encoded_size(encoding, page.num_elements));
      decompress_block(std::span(bytes).first(page.locator.size), raw);
      std::vector<std::byte> elements(page.num_elements * read.size);
      if (scalar)
        decode_page(encoding, raw, page.num_elements, *scalar, elements.data());
      else
        decode_raw_page(encoding, raw, page.num_elements, elements.data());
      read.bytes.insert(read.bytes.end(), elements.begin(), elements.end());
    }
    return read;
  }

  std::uint64_t elements_before(const ClusterDescriptor& cluster, std::uint32_t id) const {
    std::uint64_t count = cluster.first_entry * descriptor_.fields[id].repetition.value_or(1);
    for (; !descriptor_.is_top_level(id); id = descriptor_.fields[id].parent)
      count *= descriptor_.fields[descriptor_.fields[id].parent].repetition.value_or(1);
    return count;
  }

  template <typename T>
  T value(std::uint32_t column, std::uint64_t element) const {
    T value{};
    const Elements& from = elements_[column];
    if (element < from.first) return value;
    if ((element - from.first + 1) * from.size > from.bytes.size())
      throw std::out_of_range("column " + std::to_string(column) + " has no element " +
                              std::to_string(element));
    std::memcpy(&value, from.bytes.data() + (element - from.first) * from.size, sizeof value);
    return value;
  }

  void append_bytes(std::uint32_t column, std::uint64_t element, std::string& row) const {
    const std::size_t size = elements_[column].size;
    const auto bits = size == 8   ? value<std::uint64_t>(column, element)
                      : size == 4 ? value<std::uint32_t>(column, element)
                      : size == 2 ? value<std::uint16_t>(column, element)
                                  : value<std::uint8_t>(column, element);
    row.append(reinterpret_cast<const char*>(&bits), size);
  }

  void append(std::uint32_t id, std::uint64_t element, std::string& row) const {
    const FieldDescriptor& field = descriptor_.fields[id];
    if (field.source_field) return;
    const std::uint64_t count = field.repetition.value_or(1);
    for (std::uint64_t i = 0; i < count; ++i) append_one(id, element * count + i, row);
  }

  void append_one(std::uint32_t id, std::uint64_t element, std::string& row) const {
    const std::vector<std::uint32_t>& columns = columns_of_[id];
    const bool is_list = !columns.empty() && is_index_type(descriptor_.columns[columns[0]].type);
    if (is_list) return append_list(id, element, row);
    if (descriptor_.fields[id].role == FieldRole::kVariant) {
      const auto chosen = value<SwitchElement>(columns[0], element);
      row += "#" + std::to_string(chosen.tag);
      if (chosen.tag != 0) append(children_[id].at(chosen.tag - 1), chosen.index, row);
      return;
    }
    if (!columns.empty()) append_bytes(columns[0], element, row);
    for (const std::uint32_t child : children_[id]) append(child, element, row);
  }

  // The items of a collection, or the characters of a string.
  void append_list(std::uint32_t id, std::uint64_t element, std::string& row) const {
    const std::vector<std::uint32_t>& columns = columns_of_[id];
    const auto begin = element == 0 ? 0 : value<std::uint64_t>(columns[0], element - 1);
    const auto end = value<std::uint64_t>(columns[0], element);
    row += "[" + std::to_string(end - begin) + ":";
    for (std::uint64_t i = begin; i < end; ++i) {
      if (columns.size() > 1) append_bytes(columns[1], i, row);
      for (const std::uint32_t child : children_[id]) append(child, i, row);
    }
    row += "]";
  }

  RootFile root_;
  RNTupleDescriptor descriptor_;
  std::vector<std::string> fields_;
  std::vector<std::vector<std::uint32_t>> children_, columns_of_;
  std::vector<Elements> elements_;
  std::vector<std::string> rows_;
};

}  // namespace skimline::io::testing
