// SPDX-License-Identifier: BSD-3-Clause
#include "storage/large_pages.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>

#include <sys/mman.h>

namespace skimline::io {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Pieces that are not much smaller have a region of their own.
constexpr std::size_t kRegion = std::size_t{16} << 20;

std::size_t rounded_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

// At a multiple of large pages.
std::byte* map(std::size_t size) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const mapped = ::mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const memory = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t before = rounded_up(address, kLargePage) - address;
  if (before > 0) ::munmap(memory, before);
  if (before < kLargePage) ::munmap(memory + before + size, kLargePage - before);
  ::madvise(memory + before, size, MADV_HUGEPAGE);
  return memory + before;
}

}  // namespace

LargePages::~LargePages() {
  for (const auto& [memory, region] : regions_) ::munmap(memory, region.size);
}

std::byte* LargePages::take(std::size_t size) {
  size = rounded_up(size, kPage);
  const std::lock_guard lock(mutex_);
  auto found = regions_.find(open_);
  if (found == regions_.end() || found->second.size - found->second.used < size) {
    const std::size_t region_size = std::max(size, kRegion);
    found = regions_.emplace(map(region_size), Region{region_size}).first;
    if (size <= kRegion / 2) open_ = found->first;
  }
  Region& region = found->second;
  std::byte* const memory = found->first + region.used;
  region.used += size;
  ++region.num_live;
  return memory;
}

void LargePages::give_back(std::byte* memory, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found = std::prev(regions_.upper_bound(memory));
  Region& region = found->second;
  if (--region.num_live > 0) {
    ::madvise(memory, rounded_up(size, kPage), MADV_DONTNEED);
  } else if (found->first == open_) {
    ::madvise(found->first, region.used, MADV_DONTNEED);
    region.used = 0;
  } else {
    ::munmap(found->first, region.size);
    regions_.erase(found);
  }
}

}  // namespace skimline::io
