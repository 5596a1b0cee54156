// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_joining.h"

#include "rntuple/output_schema.h"
#include "rntuple/stored_page.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include <oneapi/tbb/parallel_for.h>

namespace skimline::io {
namespace {

CompressionSetting setting_of(std::uint32_t root_number) {
  try {
    return parse_compression(compression_name(static_cast<int>(root_number)));
  } catch (const ConfigError&) {
    return {};
  }
}

// The stored bytes of a part, verified.
struct FetchedPart {
  const ClusterToJoin* part = nullptr;
  ClusterLayout layout;  // of `bytes`, without zeros
  std::vector<std::byte> bytes;

  std::span<const std::byte> stored(const PageInfo& page) const {
    return std::span(bytes).subspan(page.locator.offset, stored_size(page));
  }
};

FetchedPart fetch(const MergeSchema& schema, const ClusterToJoin& part, const JoinOptions& options,
                  PageCounts& counts) {
  std::vector<ClusterColumn> without_zeros = part.columns;
  for (ClusterColumn& column : without_zeros) column.num_zeros = 0;
  const ZeroPages none(schema, {}, options.pool);
  FetchedPart fetched{&part, layout_of(part.source, without_zeros, none, Packing::kDense), {}};
  std::uint64_t size = 0;
  for (const SourceExtent& extent : fetched.layout.extents) size += extent.size;
  fetched.bytes.resize(size);
  for (const SourceExtent& extent : fetched.layout.extents)
    part.file.read(extent.begin, std::span(fetched.bytes).subspan(extent.place, extent.size));
  part.file.release();
  counts.bytes_read += size;
  return fetched;
}

// The elements of one column of all parts, in memory.
class ColumnJoiner {
 public:
  ColumnJoiner(const MergeSchema& schema, std::size_t column, PageCounts& counts)
      : encoding_(schema.encoding(column)),
        element_size_(schema.element_size(column)),
        field_(schema.descriptor().fields[schema.descriptor().columns[column].field].name),
        column_(column),
        counts_(counts) {}

  void append(const FetchedPart& fetched) {
    const std::size_t first = elements_.size();
    elements_.resize(first + fetched.part->columns[column_].num_zeros * element_size_);
    try {
      for (const PageInfo& page : fetched.layout.columns[column_].pages)
        append_page(page, fetched.stored(page));
      continue_counting(first);
    } catch (const FormatError& error) {
      throw cluster_error(fetched.part->file, fetched.part->place, fetched.layout.num_entries,
                          "a column of field \"" + field_ + "\": " + error.what());
    }
  }

  /// Cuts the elements into pages.
  std::vector<SealedPage> seal(CompressionSetting compression, const JoinOptions& options) const {
    std::vector<SealedPage> pages;
    std::vector<std::byte> encoded;
    const std::uint64_t full = std::max<std::uint64_t>(1, options.page_bytes / element_size_);
    const std::uint64_t num_elements = elements_.size() / element_size_;
    for (std::uint64_t begin = 0; begin < num_elements; begin += full) {
      const std::uint64_t count = std::min(full, num_elements - begin);
      encoded.resize(encoded_size(encoding_, count));
      encode_raw_page(encoding_, elements_.data() + begin * element_size_, count, encoded.data());
      pages.push_back({static_cast<std::uint32_t>(count), seal_encoded(encoded, compression, options.pool)});
    }
    return pages;
  }

 private:
  void append_page(const PageInfo& page, std::span<const std::byte> stored) {
    ++(page.has_checksum ? counts_.verified : counts_.without_checksum);
    const std::span<const std::byte> raw = decompressed(verified_block(page, stored), page.num_elements);
    const std::size_t before = elements_.size();
    elements_.resize(before + page.num_elements * element_size_);
    decode_raw_page(encoding_, raw, page.num_elements, elements_.data() + before);
  }

  std::span<const std::byte> decompressed(std::span<const std::byte> block, std::uint32_t num_elements) {
    const std::size_t size = encoded_size(encoding_, num_elements);
    if (block.size() == size) return block;
    raw_.resize(size);
    decompress_block(block, raw_);
    return raw_;
  }

  // Ends of collections, and places in the columns of alternatives, are counted from the begin of the
  // cluster.
  void continue_counting(std::size_t first) {
    if (is_index_type(encoding_.type)) return continue_ends(first);
    if (encoding_.type == ColumnType::kSwitch) continue_alternatives(first);
  }

  void continue_ends(std::size_t first) {
    const std::uint64_t before = num_items_;
    for (std::size_t at = first; at < elements_.size(); at += sizeof num_items_) {
      std::uint64_t end = 0;
      std::memcpy(&end, elements_.data() + at, sizeof end);
      if (__builtin_add_overflow(end, before, &end) || end < num_items_)
        throw FormatError("field \"" + field_ + "\" has a collection that ends before it begins");
      std::memcpy(elements_.data() + at, &end, sizeof end);
      num_items_ = end;
    }
  }

  void continue_alternatives(std::size_t first) {
    const std::map<std::uint32_t, std::uint64_t> before = alternatives_;
    for (std::size_t at = first; at < elements_.size(); at += sizeof(SwitchElement)) {
      SwitchElement element;
      std::memcpy(&element, elements_.data() + at, sizeof element);
      if (element.tag == 0) continue;
      const auto known = before.find(element.tag);
      if (known != before.end()) element.index += known->second;
      ++alternatives_[element.tag];
      std::memcpy(elements_.data() + at, &element, sizeof element);
    }
  }

  PageEncoding encoding_;
  std::size_t element_size_;
  const std::string& field_;
  std::size_t column_;
  PageCounts& counts_;
  std::vector<std::byte> elements_, raw_;
  std::uint64_t num_items_ = 0;                          // of an index column: so far
  std::map<std::uint32_t, std::uint64_t> alternatives_;  // of a switch column: elements of each so far
};

JoinedCluster joined_columns(const std::vector<ClusterToJoin>& parts) {
  JoinedCluster joined;
  joined.columns = parts.front().columns;
  for (ClusterColumn& column : joined.columns) {
    column.num_elements = 0;
    column.num_zeros = 0;
    column.stored = nullptr;
  }
  for (const ClusterToJoin& part : parts) {
    joined.num_entries += part.source.cluster.num_entries;
    for (std::size_t i = 0; i < part.columns.size(); ++i)
      joined.columns[i].num_elements += part.columns[i].num_elements;
  }
  return joined;
}

CompressionSetting compression_of(std::size_t column, const ClusterToJoin& first,
                                  const JoinOptions& options) {
  if (options.compression) return *options.compression;
  const ColumnRange* stored = first.columns[column].stored;
  return stored ? setting_of(stored->compression) : CompressionSetting{};
}

}  // namespace

FileError cluster_error(const InputFile& file, const ClusterPlace& place, std::uint64_t num_entries,
                        const std::string& problem) {
  return {file.path(), "RNTuple \"" + place.ntuple + "\", cluster " + std::to_string(place.cluster) +
                           " (entries " + std::to_string(place.first_entry) + " to " +
                           std::to_string(place.first_entry + num_entries) + "): " + problem};
}

bool have_equal_encodings(const std::vector<ClusterColumn>& first, const std::vector<ClusterColumn>& second) {
  return std::equal(
      first.begin(), first.end(), second.begin(), second.end(),
      [](const ClusterColumn& a, const ClusterColumn& b) { return a.is_active == b.is_active; });
}

JoinedCluster join(const MergeSchema& schema, const std::vector<ClusterToJoin>& parts,
                   const JoinOptions& options, PageCounts& counts) {
  JoinedCluster joined = joined_columns(parts);
  joined.pages.resize(joined.columns.size());
  joined.compressions.resize(joined.columns.size());
  std::vector<FetchedPart> fetched(parts.size());
  oneapi::tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t part) {
    options.stop.throw_if_set();
    fetched[part] = fetch(schema, parts[part], options, counts);
  });
  oneapi::tbb::parallel_for(std::size_t{0}, joined.columns.size(), [&](std::size_t column) {
    if (!joined.columns[column].is_active) return;
    options.stop.throw_if_set();
    const CompressionSetting compression = compression_of(column, parts.front(), options);
    ColumnJoiner joiner(schema, column, counts);
    for (const FetchedPart& part : fetched) joiner.append(part);
    joined.pages[column] = joiner.seal(compression, options);
    joined.compressions[column] = static_cast<std::uint32_t>(compression.root_number());
  });
  return joined;
}

}  // namespace skimline::io
