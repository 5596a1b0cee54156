// SPDX-License-Identifier: BSD-3-Clause
// What is fetched of slices that will be opened, while others are computed with.
#pragma once

#include "storage/reader_threads.h"

#include "skimline/io/remote_file.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace skimline::io {

/// Whether a read takes longer than of storage that has its data in memory.
inline bool is_slow_storage(const ReadingCost& cost) { return cost.seconds_per_request > 2e-4; }

/// Which streams of values slices load, as far as is known. Thread-safe.
class LoadedStreams {
 public:
  /// Notes what was loaded of a slice, by stream.
  void note(const std::vector<bool>& is_loaded);
  /// Adds the streams that were loaded of more than half of the slices. Returns whether any was noted.
  bool add_likely(std::vector<bool>& is_likely) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> num_loaded_;  // slices, by stream
  std::uint64_t num_noted_ = 0;
};

/// Fetches slices ahead of those that are opened, in their order, up to a number of bytes: those of one
/// source or of several that are read one after the other. Does nothing where the storage answers as fast as
/// memory. Thread-safe.
class ReadAhead {
 public:
  struct Slices {
    std::function<std::size_t()> count;
    /// What reading of a slice's storage takes.
    std::function<ReadingCost(std::size_t)> cost;
    /// Hands what is likely to be needed of a slice to the threads; returns its bytes.
    std::function<std::uint64_t(std::size_t, ReaderThreads&)> fetch;
  };
  explicit ReadAhead(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Adds the slices of a source behind those of others; returns its number.
  std::size_t add(Slices slices);
  /// Forgets a source. Nothing of any source is being fetched then, nor will be what had not been begun.
  void remove(std::size_t source);

  /// Slices of a source are opened from `first_slice` on.
  void begin(std::size_t source, std::size_t first_slice);
  /// Fetches the first slices of a source that began.
  void fetch(std::size_t source);
  /// Notes that a slice is opened, and fetches what follows.
  void note_opened(std::size_t source, std::size_t slice);
  /// Waits until nothing is being fetched.
  void settle() { threads_.wait_until_idle(); }
  /// For what is needed now of such storage; nullptr if it is fast, or nothing began.
  ReaderThreads* threads_for(const ReadingCost& cost);

 private:
  // The slices of one source.
  struct Run {
    Slices slices;
    bool is_active = false;
    std::vector<bool> is_opened;             // by slice
    std::vector<std::uint64_t> bytes_ahead;  // the same: of those that are not opened
    std::size_t next = 0;                    // slice to look at

    bool is_known(std::size_t slice) const { return slice < is_opened.size(); }
  };

  void forget_ahead(Run& run, std::size_t slice);
  bool has_room(const ReadingCost& cost) const;
  bool fetch_rest(Run& run);
  void fetch_from(std::size_t source);

  std::uint64_t most_bytes_;
  std::atomic<bool> is_active_ = false;
  std::mutex mutex_;
  std::vector<Run> runs_;     // by source
  std::size_t next_run_ = 0;  // before it, nothing is left to fetch
  std::uint64_t total_bytes_ahead_ = 0;
  std::size_t num_ahead_ = 0;   // slices
  std::size_t most_ahead_ = 0;  // grows with the slices that were opened
  ReaderThreads threads_{0};
};

/// One source among those that are read ahead together; the last member of what its callbacks use.
class AheadSource {
 public:
  AheadSource(std::shared_ptr<ReadAhead> ahead, ReadAhead::Slices slices)
      : ahead_(std::move(ahead)), number_(ahead_->add(std::move(slices))) {}
  ~AheadSource() { ahead_->remove(number_); }
  AheadSource(const AheadSource&) = delete;
  AheadSource& operator=(const AheadSource&) = delete;

  void begin(std::size_t first_slice) { ahead_->begin(number_, first_slice); }
  void fetch() { ahead_->fetch(number_); }
  void note_opened(std::size_t slice) { ahead_->note_opened(number_, slice); }
  void settle() const { ahead_->settle(); }
  ReaderThreads* threads_for(const ReadingCost& cost) { return ahead_->threads_for(cost); }

 private:
  std::shared_ptr<ReadAhead> ahead_;
  std::size_t number_;
};

}  // namespace skimline::io
