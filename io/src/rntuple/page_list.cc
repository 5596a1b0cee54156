// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/page_list.h"

#include "rntuple/column_elements.h"
#include "rntuple/envelope.h"
#include "storage/byte_reader.h"

#include "skimline/io/compression.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace skimline::io {
namespace {

constexpr std::uint64_t kPageChecksum = 8;
constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 56;
// More entries than this must be backed by a column with as many elements.
constexpr std::uint64_t kFreeClusterEntries = 1 << 20;
constexpr std::uint64_t kEntriesMask = (std::uint64_t{1} << 56) - 1;

ClusterDescriptor parse_summary(ByteReader record) {
  ClusterDescriptor cluster;
  cluster.first_entry = record.little<std::uint64_t>();
  const auto entries = record.little<std::uint64_t>();
  if (entries >> 56 != 0) throw FormatError("sharded clusters cannot be read");
  cluster.num_entries = entries & kEntriesMask;
  return cluster;
}

PageInfo parse_page(ByteReader& reader) {
  const auto count = reader.little<std::int32_t>();
  PageInfo page;
  page.has_checksum = count < 0;
  page.num_elements = count < 0 ? 0u - static_cast<std::uint32_t>(count) : static_cast<std::uint32_t>(count);
  page.locator = read_locator(reader);
  if (page.num_elements == 0 || page.num_elements > 0x7FFFFFFF)
    throw FormatError("page with " + decimal(page.num_elements) + " elements");
  return page;
}

class PageListParser {
 public:
  PageListParser(const InputFile& file, std::uint64_t max_key_size, const RNTupleDescriptor& descriptor)
      : file_(file), max_key_size_(max_key_size), descriptor_(descriptor) {}

  std::vector<ColumnRange> parse_cluster(Frame frame) const {
    if (frame.num_items > descriptor_.columns.size())
      throw FormatError("cluster lists columns nobody declared");
    std::vector<ColumnRange> ranges;
    ranges.reserve(std::min<std::size_t>(frame.num_items, frame.content.remaining() / 8));
    for (std::uint32_t column = 0; column < frame.num_items; ++column)
      ranges.push_back(parse_range(read_list_frame(frame.content), descriptor_.columns[column]));
    return ranges;
  }

 private:
  ColumnRange parse_range(Frame frame, const ColumnDescriptor& column) const {
    ColumnRange range;
    range.pages.reserve(std::min<std::size_t>(frame.num_items, frame.content.remaining() / 16));
    for (std::uint32_t i = 0; i < frame.num_items; ++i) {
      range.pages.push_back(parse_page(frame.content));
      check_page(range.pages.back(), column);
    }
    const auto first_element = frame.content.little<std::int64_t>();
    range.is_suppressed = first_element < 0;
    if (range.is_suppressed) {
      if (!range.pages.empty()) throw FormatError("suppressed column with pages");
      return range;
    }
    range.first_element = static_cast<std::uint64_t>(first_element);
    range.compression = frame.content.little<std::uint32_t>();
    return range;
  }

  void check_page(const PageInfo& page, const ColumnDescriptor& column) const {
    const std::uint64_t extra = page.has_checksum ? kPageChecksum : 0;
    check_inside(file_, page.locator, extra);
    if (max_key_size_ != 0 && page.locator.size + extra > max_key_size_)
      throw FormatError("pages split over several records cannot be read");
    const std::uint64_t raw_size = encoded_size({column.type, column.bits_on_storage}, page.num_elements);
    if (page.locator.size > raw_size || raw_size / kMaxExpansion > page.locator.size)
      throw FormatError("page at byte " + decimal(page.locator.offset) + " cannot hold " +
                        decimal(page.num_elements) + " elements");
  }

  const InputFile& file_;
  std::uint64_t max_key_size_;
  const RNTupleDescriptor& descriptor_;
};

// Follows the elements of one column of a field through the clusters, whichever representation stores them.
struct Elements {
  std::uint64_t next = 0;
  std::size_t cluster = 0;  // where it was last found, plus one
  std::uint64_t count = 0;  // there
};

class ElementCheck {
 public:
  explicit ElementCheck(const RNTupleDescriptor& descriptor)
      : descriptor_(descriptor),
        first_of_(first_representations(descriptor)),
        elements_of_(elements_of_columns(descriptor)),
        elements_(first_of_.size()) {
    std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>> siblings;
    for (std::uint32_t column = 0; column < first_of_.size(); ++column) {
      const ElementsOf& of = elements_of_[column];
      if (first_of_[column] == column && !of.are_entries() && of.count > 0 && is_known(column) &&
          is_complete(column))
        siblings[{of.field, of.is_alternative}].push_back(column);
    }
    for (auto& [items, columns] : siblings)
      if (columns.size() > 1) siblings_.push_back(std::move(columns));
  }

  void check(std::size_t cluster) {
    const std::vector<ColumnRange>& ranges = descriptor_.clusters[cluster].columns;
    for (std::uint32_t column = 0; column < ranges.size(); ++column)
      if (!ranges[column].is_suppressed) check(cluster, column, ranges[column]);
    for (std::uint32_t column = 0; column < first_of_.size(); ++column)
      if (first_of_[column] == column && elements_of_[column].are_entries() && is_known(column))
        check_entries_have(cluster, column);
    for (const std::vector<std::uint32_t>& columns : siblings_) check_items_have(cluster, columns);
  }

 private:
  void check(std::size_t cluster, std::uint32_t column, const ColumnRange& range) {
    const ColumnDescriptor& declared = descriptor_.columns[column];
    Elements& elements = elements_[first_of_[column]];
    if (elements.cluster == 0) elements.next = declared.is_deferred ? declared.first_element : 0;
    if (elements.cluster == cluster + 1) fail(cluster, column, "is stored in two representations at once");
    if (range.first_element != elements.next)
      fail(cluster, column,
           "begins with element " + decimal(range.first_element) + " instead of " + decimal(elements.next));
    const std::uint64_t count = range.num_elements();
    elements = {range.first_element + count, cluster + 1, count};
  }

  // What columns of kinds of fields that are not known have is not known either.
  bool is_known(std::uint32_t column) const {
    const auto has_known_role = [&](std::uint32_t field) {
      return descriptor_.fields[field].role <= FieldRole::kStreamer;
    };
    const ElementsOf& of = elements_of_[column];
    return has_known_role(descriptor_.columns[column].field) &&
           (of.are_entries() || has_known_role(of.field));
  }

  // Only entries before a column was added may lack elements: they are zeros.
  void check_entries_have(std::size_t cluster, std::uint32_t column) const {
    const ClusterDescriptor& where = descriptor_.clusters[cluster];
    const ColumnDescriptor& declared = descriptor_.columns[column];
    const std::uint64_t begin = elements_before(cluster, column, where.first_entry);
    const std::uint64_t end = elements_before(cluster, column, where.first_entry + where.num_entries);
    const bool is_stored = elements_[column].cluster == cluster + 1;
    if (!is_stored && begin < end && !(declared.is_deferred && declared.first_element >= end))
      fail(cluster, column, "is not stored");
    if (is_stored && elements_[column].next != end)
      fail(cluster, column,
           "has " + decimal(elements_[column].next - std::min(begin, elements_[column].next)) +
               " elements for " + decimal(where.num_entries) + " entries");
  }

  // Whether none of its first elements may be missing.
  bool is_complete(std::uint32_t column) const {
    const ColumnDescriptor& declared = descriptor_.columns[column];
    return !declared.is_deferred || declared.is_suppressed_deferred;
  }

  // What the items of a collection have, or those of an alternative of a variant, is of equally many.
  void check_items_have(std::size_t cluster, const std::vector<std::uint32_t>& columns) const {
    const std::uint64_t items = count_in(cluster, columns.front()) / elements_of_[columns.front()].count;
    for (const std::uint32_t column : columns) {
      const std::uint64_t count = count_in(cluster, column);
      std::uint64_t expected = 0;
      if (__builtin_mul_overflow(items, elements_of_[column].count, &expected) || count != expected)
        fail(cluster, column, "has " + decimal(count) + " elements for " + decimal(items) + " items");
    }
  }

  std::uint64_t count_in(std::size_t cluster, std::uint32_t column) const {
    return elements_[column].cluster == cluster + 1 ? elements_[column].count : 0;
  }

  std::uint64_t elements_before(std::size_t cluster, std::uint32_t column, std::uint64_t entry) const {
    std::uint64_t count = 0;
    if (__builtin_mul_overflow(entry, elements_of_[column].count, &count))
      fail(cluster, column, "has more elements than there can be");
    return count;
  }

  [[noreturn]] void fail(std::size_t cluster, std::uint32_t column, const std::string& problem) const {
    throw FormatError("cluster " + decimal(cluster) + ": column " + decimal(column) + " of field \"" +
                      descriptor_.field_paths()[descriptor_.columns[column].field] + "\" " + problem);
  }

  const RNTupleDescriptor& descriptor_;
  std::vector<std::uint32_t> first_of_;               // by column
  std::vector<ElementsOf> elements_of_;               // by column
  std::vector<Elements> elements_;                    // by the first column that has them
  std::vector<std::vector<std::uint32_t>> siblings_;  // first columns that have elements of the same items
};

void check_entries(const ClusterDescriptor& cluster, std::size_t number) {
  std::uint64_t most = kFreeClusterEntries;
  for (const ColumnRange& range : cluster.columns) most = std::max(most, range.num_elements());
  if (cluster.num_entries > most || cluster.first_entry > kMaxEntries)
    throw FormatError("cluster " + decimal(number) + " claims " + decimal(cluster.num_entries) +
                      " entries, more than any column has");
}

}  // namespace

void append_page_list(ByteReader payload, const InputFile& file, std::uint64_t max_key_size,
                      RNTupleDescriptor& descriptor) {
  Frame summaries = read_list_frame(payload);
  Frame clusters = read_list_frame(payload);
  if (summaries.num_items != clusters.num_items) throw FormatError("page list without some of its clusters");
  const PageListParser parser(file, max_key_size, descriptor);
  for (std::uint32_t i = 0; i < summaries.num_items; ++i) {
    ClusterDescriptor cluster = parse_summary(read_record_frame(summaries.content));
    cluster.columns = parser.parse_cluster(read_list_frame(clusters.content));
    descriptor.clusters.push_back(std::move(cluster));
  }
}

void finish_clusters(RNTupleDescriptor& descriptor) {
  std::vector<ClusterDescriptor>& clusters = descriptor.clusters;
  std::stable_sort(clusters.begin(), clusters.end(),
                   [](const ClusterDescriptor& a, const ClusterDescriptor& b) {
                     return std::tie(a.first_entry, a.num_entries) < std::tie(b.first_entry, b.num_entries);
                   });
  ElementCheck elements(descriptor);
  std::uint64_t next_entry = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i].first_entry != next_entry)
      throw FormatError("cluster " + decimal(i) + " begins with entry " + decimal(clusters[i].first_entry) +
                        " instead of " + decimal(next_entry));
    next_entry += clusters[i].num_entries;
    check_entries(clusters[i], i);
    elements.check(i);
  }
}

}  // namespace skimline::io
