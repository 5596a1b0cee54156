// SPDX-License-Identifier: BSD-3-Clause
// Whether the lists of a cluster are in order, and what they hold is there.
#pragma once

#include "rntuple/column_elements.h"

#include "skimline/io/rntuple_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// What a page of an index column says.
struct EndsOfPage {
  std::uint64_t first = 0, last = 0;
  bool is_ordered = true;
};

/// Decompresses and decodes what is stored of a page. Throws FormatError.
EndsOfPage ends_of_page(const ColumnDescriptor& column, std::span<const std::byte> block,
                        std::uint32_t num_elements);

class ListCheck {
 public:
  /// The descriptor must outlive this.
  explicit ListCheck(const RNTupleDescriptor& descriptor);

  /// Returns what is wrong with the lists of an index column in a cluster, by what its pages say. More items
  /// than lists hold are no fault: nobody reads them.
  std::optional<std::string> problem(std::size_t cluster, std::uint32_t column,
                                     std::span<const EndsOfPage> pages) const;

 private:
  std::uint64_t num_elements(std::size_t cluster, std::uint32_t first_column) const;

  const RNTupleDescriptor& descriptor_;
  std::vector<std::uint32_t> first_of_;               // by column
  std::vector<ElementsOf> elements_of_;               // by column
  std::vector<std::vector<std::uint32_t>> of_items_;  // by field: first columns of what its lists hold
  std::vector<std::vector<std::uint32_t>> all_of_;    // by first column: it in all representations
};

}  // namespace skimline::io
