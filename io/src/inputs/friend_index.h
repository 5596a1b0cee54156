// SPDX-License-Identifier: BSD-3-Clause
// Entries of a source by the values of some of its columns.
#pragma once

#include "skimline/io/input_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Values of several columns for consecutive entries, entry by entry.
using MatchKeys = std::vector<std::uint64_t>;

/// What is matched: a friend, or the input that it is a friend of.
struct MatchSide {
  std::string friend_name;
  bool is_input = false;

  /// As messages call it.
  std::string what() const {
    return (is_input ? "the input of the friend \"" : "the friend \"") + friend_name + "\"";
  }
};

/// Returns the numbers of the columns. Throws MatchError unless each is one whole number per entry.
std::vector<std::size_t> match_columns(const InputSource& source, const std::vector<std::string>& names,
                                       const MatchSide& side);

/// Reads the values of the columns for all entries of a slice.
MatchKeys read_keys(SliceReader& reader, const Schema& schema, std::span<const std::size_t> columns,
                    std::uint64_t num_entries);

/// Which of the columns are std::uint64_t: their large values are no negative ones of other columns.
std::vector<bool> unsigned_columns(const Schema& schema, std::span<const std::size_t> columns);

class FriendIndex {
 public:
  /// Reads the columns of all entries. Throws FileError if two entries have the same values.
  FriendIndex(InputSource& source, const std::vector<std::string>& names, const MatchSide& side);

  /// Returns the entry with these values, which are of columns that are unsigned or not.
  std::optional<std::uint64_t> find(const std::uint64_t* key, const std::vector<bool>& is_unsigned) const;

 private:
  const std::uint64_t* key_of(std::uint64_t entry) const { return keys_.data() + entry * width_; }
  bool is_less(const std::uint64_t* a, const std::uint64_t* b) const;

  std::size_t width_;
  std::vector<bool> is_unsigned_;
  MatchKeys keys_;
  std::vector<std::uint64_t> order_;  // entries, by their keys
};

}  // namespace skimline::io
