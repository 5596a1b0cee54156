// SPDX-License-Identifier: BSD-3-Clause
// A file that is read at any place by any thread.
#pragma once

#include "skimline/io/read_stop.h"
#include "skimline/io/remote_file.h"

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

/// How much of a file's ends is read ahead of its metadata.
struct EndSizes {
  std::uint64_t front = 64 * 1024;
  std::uint64_t back = 64 * 1024;
};

/// A file that is only read, at any position: a local one or one named by a URL. Thread-safe.
///
/// Where the storage fails in a way that may pass, it is asked again for about two seconds, for a remote file
/// as long as Patience says. What is thrown then is a FileError of the kind FileFault::kStorage; for a file
/// that is missing, may not be read or changed it is FileFault::kUnavailable.
class InputFile {
 public:
  /// Opens the file; the secrets of a URL are hidden in path(). The ReadStop of the calling thread's scope
  /// ends waiting for a remote file, now and later. Throws FileError if it is missing, a directory or not
  /// readable.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes of the file when it was opened.
  std::uint64_t size() const { return identity_.size; }
  /// Number of the storage that it is on.
  std::uint64_t device() const { return identity_.device; }
  /// Of a file behind a URL what tells this state of it from others, its ETag or when it was modified; else
  /// empty.
  const std::string& version() const { return version_; }
  /// Of a file behind a URL its size there, which is another one if it is not read as it is; else 0.
  std::uint64_t remote_bytes() const { return remote_bytes_; }
  /// Whether the bytes are those of a ROOT file that was made of it: see arrow_library.h.
  bool is_copy() const { return !read_path_.empty() && read_path_ != path_; }
  /// Whether it is read from another machine; such a file has no descriptor.
  bool is_remote() const { return remote_ != nullptr; }
  /// What reading of it takes, about; of a local file in the mean of the last reads.
  ReadingCost cost() const;

  /// Fills `bytes` from `offset` on. Throws FileError if the storage fails or the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// The same of several ranges, in any order. Of a remote file they are asked for at once: what lies near
  /// together comes as one, and all together take little longer than one of them. Returns how many requests
  /// that took.
  std::uint64_t read(std::span<const RangeRead> reads) const;

  /// Reads the two ends, one request each, and answers reads within them from memory until they are dropped:
  /// metadata lie there, in many small records. A file of no more than two ends of the usual sizes is read
  /// whole, in one request. Throws as read() does. Of a remote file they came when it was opened. Storage
  /// that is slow to answer is asked for both ends at once.
  void keep_ends(const EndSizes& sizes = {}, bool is_slow = false) const;
  void drop_ends() const;
  /// Whether all of the file is in memory.
  bool is_kept_whole() const;
  /// Bytes in memory.
  std::uint64_t kept_bytes() const;
  /// How much of the ends was read since the file was opened; what is further inside does not count.
  EndSizes used_ends() const { return {front_used_, back_used_}; }
  /// Reads further inside are none of metadata.
  static constexpr std::uint64_t kLargestEnd = 256 * 1024;
  /// Says that what is read from now on is data, no metadata.
  void end_metadata() const;

  /// Gives the file descriptor back; the next read opens the file again and throws FileError if it changed.
  void release() const;

  /// The local file, kept open: for calls of the system that read() does not know.
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
  /// written to since. A released file is looked up by its path; one that is open may lose its name. Of a
  /// remote file each answer is compared anyway, and nothing is asked here.
  void check_unchanged() const;

  /// Whether its path still names the file as it was when it was opened. A remote file is not asked for again
  /// within ten seconds.
  bool is_at_path() const;

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
  using Ends = std::vector<FileBytes>;

  std::shared_ptr<const Handle> open_handle() const;
  std::shared_ptr<const Handle> handle() const;
  std::shared_ptr<const Ends> ends() const;
  FileBytes read_kept(std::uint64_t offset, std::uint64_t size) const;
  void note_use(const RangeRead& read) const;
  StopFlag stop_flag() const;
  void open_remotely();
  void open_copy(const OpenedRemote& opened);
  void check_inside(const RangeRead& read) const;
  std::uint64_t read_remotely(std::span<const RangeRead> reads) const;
  void read_storage(std::uint64_t offset, std::span<std::byte> bytes) const;
  void note_wait(double seconds, std::size_t num_bytes) const;
  std::size_t read_some(std::uint64_t offset, std::span<std::byte> bytes) const;

  std::string path_;
  std::string read_path_;                     // unless it is remote, where its bytes are: see arrow_library.h
  std::shared_ptr<const ReadStop> stop_;      // may be null
  std::unique_ptr<const RemoteFile> remote_;  // null for a file that is read here
  std::string version_;
  std::uint64_t remote_bytes_ = 0;
  Identity identity_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Handle> handle_;
  mutable std::shared_ptr<const Ends> ends_;  // null unless they are kept
  mutable std::atomic<std::uint64_t> front_used_{0}, back_used_{0};
  mutable std::atomic<std::int64_t> looked_at_{0};  // when a remote file was; seconds of the steady clock
  mutable std::atomic<std::uint64_t> bytes_read_{0};
  mutable std::atomic<std::uint64_t> read_calls_{0};
  mutable std::atomic<double> mean_wait_{-1}, least_wait_{-1};  // negative before the first read
};

}  // namespace skimline::io
