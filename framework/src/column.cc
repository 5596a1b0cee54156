// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/column.h"

#include <algorithm>
#include <new>

namespace skimline {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kPadding = 64;

}  // namespace

void Buffer::Free::operator()(void* memory) const { ::operator delete(memory, kAlignment); }

void* Buffer::reserve_bytes(std::size_t size) {
  if (size + kPadding > capacity_) {
    const std::size_t capacity = std::max(size + kPadding, capacity_ + capacity_ / 2);
    // Nothing is kept if there is no memory for it.
    data_.reset();
    capacity_ = 0;
    data_.reset(::operator new(capacity, kAlignment));
    capacity_ = capacity;
  }
  return data_.get();
}

}  // namespace skimline
