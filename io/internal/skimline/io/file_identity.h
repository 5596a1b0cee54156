// SPDX-License-Identifier: BSD-3-Clause
// Whether paths lead to one file: through links, by other names of folders, whether or not it exists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace skimline::io {

/// Returns the path of the file that `path` leads to once links are followed, whether or not it exists.
/// Throws FileError if links go round in circles.
std::string target_of(const std::string& path);

/// Files that are in use, each with what it is. Two paths are one file if replacing what the one leads to
/// replaces what the other leads to: hard links are two files.
class FilesInUse {
 public:
  /// Returns what the file is in use as, or nothing.
  std::optional<std::string> find(const std::string& path) const;

  /// Takes the file into use, unless it is already.
  void add(const std::string& path, const std::string& what);

 private:
  // An entry of a folder, or, without a name, a file that has no other entry.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::string>;
  struct Keys {
    Key entry;
    std::optional<Key> file;
  };
  static Key entry_to_be_made(const std::filesystem::path& target);
  static Keys keys_of(const std::string& path);

  std::map<Key, std::string> uses_;
};

}  // namespace skimline::io
