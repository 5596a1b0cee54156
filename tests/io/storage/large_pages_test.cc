// SPDX-License-Identifier: BSD-3-Clause
#include "storage/large_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Memory of which each byte says whose it is.
struct Piece {
  std::byte* memory = nullptr;
  std::size_t size = 0;
  std::byte mark{};

  bool is_whole() const {
    for (std::size_t i = 0; i < size; i += 997)
      if (memory[i] != mark) return false;
    return size == 0 || memory[size - 1] == mark;
  }
};

TEST(LargePagesTest, PiecesDoNotOverlapWhateverIsGivenBack) {
  LargePages pages;
  std::mt19937 random(7);
  std::vector<Piece> pieces;
  for (int step = 0; step < 400; ++step) {
    if (pieces.size() > 12 || (!pieces.empty() && random() % 3 == 0)) {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      ASSERT_TRUE(pieces.back().is_whole());
      pages.give_back(pieces.back().memory, pieces.back().size);
      pieces.pop_back();
    }
    const std::size_t size = random() % 40 == 0 ? 20 * kMiB + 1 : random() % (3 * kMiB) + 1;
    Piece piece{pages.take(size), size, static_cast<std::byte>(step)};
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece.memory) % 4096, 0u);
    std::memset(piece.memory, static_cast<int>(piece.mark), size);
    pieces.push_back(piece);
  }
  for (const Piece& piece : pieces) {
    EXPECT_TRUE(piece.is_whole());
    pages.give_back(piece.memory, piece.size);
  }
}

TEST(LargePagesTest, UsesAddressesAgainOnceNothingIsInUse) {
  LargePages pages;
  std::byte* const first = pages.take(kMiB);
  std::byte* const second = pages.take(kMiB);
  EXPECT_EQ(second, first + kMiB);
  pages.give_back(first, kMiB);
  EXPECT_NE(pages.take(kMiB), first);
  pages.give_back(second, kMiB);
  pages.give_back(second + kMiB, kMiB);
  EXPECT_EQ(pages.take(kMiB), first);
}

TEST(LargePagesTest, WhatIsGivenBackIsTheSystems) {
  LargePages pages;
  std::byte* const kept = pages.take(kMiB);
  std::byte* const given = pages.take(kMiB);
  std::memset(given, 1, kMiB);
  pages.give_back(given, kMiB);
  EXPECT_EQ(given[kMiB / 2], std::byte{0});  // fresh memory of the system, as the region is still there
  pages.give_back(kept, kMiB);
}

}  // namespace
}  // namespace skimline::io
