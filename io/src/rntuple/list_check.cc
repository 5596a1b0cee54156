// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/list_check.h"

#include "skimline/io/compression.h"
#include "skimline/io/page_encoding.h"

#include <algorithm>

namespace skimline::io {

EndsOfPage ends_of_page(const ColumnDescriptor& column, std::span<const std::byte> block,
                        std::uint32_t num_elements) {
  const PageEncoding encoding{column.type, column.bits_on_storage, column.value_min, column.value_max};
  std::vector<std::byte> raw(encoded_size(encoding, num_elements));
  decompress_block(block, raw);
  std::vector<std::uint64_t> ends(num_elements);
  decode_page(encoding, raw, num_elements, ScalarType::kUInt64, ends.data());
  return {ends.front(), ends.back(), std::is_sorted(ends.begin(), ends.end())};
}

ListCheck::ListCheck(const RNTupleDescriptor& descriptor)
    : descriptor_(descriptor),
      first_of_(first_representations(descriptor)),
      elements_of_(elements_of_columns(descriptor)),
      of_items_(descriptor.fields.size()),
      all_of_(descriptor.columns.size()) {
  for (std::uint32_t column = 0; column < first_of_.size(); ++column) {
    all_of_[first_of_[column]].push_back(column);
    const ElementsOf& of = elements_of_[column];
    if (first_of_[column] == column && !of.are_entries() && !of.is_alternative)
      of_items_[of.field].push_back(column);
  }
}

std::optional<std::string> ListCheck::problem(std::size_t cluster, std::uint32_t column,
                                              std::span<const EndsOfPage> pages) const {
  std::uint64_t last = 0;
  for (const EndsOfPage& page : pages) {
    if (!page.is_ordered || page.first < last) return "the ends of its lists are not in order";
    last = page.last;
  }
  for (const std::uint32_t items : of_items_[descriptor_.columns[column].field]) {
    const std::uint64_t available = num_elements(cluster, items);
    const std::uint64_t per_item = elements_of_[items].count;
    if (per_item != 0 && last > available / per_item)
      return "its lists end at item " + std::to_string(last) + " of " + std::to_string(available / per_item);
  }
  return std::nullopt;
}

std::uint64_t ListCheck::num_elements(std::size_t cluster, std::uint32_t first_column) const {
  const std::vector<ColumnRange>& ranges = descriptor_.clusters[cluster].columns;
  std::uint64_t count = 0;
  for (const std::uint32_t column : all_of_[first_column])
    if (column < ranges.size()) count += ranges[column].num_elements();
  return count;
}

}  // namespace skimline::io
