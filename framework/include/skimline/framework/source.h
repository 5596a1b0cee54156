// SPDX-License-Identifier: BSD-3-Clause
// Where entries come from. Implemented by file formats and by generators of events.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/schema.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace skimline {

/// Consecutive entries [first, first + count).
struct EntryRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  std::uint64_t end() const { return first + count; }
};

/// What reading has cost so far, and what it did not cost. But for read_calls, counts do not depend on the
/// number of threads.
///
/// Used are the columns that were loaded for any slice, and those that skims carry. Each of their stored
/// pages in the whole source is decoded, passed, both, or skipped; those that several columns share count
/// once.
struct ReadStatistics {
  std::uint64_t bytes_read = 0;     ///< bytes asked of the storage
  std::uint64_t read_calls = 0;     ///< requests to the storage
  std::uint64_t pages_decoded = 0;  ///< pages decompressed and decoded, as often as that was done
  std::uint64_t bytes_decoded = 0;  ///< their size in memory
  std::uint64_t pages_passed = 0;   ///< pages that skims copied as they are stored
  std::uint64_t bytes_passed = 0;   ///< their stored size
  std::uint64_t pages_skipped = 0;  ///< pages of used columns neither decoded nor passed: no entry needs them
  std::uint64_t bytes_skipped = 0;  ///< their stored size
  /// Stored size of the pages decoded or passed, each once in its cluster: of those whose bytes were compared
  /// with a checksum, their own or that of their compression, and of those that have none.
  std::uint64_t bytes_verified = 0;
  std::uint64_t bytes_unverified = 0;

  /// Adds what another source has cost.
  ReadStatistics& operator+=(const ReadStatistics& other);
};

/// Gives the columns of one slice, batch by batch. Used by one thread at a time.
class SliceReader {
 public:
  virtual ~SliceReader() = default;

  /// Fetches the given columns for the whole slice, in as few reads as possible. Columns that are loaded
  /// already cost nothing. Throws FileError naming file, column, cluster and byte offset.
  virtual void load(std::span<const std::size_t> columns) = 0;

  /// Does now what viewing loaded columns for `range` costs, together with other threads that need the same.
  /// Views without it may make them wait for each other.
  virtual void prepare(std::span<const std::size_t> columns, EntryRange range) {
    static_cast<void>(columns);
    static_cast<void>(range);
  }

  /// Returns the values of a loaded column for `range` (entry 0 is the first of the slice), of which pages
  /// are decoded when they are viewed first. The view lives until a column is viewed for another range, or
  /// `scratch` is used again; it is a view of the decoded page where the range lies inside one. Throws
  /// FileError as load() does.
  virtual ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) = 0;

  /// Name of the file that the slice is of, as the user gave it; empty if there is none. It lives as long as
  /// the source.
  virtual std::string_view file() const = 0;
};

/// A sequence of entries with typed columns, cut into slices: the units of parallel work.
class Source {
 public:
  virtual ~Source() = default;

  virtual const Schema& schema() const = 0;
  virtual std::uint64_t num_entries() const = 0;

  /// The slices in entry order: contiguous, never empty, together all entries. They depend on the data only,
  /// never on the number of threads.
  virtual const std::vector<EntryRange>& slices() const = 0;

  /// Starts reading slice number `slice`. Thread-safe. The reader must not outlive the source.
  virtual std::unique_ptr<SliceReader> open_slice(std::size_t slice) = 0;

  /// Bytes that have to be read for all entries of a column; 0 if unknown. Pages that it shares with other
  /// columns count for each.
  virtual std::uint64_t stored_bytes(std::size_t column) const = 0;

  /// Thread-safe; exact once all readers are gone, and all portions of sinks.
  virtual ReadStatistics statistics() const = 0;
};

}  // namespace skimline
