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
    bool is_member_wise = false;
    bool is_last = false;
  };
  struct Columns {
    int level = 0;
    bool is_last = false;
  };

  // `next` is the number of path elements used so far, `level` how many lists are around.
  void read_value(const StreamedValue& value, std::size_t next, int level);
  void read_object(const StreamedValue& object, std::size_t next, int level);
  void read_members(const StreamedValue& object, std::size_t next, int level);
  void read_numbers(const StreamedValue& numbers, std::uint64_t count, int level);
  void read_bits(const StreamedValue& bits);
  void read_triangle(const StreamedValue& triangle);
  void read_clones(const StreamedValue& clones, std::size_t next, int level);
  void read_items(const StreamedValue& item, std::uint64_t count, std::size_t next, int level);
  void read_to_end(const StreamedValue& items, std::size_t next);
  void read_collection(const StreamedValue& collection, std::size_t next, int level);
  void read_body(const StreamedValue& collection, Body body, std::size_t next, int level);
  void read_bodies(const StreamedValue& value, std::optional<std::uint64_t> count, std::size_t next,
                   int level);
  void read_columns(const StreamedValue& item, std::uint64_t count, std::size_t next, Columns columns);
  void read_column(const StreamedValue& member, std::uint64_t count, std::size_t next, Columns columns);
  void end_list(int level);

  const std::vector<std::uint32_t>& path_;
  ColumnOutput& output_;
};

}  // namespace skimline::io
