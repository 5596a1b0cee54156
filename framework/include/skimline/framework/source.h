// SPDX-License-Identifier: BSD-3-Clause
// Where entries come from. Implemented by file formats and by generators of events.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/schema.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace skimline {

/// Consecutive entries [first, first + count).
struct EntryRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  std::uint64_t end() const { return first + count; }
};

/// What reading has cost so far. But for read_calls, counts do not depend on the number of threads.
struct ReadStatistics {
  std::uint64_t bytes_read = 0;     ///< bytes asked of the storage
  std::uint64_t read_calls = 0;     ///< requests to the storage
  std::uint64_t pages_decoded = 0;  ///< pages decompressed and decoded
  std::uint64_t bytes_decoded = 0;  ///< their size in memory
};

/// Gives the columns of one slice, batch by batch. Used by one thread at a time.
class SliceReader {
 public:
  virtual ~SliceReader() = default;

  /// Fetches and decodes the given columns for the whole slice, in as few reads as possible. Columns that are
  /// loaded already cost nothing. Throws FileError naming file, column, cluster and byte offset.
  virtual void load(std::span<const std::size_t> columns) = 0;

  /// Returns the values of a loaded column for `range` (entry 0 is the first of the slice). The view lives
  /// until a column is viewed for another range, or `scratch` is used again; it is a view of the decoded page
  /// where the range lies inside one.
  virtual ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch) = 0;
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

  /// Thread-safe; exact once all readers are gone.
  virtual ReadStatistics statistics() const = 0;
};

}  // namespace skimline
