// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/cluster_joining.h"

#include "compression/compression_choice.h"
#include "rntuple/output_schema.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>
#include <cstring>
#include <optional>
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

// The elements of one column of all parts, in memory.
class ColumnJoiner {
 public:
  ColumnJoiner(const MergeSchema& schema, std::size_t column, PageCounts& counts)
      : schema_(schema),
        encoding_(schema.encoding(column)),
        element_size_(schema.element_size(column)),
        field_id_(schema.descriptor().columns[column].field),
        field_(schema.descriptor().fields[field_id_].name),
        column_(column),
        counts_(counts) {}

  void append(const FetchedCluster& fetched) {
    const ClusterToJoin& part = fetched.part();
    const std::size_t first = elements_.size();
    try {
      fetched.append(column_, elements_, counts_);
      continue_counting(first, part);
    } catch (const FormatError& error) {
      throw cluster_error(part.file, part.place, part.source.cluster.num_entries,
                          "a column of field \"" + field_ + "\": " + error.what());
    }
  }

  /// How the elements are compressed that were in parts compressed so. It must not matter in which of them.
  CompressionSetting compression_for(CompressionSetting stored) const {
    if (!may_be_chosen(stored)) return stored;
    const std::uint64_t count =
        std::min<std::uint64_t>(elements_.size() / element_size_, sample_elements(element_size_));
    if (count == 0) return {};
    std::vector<std::byte> sample(encoded_size(encoding_, count));
    encode_raw_page(encoding_, elements_.data(), count, sample.data());
    return choose_compression(sample);
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
  // Ends of collections, and places in the columns of alternatives, are counted from the begin of the
  // cluster. What does not have as many elements as they say would shift those of the parts behind.
  void continue_counting(std::size_t first, const ClusterToJoin& part) {
    if (is_index_type(encoding_.type)) {
      const std::uint64_t before = num_items_;
      continue_ends(first, part.chosen ? part.chosen->ends[column_] : 0);
      check_items(part, schema_.columns_of_items(field_id_, false), num_items_ - before);
    } else if (encoding_.type == ColumnType::kSwitch) {
      const std::vector<std::uint64_t> before = alternatives_;
      continue_alternatives(first, part.chosen != nullptr);
      const std::vector<std::uint32_t>& fields = schema_.alternatives_of(field_id_);
      for (std::size_t i = 0; i < fields.size(); ++i)
        check_items(part, schema_.columns_of_items(fields[i], true), alternatives_[i] - before[i]);
    }
  }

  void check_items(const ClusterToJoin& part, const std::vector<std::uint32_t>& columns,
                   std::uint64_t num_items) const {
    for (const std::uint32_t column : columns) {
      if (!part.columns[column].is_active) continue;
      const std::uint64_t found = part.elements(column).size();
      std::uint64_t expected = 0;
      if (__builtin_mul_overflow(num_items, schema_.elements_of(column).count, &expected) ||
          found != expected)
        throw FormatError("what it holds has " + std::to_string(found) + " elements instead of " +
                          std::to_string(expected));
    }
  }

  // `skipped` is the end in front of those that were appended.
  void continue_ends(std::size_t first, std::uint64_t skipped) {
    const std::uint64_t before = num_items_;
    for (std::size_t at = first; at < elements_.size(); at += sizeof num_items_) {
      std::uint64_t end = 0;
      std::memcpy(&end, elements_.data() + at, sizeof end);
      if (end < skipped || __builtin_add_overflow(end - skipped, before, &end) || end < num_items_)
        throw FormatError("field \"" + field_ + "\" has a collection that ends before it begins");
      std::memcpy(elements_.data() + at, &end, sizeof end);
      num_items_ = end;
    }
  }

  // Of a cluster that is cut, the first place in each alternative is that of the first of its elements.
  void continue_alternatives(std::size_t first, bool is_cut) {
    std::vector<std::optional<std::uint64_t>> skipped(alternatives_.size());
    const std::vector<std::uint64_t> before = alternatives_;
    for (std::size_t at = first; at < elements_.size(); at += sizeof(SwitchElement)) {
      SwitchElement element;
      std::memcpy(&element, elements_.data() + at, sizeof element);
      if (element.tag == 0) continue;
      if (element.tag > alternatives_.size())
        throw FormatError("a variant has the alternative " + std::to_string(element.tag) + " of " +
                          std::to_string(alternatives_.size()));
      const std::size_t number = element.tag - 1;
      if (!skipped[number]) skipped[number] = is_cut ? element.index : 0;
      element.index = element.index - *skipped[number] + before[number];
      if (element.index != alternatives_[number]++)
        throw FormatError("alternatives of a variant do not follow each other");
      std::memcpy(elements_.data() + at, &element, sizeof element);
    }
  }

  const MergeSchema& schema_;
  PageEncoding encoding_;
  std::size_t element_size_;
  std::uint32_t field_id_;
  const std::string& field_;
  std::size_t column_;
  PageCounts& counts_;
  std::vector<std::byte> elements_;
  std::uint64_t num_items_ = 0;  // of an index column: so far
  // Of a switch column: elements of each so far.
  std::vector<std::uint64_t> alternatives_ =
      std::vector<std::uint64_t>(schema_.alternatives_of(field_id_).size());
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
    joined.num_entries += part.num_entries();
    for (std::size_t i = 0; i < part.columns.size(); ++i)
      joined.columns[i].num_elements += part.elements(i).size();
  }
  return joined;
}

}  // namespace

std::vector<CompressionSetting> compressions_of(const std::vector<ClusterColumn>& columns) {
  const auto is_known = [](const ClusterColumn& column) {
    return column.is_active && column.stored &&
           (!column.stored->pages.empty() || column.stored->compression > 0);
  };
  const auto known = std::find_if(columns.begin(), columns.end(), is_known);
  const CompressionSetting usual =
      known == columns.end() ? CompressionSetting{} : setting_of(known->stored->compression);
  std::vector<CompressionSetting> compressions;
  for (const ClusterColumn& column : columns)
    compressions.push_back(is_known(column) ? setting_of(column.stored->compression) : usual);
  return compressions;
}

bool have_alike_compressions(const std::vector<CompressionSetting>& first,
                             const std::vector<CompressionSetting>& second) {
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const CompressionSetting& a, const CompressionSetting& b) {
                      return a == b || (may_be_chosen(a) && may_be_chosen(b));
                    });
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
  const std::vector<CompressionSetting> stored = compressions_of(parts.front().columns);
  const std::vector<bool> all(joined.columns.size(), true);
  std::vector<FetchedCluster> fetched(parts.size());
  oneapi::tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t part) {
    options.stop.throw_if_set();
    fetched[part] = FetchedCluster(schema, parts[part], all, counts);
  });
  oneapi::tbb::parallel_for(std::size_t{0}, joined.columns.size(), [&](std::size_t column) {
    if (!joined.columns[column].is_active) return;
    options.stop.throw_if_set();
    ColumnJoiner joiner(schema, column, counts);
    for (const FetchedCluster& part : fetched) joiner.append(part);
    const CompressionSetting compression =
        options.compression ? *options.compression : joiner.compression_for(stored[column]);
    joined.pages[column] = joiner.seal(compression, options);
    joined.compressions[column] = static_cast<std::uint32_t>(compression.root_number());
  });
  return joined;
}

}  // namespace skimline::io
