// SPDX-License-Identifier: BSD-3-Clause
// Reads the columns of a friend for the entries of one slice.
#pragma once

#include "columns/column_default.h"
#include "columns/joined_columns.h"

#include "skimline/io/input_source.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace skimline::io {

/// Used by one thread at a time, as SliceReader.
class FriendReader {
 public:
  /// `rows` are the entries of the friend that go with those of the slice, in order; none where nothing does,
  /// which `throw_unmatched` is told of, by its number in the slice, where there is no default.
  FriendReader(InputSource& source, const std::vector<std::optional<std::uint64_t>>& rows,
               const std::map<std::size_t, ColumnDefault>& defaults,
               std::function<void(std::uint64_t)> throw_unmatched);
  /// The same for consecutive entries.
  FriendReader(InputSource& source, EntryRange rows);

  void load(std::span<const std::size_t> columns);
  ColumnView view(std::size_t column, EntryRange range, ColumnBuffer& scratch);

 private:
  struct OpenSlice {
    std::size_t number = 0;
    std::unique_ptr<SliceReader> reader;
  };
  // Entries of the slice that go with consecutive entries of a slice of the friend, or with none.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
    std::optional<std::size_t> slice;  // in `open_`
    std::uint64_t first = 0;           // in that slice
  };
  using Place = std::pair<std::size_t, std::size_t>;  // column, slice in `open_`

  std::size_t opened(std::uint64_t entry);
  void append(std::optional<std::uint64_t> row);
  ColumnPiece piece(std::size_t column, const Run& run, EntryRange part);
  ColumnPiece default_piece(std::size_t column, EntryRange part);

  InputSource& source_;
  const std::map<std::size_t, ColumnDefault>* defaults_ = nullptr;
  std::function<void(std::uint64_t)> throw_unmatched_;
  bool is_in_order_ = false;
  std::vector<OpenSlice> open_;
  std::map<std::size_t, std::size_t> place_of_;  // in `open_`, by number of the slice
  std::vector<Run> runs_;
  std::vector<ColumnPiece> pieces_;
  std::map<Place, ColumnBuffer> scratch_;
  std::map<Place, ColumnView> whole_;  // columns of whole slices
  std::map<std::size_t, ColumnBuffer> default_scratch_;
};

}  // namespace skimline::io
