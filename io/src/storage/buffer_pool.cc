// SPDX-License-Identifier: BSD-3-Clause
#include "storage/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace skimline::io {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kSmallest = 32 * 1024;  // smaller ones are served as well by the allocator
// What lies idle and is up to twice as large as asked for is better than fresh memory.
constexpr std::size_t kLargerClasses = 4;

// The sanitizer looks after what its own allocator gives.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kUsesLargePages = false;
#else
constexpr bool kUsesLargePages = true;
#endif

// Quarters of powers of two waste at most a fifth of the memory.
std::size_t rounded(std::size_t size) {
  if (size < kSmallest) return size;
  const std::size_t step = std::size_t{1} << (std::bit_width(size) - 3);
  return (size + step - 1) & ~(step - 1);
}

bool is_in_large_pages(std::size_t capacity) { return kUsesLargePages && capacity >= kSmallest; }

std::size_t size_class(std::size_t capacity) {
  const auto log = static_cast<std::size_t>(std::bit_width(capacity));
  return 4 * log + ((capacity >> (log - 3)) - 4);
}

std::size_t capacity_of(std::size_t number) { return (4 + number % 4) << (number / 4 - 3); }

}  // namespace

BufferPool::~BufferPool() {
  if (kUsesLargePages) return;
  for (const std::vector<std::byte*>& buffers : idle_)
    for (std::byte* memory : buffers) ::operator delete(memory, kAlignment);
}

void BufferPool::set_max_idle_bytes(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  max_idle_bytes_ = bytes;
}

BufferPool::Buffer BufferPool::take(std::size_t size) {
  const std::size_t capacity = rounded(size);
  if (capacity >= kSmallest) {
    const std::lock_guard lock(mutex_);
    const std::size_t own = size_class(capacity), end = std::min(own + kLargerClasses + 1, idle_.size());
    for (std::size_t number = own; number < end; ++number)
      if (!idle_[number].empty()) return take_idle(number);
  }
  return Buffer(allocate(capacity), {this, capacity});
}

BufferPool::Buffer BufferPool::take_idle(std::size_t number) {
  std::byte* memory = idle_[number].back();
  idle_[number].pop_back();
  const std::size_t capacity = capacity_of(number);
  idle_bytes_ -= capacity;
  return Buffer(memory, {this, capacity});
}

std::byte* BufferPool::allocate(std::size_t capacity) {
  const std::size_t padded = capacity + kPadding;
  auto* memory = is_in_large_pages(capacity) ? large_.take(padded)
                                             : static_cast<std::byte*>(::operator new(padded, kAlignment));
  const std::size_t bytes = bytes_ += capacity;
  std::size_t peak = peak_bytes_;
  while (peak < bytes && !peak_bytes_.compare_exchange_weak(peak, bytes)) {
  }
  return memory;
}

void BufferPool::give_back(std::byte* memory, std::size_t capacity) {
  if (capacity >= kSmallest) {
    const std::lock_guard lock(mutex_);
    if (idle_bytes_ + capacity <= max_idle_bytes_) {
      const std::size_t number = size_class(capacity);
      if (number >= idle_.size()) idle_.resize(number + 1);
      idle_[number].push_back(memory);
      idle_bytes_ += capacity;
      return;
    }
  }
  free(memory, capacity);
}

void BufferPool::free(std::byte* memory, std::size_t capacity) {
  bytes_ -= capacity;
  if (is_in_large_pages(capacity))
    large_.give_back(memory, capacity + kPadding);
  else
    ::operator delete(memory, kAlignment);
}

}  // namespace skimline::io
