// SPDX-License-Identifier: BSD-3-Clause
// The cluster under construction: takes entries in order, cuts full pages, and knows when the cluster is
// full.
#pragma once

#include "buffer_pool.h"

#include "skimline/framework/schema.h"
#include "skimline/io/page_encoding.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skimline::io {

/// The gathered entries of one column: values, and for lists the end of each entry's list among them.
struct ColumnChunk {
  std::vector<std::byte> values;
  std::vector<std::uint64_t> ends;
};

/// A page cut from a column, not yet encoded.
struct RawPage {
  std::size_t column = 0;  ///< physical column
  std::size_t num_elements = 0;
  BufferPool::Buffer elements;
};

/// A cluster that is complete: the entries and, by physical column, the elements it has.
struct ClusterEnd {
  std::uint64_t num_entries = 0;
  std::vector<std::uint64_t> num_elements;
};

/// How one physical column is written.
struct PhysicalColumn {
  PageEncoding encoding;
  std::size_t element_size = 0;  ///< in memory
};

/// Used by one thread at a time. Where pages and clusters end depends on the entries only.
class ClusterBuilder {
 public:
  ClusterBuilder(const Schema& schema, std::vector<PhysicalColumn> columns, std::uint64_t cluster_bytes,
                 std::uint64_t page_bytes, BufferPool& pool);

  /// Returns how many of the entries [first, num_entries) go into the cluster until it is full, and whether
  /// they fill it.
  struct Room {
    std::size_t num_entries = 0;
    bool is_filled = false;
  };
  Room room_for(const std::vector<ColumnChunk>& chunks, std::size_t first, std::size_t num_entries) const;

  /// Appends entries [first, last) and passes full pages to `pages`.
  void append(const std::vector<ColumnChunk>& chunks, std::size_t first, std::size_t last,
              std::vector<RawPage>& pages);

  /// Cuts what is left of every column and starts the next cluster.
  ClusterEnd finish(std::vector<RawPage>& pages);

  std::uint64_t num_entries() const { return num_entries_; }

 private:
  struct OpenPage {
    BufferPool::Buffer elements;
    std::size_t capacity = 0;
    std::size_t num_elements = 0;
    std::uint64_t elements_in_cluster = 0;
  };

  std::uint64_t bytes_of(const std::vector<ColumnChunk>& chunks, std::size_t first, std::size_t last) const;
  std::byte* room_in_page(std::size_t column, std::size_t& num_elements);
  void grow(std::size_t column, std::size_t num_elements);
  void cut_if_full(std::size_t column, std::vector<RawPage>& pages);
  void cut(std::size_t column, std::vector<RawPage>& pages);
  void append_values(std::size_t column, const std::byte* values, std::size_t count,
                     std::vector<RawPage>& pages);
  void append_ends(std::size_t column, const ColumnChunk& chunk, std::size_t first, std::size_t last,
                   std::vector<RawPage>& pages);

  std::vector<Type> types_;  // by column of the schema
  std::vector<PhysicalColumn> columns_;
  std::vector<OpenPage> open_pages_;  // by physical column
  std::uint64_t cluster_bytes_;
  std::uint64_t page_bytes_;
  BufferPool& pool_;
  std::uint64_t bytes_ = 0;
  std::uint64_t num_entries_ = 0;
};

}  // namespace skimline::io
