// SPDX-License-Identifier: BSD-3-Clause
// Entries as the baskets of a TTree hold them, not yet cut into baskets.
#pragma once

#include "storage/buffer_pool.h"
#include "ttree/tree_layout.h"

#include "skimline/framework/column.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Bytes that grow at the end.
class GrowingBytes {
 public:
  std::size_t size() const { return size_; }
  const std::byte* data() const { return memory_.get(); }

  /// Returns room for `count` further bytes, which it adds.
  std::byte* extend(std::size_t count, BufferPool& pool);

 private:
  BufferPool::Buffer memory_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Two columns of a group, the second of which may be its counts, that differ in an entry.
struct SizeMismatch {
  std::uint64_t entry = 0;
  std::string problem;
};

/// The surviving entries of one slice, encoded. Filled by one thread.
class TreeEntries {
 public:
  /// The layout must outlive the entries.
  explicit TreeEntries(const TreeLayout& layout);

  /// Appends entries, of which `columns` has all columns of the schema.
  void append(std::span<const ColumnView> columns, std::size_t count, BufferPool& pool);

  std::uint64_t num_entries() const { return num_entries_; }
  /// The first entry in which the lists of a group differ.
  const std::optional<SizeMismatch>& mismatch() const { return mismatch_; }
  /// By group.
  const std::vector<std::uint64_t>& largest_counts() const { return largest_counts_; }
  /// Whether the lists of a group have other sizes than was likely in one of the entries before `end`.
  bool is_departed(std::size_t group, std::uint64_t end) const { return departures_[group] < end; }

  const std::byte* data(std::size_t branch) const { return bytes_[branch].data(); }
  /// Where an entry of a branch begins, in bytes; for the number of entries, their end.
  std::uint64_t begin_of(std::size_t branch, std::uint64_t entry) const;
  /// Size of the entries in front of `entry`, in all branches but the fallbacks.
  std::uint64_t bytes_before(std::uint64_t entry) const;

 private:
  void append_counts(std::size_t group, std::span<const ColumnView> columns, BufferPool& pool);
  void check_sizes(std::size_t group, std::span<const ColumnView> columns);
  void note_departure(std::size_t group, std::span<const ColumnView> columns);
  void check_counts(const OutputBranch& branch, const ColumnView& counts, const ColumnView& lists);
  void note_mismatch(std::size_t entry, const std::string& problem);
  void append_strings(std::size_t branch, const ColumnView& column, BufferPool& pool);
  void append_vectors(std::size_t branch, const ColumnView& column, BufferPool& pool);

  const TreeLayout& layout_;
  std::uint64_t num_entries_ = 0;
  std::vector<GrowingBytes> bytes_;                      // by branch
  std::vector<std::vector<std::uint64_t>> group_ends_;   // items of the lists up to the end of each entry
  std::vector<std::vector<std::uint64_t>> object_ends_;  // by branch: bytes
  std::vector<std::uint64_t> largest_counts_;
  std::vector<std::uint64_t> departures_;  // by group: the first entry
  std::optional<SizeMismatch> mismatch_;
};

}  // namespace skimline::io
