// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/instruction_set.h"

#include <gtest/gtest.h>

namespace skimline {
namespace {

TEST(InstructionSet, HasThreeNames) {
  EXPECT_EQ(instruction_set_called("sse2"), InstructionSet::kBaseline);
  EXPECT_EQ(instruction_set_called("avx2"), InstructionSet::kAvx2);
  EXPECT_EQ(instruction_set_called("avx512"), InstructionSet::kAvx512);
  for (const char* name : {"", "AVX2", "avx", "avx2 "}) EXPECT_FALSE(instruction_set_called(name)) << name;
}

TEST(InstructionSet, KernelsRunWithIt) {
#if SKIMLINE_HAS_AVX2_KERNELS
  EXPECT_EQ(use_avx2(), instruction_set() >= InstructionSet::kAvx2);
#else
  EXPECT_EQ(instruction_set(), InstructionSet::kBaseline);
#endif
}

}  // namespace
}  // namespace skimline
