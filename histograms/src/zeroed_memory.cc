// SPDX-License-Identifier: BSD-3-Clause
#include "zeroed_memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace skimline::histograms {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Fills of a large histogram hit another page each: with pages of 4 KiB most of them wait for its address.
void want_huge_pages(std::byte* memory, std::size_t size) {
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(memory) % kHugePage;
  if (size < before + 2 * kHugePage) return;
  // A wish only; without it everything works as well.
  ::madvise(memory + before, (size - before) / kHugePage * kHugePage, MADV_HUGEPAGE);
}

}  // namespace

// calloc leaves pages of large blocks to the system, which zeroes them when they are first written to.
ZeroedMemory::ZeroedMemory(std::size_t size) : memory_(std::calloc(size + kAlignment, 1)) {
  if (!memory_) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
  data_ = static_cast<std::byte*>(memory_.get()) + (kAlignment - address % kAlignment) % kAlignment;
  want_huge_pages(data_, size);
}

void ZeroedMemory::Free::operator()(void* memory) const { std::free(memory); }

}  // namespace skimline::histograms
