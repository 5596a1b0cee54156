// SPDX-License-Identifier: BSD-3-Clause
// A file that is complete or absent: written under a temporary name beside its target, then renamed. A device
// is written as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skimline::io {

/// Positional writes are thread-safe.
class OutputFile {
 public:
  /// Creates the temporary file, ".<name>.<process>-<number>.part", or opens the character device of that
  /// name, such as /dev/null. Throws FileError naming `path`.
  explicit OutputFile(std::string path);
  /// Removes the temporary file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }

  /// Throws FileError if the storage refuses, for instance because it is full.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);

  /// Writes pieces one after the other from `offset` on, in as few calls as possible.
  void write(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces);

  /// Gives the file this size and synchronises it with the storage. No writing any more.
  void complete(std::uint64_t size);

  /// Gives the complete file its name, replacing what had it. A device is only closed.
  void publish();

  /// Both.
  void commit(std::uint64_t size);

 private:
  void open_device();
  void create_temporary_file();
  void synchronise(std::uint64_t size);
  void close();
  [[noreturn]] void fail(const std::string& problem) const;

  std::string path_;
  std::string target_path_;     // what `path_` leads to
  std::string temporary_path_;  // empty for a device
  int descriptor_ = -1;
};

}  // namespace skimline::io
