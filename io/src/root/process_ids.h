// SPDX-License-Identifier: BSD-3-Clause
// The processes that made the objects which references lead to (TProcessID): an object that is referred to,
// TRef and TRefArray have the number of one in their file, to which the key in front of their record adds.
#pragma once

#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::io {

constexpr std::string_view kProcessClass = "TProcessID";
/// Most that a file can have: their numbers have 16 bits, and ROOT needs some for itself.
constexpr std::size_t kMostProcesses = 65000;

/// The number of the process that an object of this path would be, wherever it can be one by its name.
std::optional<std::uint16_t> process_number(std::string_view path);

/// The identifiers of a file by their numbers, of `keys`, all of which are of kProcessClass. Throws
/// FormatError unless their numbers are those from 0 on, each once, and FileError.
std::vector<std::string> read_process_ids(const RootFile& file, const std::vector<RootKey>& keys);

/// An identifier as an object of a file.
RootObject process_object(std::size_t number, const std::string& identifier);

/// What the key in front of a record, which begins with it, adds to the numbers of processes in it. Throws
/// FormatError for less than a key.
std::uint16_t process_offset(std::span<const std::byte> record);

/// From the numbers of processes of one file to those of another one that its records are copied into.
struct ProcessShift {
  std::uint32_t num_known = 0x10000;  ///< identifiers of the file
  std::uint16_t shift = 0;
  std::uint16_t nowhere = 0;  ///< for what refers to processes that the file does not know

  /// Whether the other file has identifiers at all.
  bool matters() const { return num_known <= kMostProcesses; }

  /// What the key of a copied record adds, where that of the original adds `offset`.
  std::uint16_t of(std::uint16_t offset) const {
    return offset < num_known ? static_cast<std::uint16_t>(offset + shift) : nowhere;
  }
};

/// The processes of several files together, as they are numbered in a file that all of them are merged into.
///
/// Equal ones are there once, unless files have them in an order that one number to add cannot express.
/// Versions of ROOT up to 6.40 do not look at what the keys of baskets add: for them, too, the numbers that
/// one file can have lead to as many different processes, wherever its own ones do.
class ProcessTable {
 public:
  /// Adds the identifiers of the next file.
  void add(const std::vector<std::string>& identifiers);

  /// Numbers those of all files. Throws Error if they are more than kMostProcesses.
  void place();

  // Valid after place().
  const std::vector<std::string>& all() const { return all_; }
  ProcessShift shift(std::size_t file) const;

 private:
  using Numbers = std::vector<std::uint32_t>;  // of different identifiers
  void place_in(const std::vector<std::size_t>& order);
  std::size_t place_of(const Numbers& numbers) const;
  bool has_equal_ones() const;

  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<Numbers> files_;
  Numbers numbers_;                   // of all
  std::vector<std::uint16_t> first_;  // by file
  std::vector<std::string> all_;
};

}  // namespace skimline::io
