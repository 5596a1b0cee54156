// SPDX-License-Identifier: BSD-3-Clause
// Which entries of trees were chosen: objects of class TEntryList and TEventList.
#pragma once

#include "skimline/io/root_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Entries by their numbers, in memory as ROOT stores them: it grows with the file and not with the numbers.
class EntryNumbers {
 public:
  /// Entries that are kept together.
  static constexpr std::uint64_t kBlockEntries = 64000;

  /// What is known of the entries from `number` * kBlockEntries on.
  struct Block {
    enum class Kind {
      kBits,   ///< bit b of word w is the entry 16 w + b
      kThose,  ///< rising numbers of entries
      kOthers  ///< of those that are not chosen
    };
    std::uint64_t number = 0;
    Kind kind = Kind::kThose;
    std::vector<std::uint16_t> words;
  };

  /// Blocks come in the order of their numbers. Throws FormatError if one is not as its kind says.
  void add(Block block);

  bool contains(std::uint64_t entry) const;
  /// How many there are.
  std::uint64_t count() const { return count_; }
  /// Bytes that are the same for lists that were stored alike, and others for other entries.
  std::string content() const;
  /// The largest one, or nothing.
  std::optional<std::uint64_t> last() const { return last_; }

 private:
  std::vector<Block> blocks_;
  std::uint64_t count_ = 0;
  std::optional<std::uint64_t> last_;
};

/// Chosen entries of one tree.
struct EntriesOfTree {
  std::string tree;  ///< its name; empty if the list does not say
  std::string file;  ///< its path or URL, as ROOT has it: absolute; empty if the list does not say
  EntryNumbers entries;
};

/// What a TEntryList or a TEventList holds.
struct EntryList {
  std::string name;                  ///< of the object, with its directories
  std::vector<EntriesOfTree> trees;  ///< each once
  /// Whether entries are counted through all files, as a TEventList does; `trees` has one without names then.
  bool counts_through = false;
};

/// Whether a class of a key is TEntryList or TEventList.
bool is_entry_list_class(std::string_view class_name);

/// Returns the paths of the lists of entries in a file, in its order.
std::vector<std::string> entry_list_names(const RootFile& file);

/// Reads the newest list called `path`. Throws FileError if it is not there, is of another class or damaged.
/// Thread-safe.
EntryList read_entry_list(const RootFile& file, std::string_view path);

}  // namespace skimline::io
