// SPDX-License-Identifier: BSD-3-Clause
// What is fetched of slices that will be opened, while others are computed with.
#pragma once

#include "storage/reader_threads.h"

#include "skimline/io/remote_file.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

namespace skimline::io {

/// Whether a read takes longer than of storage that has its data in memory.
inline bool is_slow_storage(const ReadingCost& cost) { return cost.seconds_per_request > 2e-4; }

/// Which streams of values slices load, as far as is known. Thread-safe.
class LoadedStreams {
 public:
  /// Notes what was loaded of a slice, by stream.
  void note(const std::vector<bool>& is_loaded);
  /// Adds the streams that were loaded of more than half of the slices.
  void add_likely(std::vector<bool>& is_likely) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> num_loaded_;  // slices, by stream
  std::uint64_t num_noted_ = 0;
};

/// Fetches slices ahead of those that are opened, in their order, up to a number of bytes. Does nothing where
/// the storage answers as fast as memory. Thread-safe.
class ReadAhead {
 public:
  struct Slices {
    std::function<std::size_t()> count;
    /// Whether the storage of a slice is slow.
    std::function<bool(std::size_t)> is_slow;
    /// Hands what is likely to be needed of a slice to the threads; returns its bytes.
    std::function<std::uint64_t(std::size_t, ReaderThreads&)> fetch;
  };
  ReadAhead(Slices slices, std::uint64_t most_bytes) : slices_(std::move(slices)), most_bytes_(most_bytes) {}

  /// Slices are opened from `first_slice` on.
  void begin(std::size_t first_slice);
  /// Notes that a slice is opened, and fetches what follows.
  void note_opened(std::size_t slice);
  /// Waits until nothing is being fetched.
  void settle() { threads_.wait_until_idle(); }
  /// For what is needed now of such storage; nullptr if it is fast.
  ReaderThreads* threads_for(const ReadingCost& cost);

 private:
  Slices slices_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::atomic<bool> is_active_ = false;
  std::vector<bool> is_opened_;             // by slice
  std::vector<std::uint64_t> bytes_ahead_;  // the same: of those that are not opened
  std::uint64_t total_bytes_ahead_ = 0;
  std::size_t num_ahead_ = 0;   // slices
  std::size_t most_ahead_ = 0;  // grows with the slices that were opened
  std::size_t next_ = 0;        // slice to look at
  ReaderThreads threads_{kThreads};

  static constexpr std::size_t kThreads = 16;
};

}  // namespace skimline::io
