// SPDX-License-Identifier: BSD-3-Clause
#include "zeroed_memory.h"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace skimline::histograms {
namespace {

class ZeroedMemoryOf : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ZeroedMemoryOf,
                         ::testing::Values(0, 1, 64, 4095, 1 << 20, (2 << 20) + 1, (4 << 20) - 64, 9 << 20));

TEST_P(ZeroedMemoryOf, BeginsAtACacheLineAndIsZero) {
  for (int round = 0; round < 2; ++round) {
    ZeroedMemory memory(GetParam());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
    std::byte* const end = memory.data() + GetParam();
    EXPECT_TRUE(std::all_of(memory.data(), end, [](std::byte each) { return each == std::byte{0}; }));
    // What is written here must not be found by the next round.
    std::fill(memory.data(), end, std::byte{0xff});
  }
}

}  // namespace
}  // namespace skimline::histograms
