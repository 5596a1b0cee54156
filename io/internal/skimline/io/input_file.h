// SPDX-License-Identifier: BSD-3-Clause
// A file that is read at any place by any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {

class InputFileHandle;

/// What was asked of the storage.
struct ReadCounts {
  std::uint64_t bytes = 0;
  std::uint64_t calls = 0;
};

inline ReadCounts operator+(const ReadCounts& left, const ReadCounts& right) {
  return {left.bytes + right.bytes, left.calls + right.calls};
}

inline ReadCounts operator-(const ReadCounts& after, const ReadCounts& before) {
  return {after.bytes - before.bytes, after.calls - before.calls};
}

/// A local file that is only read, at any position. Thread-safe.
///
/// Where the storage fails in a way that may pass, it is asked again for about two seconds. What is thrown
/// then is a FileError of the kind FileFault::kStorage; for a file that is missing, may not be read or
/// changed it is FileFault::kUnavailable.
class InputFile {
 public:
  /// Opens the file. Throws FileError if it is missing, a directory or not readable.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes of the file when it was opened.
  std::uint64_t size() const { return identity_.size; }
  /// Number of the storage that it is on.
  std::uint64_t device() const { return identity_.device; }

  /// Fills `bytes` from `offset` on. Throws FileError if the storage fails or the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// Reads the first and the last kEndBytes, one request each, and answers reads within them from memory
  /// until drop_ends(): metadata lie there, in many small records. A file of no more than both is read whole.
  /// Throws as read() does.
  void keep_ends() const;
  void drop_ends() const;
  static constexpr std::uint64_t kEndBytes = 64 * 1024;

  /// Gives the file descriptor back; the next read opens the file again and throws FileError if it changed.
  void release() const;

  /// The file, kept open: for calls of the system that read() does not know.
  class Opened {
   public:
    int descriptor() const;

   private:
    friend class InputFile;
    explicit Opened(std::shared_ptr<const InputFileHandle> handle) : handle_(std::move(handle)) {}
    std::shared_ptr<const InputFileHandle> handle_;
  };
  /// Throws FileError as read() does.
  Opened opened() const { return Opened(handle()); }

  /// Throws FileError unless the file is what it was when it was opened: the same one, as long as then, not
  /// written to since. A released file is looked up by its path; one that is open may lose its name.
  void check_unchanged() const;

  /// Whether its path still names the file as it was when it was opened.
  bool is_at_path() const;

  /// Seconds that a read waits for the storage, in the mean of the last reads: what copying from memory takes
  /// does not count.
  double mean_wait() const { return std::max(0.0, mean_wait_.load(std::memory_order_relaxed)); }

  /// What the storage was asked for so far.
  ReadCounts reads() const { return {bytes_read_, read_calls_}; }

 private:
  using Handle = InputFileHandle;
  // What tells a file, in one state, from all others.
  friend class InputFileHandle;
  struct Identity {
    std::uint64_t device = 0, number = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  // of the last change of its content

    friend bool operator==(const Identity&, const Identity&) = default;
  };
  // Bytes of the file that are kept in memory.
  struct Kept {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };
  using Ends = std::vector<Kept>;

  std::shared_ptr<const Handle> handle() const;
  std::shared_ptr<const Ends> ends() const;
  Kept read_kept(std::uint64_t offset, std::uint64_t size) const;
  void read_storage(std::uint64_t offset, std::span<std::byte> bytes) const;
  void note_wait(double seconds, std::size_t num_bytes) const;
  std::size_t read_some(std::uint64_t offset, std::span<std::byte> bytes) const;

  std::string path_;
  Identity identity_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Handle> handle_;
  mutable std::shared_ptr<const Ends> ends_;  // null unless they are kept
  mutable std::atomic<std::uint64_t> bytes_read_{0};
  mutable std::atomic<std::uint64_t> read_calls_{0};
  mutable std::atomic<double> mean_wait_{-1};  // negative before the first read
};

}  // namespace skimline::io
