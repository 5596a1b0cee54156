// SPDX-License-Identifier: BSD-3-Clause
// A file of another machine, read at any place.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/stop_flag.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimline::io {

/// Bytes wanted of a file, and where to put them.
struct RangeRead {
  std::uint64_t offset = 0;
  std::span<std::byte> bytes;
};

/// Bytes of a file in memory.
struct FileBytes {
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

/// What a read of `n` bytes takes, about: `seconds_per_request` + n / `bytes_per_second`. Requests that are
/// under way together wait at the same time.
struct ReadingCost {
  double seconds_per_request = 0;
  double bytes_per_second = 0;
  double least_seconds = 0;  ///< of a request, as far as it is known what one takes that waits for no others
  std::size_t most_requests = 128;  ///< that are under way at once; a server bears fewer than a file system
};

/// A file of another machine, in the state it was opened in. Thread-safe.
class RemoteFile {
 public:
  virtual ~RemoteFile() = default;

  virtual std::uint64_t size() const = 0;
  /// Tells this state of the file from others: its ETag, or when it was modified. Empty if nobody says.
  virtual const std::string& version() const = 0;

  /// Whether no other state can come to have the same version. What was modified less than a second before it
  /// was opened may be modified once more, by time alone the same.
  virtual bool is_settled() const = 0;

  /// Reads all of them, which lie inside the file, in as few rounds as possible: requests for parts of them
  /// are under way at once. Faults that may pass are waited for. Returns how many requests that took. Throws
  /// FileError, and Interrupted soon after `stop` is set.
  virtual std::uint64_t read(std::span<const RangeRead> reads, StopFlag stop) const = 0;

  /// Asks whether its name still leads to the file in this state.
  virtual bool is_unchanged(StopFlag stop) const = 0;

  /// As far as it is known by now.
  virtual ReadingCost cost() const = 0;

  /// What was read before is metadata, what is read from now on is data.
  virtual void end_metadata() const {}
};

/// A server that answers has no such file.
class NoSuchRemoteFile : public FileError {
 public:
  NoSuchRemoteFile(std::string path, std::string_view problem)
      : FileError(std::move(path), problem, FileFault::kUnavailable) {}
};

/// A file just opened, and what came with that.
struct OpenedRemote {
  std::unique_ptr<const RemoteFile> file;
  std::vector<FileBytes> ends;  ///< what it begins and ends with, or all of it
  std::uint64_t requests = 0;
};

}  // namespace skimline::io
