// SPDX-License-Identifier: BSD-3-Clause
// Memory of gathered entries that is used again.
#include "rntuple/gathered_entries.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace skimline::io {
namespace {

TEST(VectorPool, VectorsAreUsedAgain) {
  const auto pool = std::make_shared<VectorPool<CollectionEnds>>(1000);
  auto taken = pool->take();
  taken->assign(10, 1);
  const void* const memory = taken->data();
  taken.reset();
  taken = pool->take();
  EXPECT_TRUE(taken->empty());
  EXPECT_EQ(taken->data(), memory);
}

// Their allocators have other ways to fail.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// As while an exception for want of memory is on its way.
[[noreturn]] void give_back_without_memory() {
  constexpr std::size_t kVectors = 100;
  const auto pool = std::make_shared<VectorPool<CollectionEnds>>(1000);
  std::vector<std::shared_ptr<CollectionEnds>> taken;
  for (std::size_t i = 0; i < kVectors; ++i) taken.push_back(pool->take());
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_AS, &none) != 0) std::_Exit(2);
  void* volatile last = nullptr;  // compilers leave out what nobody sees
  for (std::size_t size = 65536; size >= 16; size /= 2) {
    do {
      last = std::malloc(size);
    } while (last != nullptr);
  }
  taken.clear();
  std::_Exit(0);
}

TEST(VectorPool, GivingBackTakesNoMemory) {
  EXPECT_EXIT(give_back_without_memory(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace skimline::io
