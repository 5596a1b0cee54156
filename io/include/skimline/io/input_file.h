// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace skimline::io {

/// A local file that is only read, at any position. Thread-safe.
class InputFile {
 public:
  /// Opens the file. Throws FileError if it is missing, a directory or not readable.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes of the file when it was opened.
  std::uint64_t size() const { return size_; }

  /// Fills `bytes` from `offset` on. Throws FileError if the storage fails or the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// Gives the file descriptor back; the next read opens the file again and throws FileError if its size
  /// changed.
  void release() const;

  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t read_calls() const { return read_calls_; }

 private:
  class Handle;
  std::shared_ptr<const Handle> handle() const;

  std::string path_;
  std::uint64_t size_ = 0;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Handle> handle_;
  mutable std::atomic<std::uint64_t> bytes_read_{0};
  mutable std::atomic<std::uint64_t> read_calls_{0};
};

}  // namespace skimline::io
