// SPDX-License-Identifier: BSD-3-Clause
#include "storage/buffer_pool.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr std::size_t kPageSize = std::size_t{1} << 20;
constexpr std::size_t kMaxIdle = 16 * kPageSize;

TEST(BufferPool, PaddingTakesNoLargerClass) {
  BufferPool pool(kMaxIdle);
  const BufferPool::Buffer page = pool.take(kPageSize);
  EXPECT_EQ(pool.peak_bytes(), kPageSize);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(page.get()) % 64, 0u);
  std::memset(page.get(), 1, kPageSize + BufferPool::kPadding);
}

TEST(BufferPool, TakesWhatLiesIdleUpToTwiceTheSize) {
  BufferPool pool(kMaxIdle);
  const std::byte* first = nullptr;
  {
    const BufferPool::Buffer buffer = pool.take(kPageSize);
    first = buffer.get();
  }
  for (const std::size_t size : {kPageSize, kPageSize / 2}) {
    const BufferPool::Buffer again = pool.take(size);
    EXPECT_EQ(again.get(), first);
  }
  EXPECT_EQ(pool.peak_bytes(), kPageSize);
  const BufferPool::Buffer much_smaller = pool.take(kPageSize / 4);
  EXPECT_NE(much_smaller.get(), first);
  EXPECT_EQ(pool.peak_bytes(), kPageSize + kPageSize / 4);
}

TEST(BufferPool, PrefersTheBestOfWhatLiesIdle) {
  BufferPool pool(kMaxIdle);
  const std::byte *large = nullptr, *small = nullptr;
  {
    const BufferPool::Buffer one = pool.take(2 * kPageSize), other = pool.take(kPageSize);
    large = one.get();
    small = other.get();
  }
  const BufferPool::Buffer first = pool.take(kPageSize), second = pool.take(kPageSize);
  EXPECT_EQ(first.get(), small);
  EXPECT_EQ(second.get(), large);
}

TEST(BufferPool, KeepsNoMoreIdleThanItMay) {
  BufferPool pool(kPageSize);
  { const BufferPool::Buffer one = pool.take(kPageSize), other = pool.take(kPageSize); }
  const BufferPool::Buffer one = pool.take(kPageSize), other = pool.take(kPageSize);
  EXPECT_EQ(pool.peak_bytes(), 2 * kPageSize);
}

}  // namespace
}  // namespace skimline::io
