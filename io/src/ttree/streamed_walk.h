// SPDX-License-Identifier: BSD-3-Clause
// Goes through the bytes of an entry in the order in which ROOT writes the members of classes.
#pragma once

#include "ttree/column_output.h"
#include "ttree/entry_cursor.h"
#include "ttree/streamed_value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skimline::io {

/// Reads the wanted part of each entry into a column and skips the rest. Throws FormatError where bytes are
/// not what the value should be.
class EntryWalk : private EntryCursor {
 public:
  EntryWalk(const std::vector<std::uint32_t>& path, ColumnOutput& output) : path_(path), output_(output) {}

  void read(const StreamedValue& value, std::span<const std::byte> entry);

 private:
  // How the items of a list lie; what follows the `is_last` need not be skipped.
  struct Body {
    const StreamedValue* layout = nullptr;  // of objects whose members follow one after another
    bool is_last = false;
  };
  // Members of objects of the class of `item`, which are stored in a version of its own.
  struct Columns {
    const StreamedValue& item;
    const StreamedValue& stored;
    std::uint64_t count;
    int level;
    bool is_last;
  };

  // `next` is the number of path elements used so far, `level` how many lists are around.
  void read_value(const StreamedValue& value, std::size_t next, int level);
  void read_parts(const StreamedValue& entry);
  void read_object(const StreamedValue& object, const StreamedValue& likely, std::size_t next, int level);
  std::size_t place_of(const StreamedValue& object, const StreamedValue& stored, std::size_t number,
                       std::size_t& next) const;
  std::size_t read_member(const StreamedValue& object, const StreamedValue& stored, std::size_t number,
                          std::size_t next, int level);
  void add_missing(const StreamedValue& value, std::size_t next, int level);
  void add_zeros(const StreamedValue& numbers, int level);
  static std::uint64_t size_of_arrays(const StreamedValue& numbers, int level);
  void end_arrays(const StreamedValue& numbers, std::uint64_t count, int level);
  void read_numbers(const StreamedValue& numbers, std::uint64_t count, int level);
  void read_bits(const StreamedValue& bits);
  void read_triangle(const StreamedValue& triangle);
  void read_clones(const StreamedValue& clones, std::size_t next, int level);
  void read_array(const StreamedValue& array, std::size_t next, int level);
  void read_items(const StreamedValue& item, std::uint64_t count, std::size_t next, int level);
  void read_to_end(const StreamedValue& items, std::size_t next);
  void read_body(const StreamedValue& value, Body body, std::size_t next, int level);
  void read_array_body(const StreamedValue& array, Body body, std::size_t next, int level);
  void read_list_body(const StreamedValue& collection, Body body, std::size_t next, int level);
  void read_bodies(const StreamedValue& value, std::optional<std::uint64_t> count, std::size_t next,
                   int level);
  void read_columns(const Columns& columns, std::size_t next);
  void read_column(const StreamedValue& member, const Columns& columns, std::size_t next);
  void read_counted_column(const StreamedValue& member, const Columns& columns, std::size_t next);
  void end_list(int level);

  const std::vector<std::uint32_t>& path_;
  ColumnOutput& output_;
};

}  // namespace skimline::io
