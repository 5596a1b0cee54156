// SPDX-License-Identifier: BSD-3-Clause
// Objects of some classes in a file, by their names.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/io/format_error.h"
#include "skimline/io/root_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Returns the paths of the objects whose class `is_wanted` takes, each the newest of its name, in the order
/// of the file.
template <typename IsWanted>
std::vector<std::string> paths_of_objects(const RootFile& file, IsWanted is_wanted) {
  std::vector<std::string> paths;
  for (const RootKey& key : file.keys())
    if (is_wanted(key.class_name) && file.find(key.path) == &key) paths.push_back(key.path);
  return paths;
}

inline constexpr const char* kTwoOfOnePath =
    "one object has this path by its name, and another by its directory";

/// Throws FileError if the path of a key is that of another object too.
inline void check_only_one(const RootFile& file, const RootKey& key) {
  if (file.has_namesake(key))
    throw FileError(file.path(), "\"" + key.path + "\": " + kTwoOfOnePath, FileFault::kUnavailable);
}

/// Returns what `read` makes of the key of the newest object called `path`. Throws FileError if there is
/// none, or two, and for what FormatError says of it, with its place; `kind` is what messages call it.
template <typename Read>
auto read_named_object(const RootFile& file, std::string_view path, const std::string& kind, Read read) {
  const RootKey* key = file.find(path);
  if (key == nullptr) throw FileError(file.path(), "has no " + kind + " \"" + std::string(path) + "\"");
  check_only_one(file, *key);
  try {
    return read(*key);
  } catch (const FormatError& error) {
    throw FileError(file.path(), kind + " \"" + key->path + "\" at byte " + std::to_string(key->offset) +
                                     ": " + error.what());
  }
}

}  // namespace skimline::io
