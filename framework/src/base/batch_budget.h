// SPDX-License-Identifier: BSD-3-Clause
// The memory that the values of one batch may take: with long lists, batches hold fewer entries.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skimline {

/// Thrown where the values of a batch of several entries would take more than its budget. No user's mistake:
/// whoever runs the batch runs it in parts.
struct BatchTooLarge {};

/// Thrown where the values of a single entry would take more than kMaxEntryBytes.
struct EntryTooLarge {};

/// A batch of one entry cannot be cut: beyond this, it is refused instead of taking all memory.
inline constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 30;

/// What the buffers of one evaluator take. Used by one thread.
class BatchBudget {
 public:
  explicit BatchBudget(std::size_t bytes) : bytes_(bytes) {}

  /// Begins a batch, which takes nothing yet. A single entry takes what it needs, up to kMaxEntryBytes.
  void begin(std::uint64_t num_entries) {
    ++batch_;
    used_ = 0;
    is_bounded_ = num_entries > 1;
  }

  /// The number of the batch, from 1.
  std::uint64_t batch() const { return batch_; }

  /// Gives a buffer so many bytes in place of those that it had of this batch before. Throws BatchTooLarge,
  /// or EntryTooLarge for a single entry.
  void take(std::size_t before, std::size_t bytes) {
    const std::size_t used = used_ - before + bytes;
    if (is_bounded_ && bytes > before && used > bytes_) throw BatchTooLarge();
    if (!is_bounded_ && bytes > before && used > kMaxEntryBytes) throw EntryTooLarge();
    take_anyway(before, bytes);
  }

  /// The same, but throws nothing.
  void take_anyway(std::size_t before, std::size_t bytes) { used_ = used_ - before + bytes; }

  /// Counts memory that buffers hold from batch to batch.
  void hold(std::size_t bytes) { held_ += bytes; }
  void release(std::size_t bytes) { held_ -= bytes; }

  /// Whether a batch of twice as many entries would surely fit.
  bool has_room() const { return used_ < bytes_ / 4; }
  /// Whether buffers hold much more than batches may take, after one that could not be cut.
  bool holds_too_much() const { return held_ > 2 * bytes_; }

 private:
  const std::size_t bytes_;
  std::uint64_t batch_ = 0;
  std::size_t used_ = 0;
  std::size_t held_ = 0;
  bool is_bounded_ = false;
};

}  // namespace skimline
