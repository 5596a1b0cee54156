// SPDX-License-Identifier: BSD-3-Clause
#include "arena.h"

#include <cstring>
#include <new>

namespace skimline::histograms {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

void ArenaLayout::add(const HistogramSpec& spec) {
  offsets.push_back(size);
  const std::size_t cell = spec.is_weighted ? sizeof(WeightedCell) : sizeof(std::uint64_t);
  size += (spec.axis.num_cells() * cell + kCacheLine - 1) / kCacheLine * kCacheLine;
}

void Arena::Free::operator()(std::byte* memory) const {
  ::operator delete (memory, std::align_val_t{kCacheLine});
}

Arena::Arena(const ArenaLayout& layout)
    : layout_(layout),
      cells_(static_cast<std::byte*>(::operator new (layout.size, std::align_val_t{kCacheLine}))),
      moments_(layout.offsets.size()) {
  std::memset(cells_.get(), 0, layout.size);
}

}  // namespace skimline::histograms
