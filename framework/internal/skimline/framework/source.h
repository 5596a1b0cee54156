// SPDX-License-Identifier: BSD-3-Clause
// Where entries come from. Implemented by file formats and by generators of events.
#pragma once

#include "skimline/framework/column.h"
#include "skimline/framework/entry_range.h"
#include "skimline/framework/read_statistics.h"
#include "skimline/framework/schema.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace skimline {

/// A slice as its file stores it. What that is knows the library of the format only, which defines it: `io`.
class StoredSlice;

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

  /// For sinks that carry fields of the source; nullptr if it has none that can be carried.
  virtual StoredSlice* stored() { return nullptr; }
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

  /// The number of the cluster that a slice is read of: slices with equal numbers follow each other and share
  /// what is decoded.
  virtual std::size_t cluster_of(std::size_t slice) const { return slice; }

  /// Says that from now on slices are opened, from `first_slice` on, and what is loaded of each of them: what
  /// takes long to read may be read before.
  virtual void read_ahead(std::span<const std::size_t> columns, std::size_t first_slice) {
    static_cast<void>(columns);
    static_cast<void>(first_slice);
  }
  /// Reads before what read_ahead() told of, not only once a slice is opened.
  virtual void fetch_ahead() {}

  /// Starts reading slice number `slice`. Thread-safe. The reader must not outlive the source.
  virtual std::unique_ptr<SliceReader> open_slice(std::size_t slice) = 0;

  /// Bytes that have to be read for all entries of a column; 0 if unknown. Pages that it shares with other
  /// columns count for each.
  virtual std::uint64_t stored_bytes(std::size_t column) const = 0;

  /// Thread-safe; exact once all readers are gone, and all portions of sinks.
  virtual ReadStatistics statistics() const = 0;
};

}  // namespace skimline
