// SPDX-License-Identifier: BSD-3-Clause
// Takes the survivors of one slice out of carried columns.
#pragma once

#include "rntuple/carried_fields.h"
#include "rntuple/gathered_entries.h"
#include "rntuple/slice_elements.h"

#include "skimline/io/compression.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace skimline::io {

/// Gathers once, for one slice.
class SliceGatherer {
 public:
  /// Pages that survive whole can stay stored if they are compressed as `compression` says, or in a way that
  /// may be chosen if it is to be.
  SliceGatherer(SliceElements& stored, const CarriedFields& fields,
                std::optional<CompressionSetting> compression, GatheredEntries& gathered);

  /// `entries` are the survivors, counted from the start of the slice, ascending and not adjacent. Throws
  /// FileError.
  void gather(std::span<const ElementRange> entries);

 private:
  // What is taken of a level.
  struct Selection {
    std::vector<ElementRange> runs;  // ascending
    ElementRange slice;              // of which the runs are a part
    std::uint64_t count = 0;
    std::size_t depth = 0;                   // levels are read in this order
    const ElementPages* elements = nullptr;  // of the index or switch column that makes the level
  };

  std::vector<std::size_t> find_streams() const;
  std::size_t stream_of(std::size_t column) const { return streams_[column]; }
  ElementRange needed(std::size_t level) const;
  void load_outer_columns(std::size_t depth);
  void make_level(std::size_t level);
  void make_array(std::size_t level, Selection& selection);
  void make_collection(std::size_t level, Selection& selection);
  void make_alternative(std::size_t level, Selection& selection);
  bool take_from_equal(std::size_t level);
  void gather_columns();
  void decode_what_is_copied();
  void gather_column(std::size_t column, const ElementPages& range);
  void gather_ends(std::size_t column, const ElementPages& range);
  void gather_switch(std::size_t column, const ElementPages& range);
  bool can_stay_stored(std::size_t column, const ElementPages& range) const;
  std::optional<std::size_t> column_inside(std::size_t level) const;
  [[noreturn]] void fail(std::size_t column, const std::string& problem) const;

  SliceElements& stored_;
  const CarriedFields& fields_;
  std::optional<CompressionSetting> compression_;
  GatheredEntries& gathered_;
  std::vector<std::size_t> streams_;                    // by column
  std::vector<std::shared_ptr<Selection>> selections_;  // by level; equal ones are one
  // By the outer level and the stream of ends, the first level that they make.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> first_levels_;
};

}  // namespace skimline::io
