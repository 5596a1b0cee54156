// SPDX-License-Identifier: BSD-3-Clause
// Keeps large buffers for reuse: fresh memory from the system costs a page fault per 4 KiB.
#pragma once

#include "storage/large_pages.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace skimline::io {

/// Hands out uninitialised memory and takes it back. Thread-safe; outlived by no buffer.
class BufferPool {
 public:
  struct Return {
    BufferPool* pool = nullptr;
    std::size_t capacity = 0;
    void operator()(std::byte* memory) const {
      if (pool) pool->give_back(memory, capacity);
    }
  };
  using Buffer = std::unique_ptr<std::byte, Return>;

  explicit BufferPool(std::size_t max_idle_bytes) : max_idle_bytes_(max_idle_bytes) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// How much may lie idle from now on.
  void set_max_idle_bytes(std::size_t bytes);

  /// Bytes behind those asked for.
  static constexpr std::size_t kPadding = 64;

  /// Returns at least `size` bytes, aligned to 64 and padded: idle ones if there are some of up to about
  /// twice the size.
  Buffer take(std::size_t size);

  /// Most bytes there were at a time, idle ones included.
  std::size_t peak_bytes() const { return peak_bytes_; }

 private:
  Buffer take_idle(std::size_t number);  // of a class of capacities; with the mutex locked
  // Capacities are without the padding.
  std::byte* allocate(std::size_t capacity);
  void free(std::byte* memory, std::size_t capacity);
  void give_back(std::byte* memory, std::size_t capacity);

  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> peak_bytes_{0};
  std::size_t max_idle_bytes_;
  LargePages large_;
  std::mutex mutex_;
  std::size_t idle_bytes_ = 0;
  std::vector<std::vector<std::byte*>> idle_;  // by class of capacities
};

}  // namespace skimline::io
