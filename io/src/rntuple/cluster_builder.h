// SPDX-License-Identifier: BSD-3-Clause
// The cluster under construction: takes entries in order, cuts full pages, and knows when the cluster is
// full.
#pragma once

#include "rntuple/gathered_entries.h"
#include "rntuple/output_schema.h"
#include "storage/buffer_pool.h"

#include "skimline/io/writer_settings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace skimline::io {

/// Consecutive elements of a page to be: the next of those copied, some of those gathered, which stay where
/// they are, or some of a page of the source.
struct PagePart {
  std::uint64_t count = 0;
  std::shared_ptr<const SourcePage> page;     ///< none for others
  std::shared_ptr<const std::byte> gathered;  ///< the first element; none for others
  std::uint64_t begin = 0;                    ///< in the page of the source
  std::uint64_t shift = 0;                    ///< to add to the ends of an index column

  bool is_copied() const { return !page && !gathered; }
};

/// A page cut from a column, not yet encoded.
struct RawPage {
  std::size_t column = 0;  ///< physical column
  std::uint64_t num_elements = 0;
  BufferPool::Buffer copied;
  std::vector<PagePart> parts;

  /// The page of the source that this one equals, if it does.
  const SourcePage* source() const;
  /// Whether none of its elements are of pages of the source.
  bool is_own() const;
};

/// A cluster that is complete: the entries and, by physical column, the elements it has.
struct ClusterEnd {
  std::uint64_t num_entries = 0;
  std::vector<std::uint64_t> num_elements;
};

/// Used by one thread at a time. Where pages and clusters end depends on the entries only.
class ClusterBuilder {
 public:
  /// The schema must outlive the builder.
  ClusterBuilder(const OutputSchema& schema, WriterSizes sizes, BufferPool& pool);

  /// Returns how many of the entries from `first` on go into the cluster until it is full, and whether they
  /// fill it.
  struct Room {
    std::uint64_t num_entries = 0;
    bool is_filled = false;
  };
  Room room_for(const GatheredEntries& entries, std::uint64_t first) const;

  /// Appends entries [first, last) and passes full pages to `pages`.
  void append(const GatheredEntries& entries, std::uint64_t first, std::uint64_t last,
              std::vector<RawPage>& pages);

  /// Cuts what is left of every column and starts the next cluster.
  ClusterEnd finish(std::vector<RawPage>& pages);

  std::uint64_t num_entries() const { return num_entries_; }

 private:
  struct OpenPage {
    RawPage page;
    std::size_t capacity = 0;      // of `copied`, in elements
    std::uint64_t num_copied = 0;  // elements in `copied`
  };

  std::vector<std::uint64_t> positions(const GatheredEntries& entries, std::uint64_t entry) const;
  std::uint64_t bytes_of(const GatheredEntries& entries, std::uint64_t first, std::uint64_t last) const;
  std::uint64_t unpacked_bytes_after(const GatheredEntries& entries, std::uint64_t first) const;
  std::uint64_t limit_for(const GatheredEntries& entries) const;

  void append_column(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                     std::uint64_t end, std::vector<RawPage>& pages);
  void append_copied(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                     std::uint64_t count, std::vector<RawPage>& pages);
  bool append_gathered(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                       std::uint64_t count);
  void append_stored(std::size_t column, const Piece& piece, std::uint64_t begin, std::uint64_t count,
                     std::vector<RawPage>& pages);
  void write_elements(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                      std::uint64_t count, std::byte* to) const;
  void write_ends(const OutputColumn& column, const GatheredEntries& entries, std::uint64_t begin,
                  std::uint64_t count, std::byte* to) const;
  void write_switch(std::size_t column, const GatheredEntries& entries, std::uint64_t begin,
                    std::uint64_t count, std::byte* to) const;
  std::uint64_t elements_per_page(std::size_t column) const;
  void grow(std::size_t column, std::uint64_t num_copied);
  void cut_if_full(std::size_t column, std::vector<RawPage>& pages);
  void cut(std::size_t column, std::vector<RawPage>& pages);

  const OutputSchema& schema_;
  std::vector<OpenPage> open_pages_;           // by physical column
  std::vector<std::uint64_t> level_elements_;  // by level, in this cluster
  std::vector<std::uint64_t> level_first_;     // by level, of the entries being appended
  WriterSizes sizes_;
  BufferPool& pool_;
  std::uint64_t bytes_ = 0;
  std::uint64_t num_entries_ = 0;
};

}  // namespace skimline::io
