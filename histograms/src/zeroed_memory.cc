// SPDX-License-Identifier: BSD-3-Clause
#include "zeroed_memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace skimline::histograms {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

// calloc leaves pages of large blocks to the system, which zeroes them when they are first written to.
ZeroedMemory::ZeroedMemory(std::size_t size) : memory_(std::calloc(size + kCacheLine, 1)) {
  if (!memory_) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
  data_ = static_cast<std::byte*>(memory_.get()) + (kCacheLine - address % kCacheLine) % kCacheLine;
}

void ZeroedMemory::Free::operator()(void* memory) const { std::free(memory); }

}  // namespace skimline::histograms
