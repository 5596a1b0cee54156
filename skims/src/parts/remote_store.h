// SPDX-License-Identifier: BSD-3-Clause
// A store at a URL: its files in one folder there, and what is used of them in a folder of this machine.
#pragma once

#include "skimline/skims/temporary_folder.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Files of parts, which have the same names in both places but for the folder of the part: that is the front
/// of a name at the URL, since servers differ in how folders are made. What the server has is looked up once.
/// Thread-safe.
class RemoteStore {
 public:
  /// Lists the folder, which must exist where the server knows folders. Secrets of the URL may be hidden.
  /// Throws FileError, and Interrupted.
  explicit RemoteStore(const std::string& url);

  /// Where copies lie, as in a store that is a folder.
  const std::string& folder() const { return copies_.path(); }

  /// Whether the server has a file of a part.
  bool has(const std::string& part, const std::string& name) const;

  /// All files that the server has had when it was asked.
  struct File {
    std::string part, name;
  };
  std::vector<File> files() const;
  /// The bytes of a file; nothing if it is not there any more. Throws FileError.
  std::optional<std::uint64_t> size_of(const File& file) const;

  /// Copies a file of a part to a path, unless it is there already, or the server has none any more. Throws
  /// FileError if it cannot be read, and Interrupted.
  void fetch(const std::string& part, const std::string& name, const std::string& path);
  /// The same of all files of a part that end so, into a folder, which is made.
  void fetch_all(const std::string& part, const std::string& ending, const std::string& folder);

  /// Sends a complete file of a part, in place of what has its name. Throws FileError, and Interrupted.
  void send(const std::string& part, const std::string& path);

 private:
  std::string url_of(const std::string& name) const;

  std::string url_;
  TemporaryFolder copies_;
  mutable std::mutex mutex_;
  std::set<std::string> names_;    // at the server: "<part>.<name>"
  std::set<std::string> fetched_;  // of these
};

}  // namespace skimline::skims
