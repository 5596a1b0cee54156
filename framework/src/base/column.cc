// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/column.h"

#include "base/batch_budget.h"

#include <algorithm>
#include <new>

namespace skimline {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kPadding = 64;

std::size_t list_holding(const std::uint32_t* offsets, std::size_t length, std::size_t element) {
  return static_cast<std::size_t>(std::upper_bound(offsets, offsets + length + 1, element) - offsets) - 1;
}

}  // namespace

std::size_t ColumnView::entry_holding(std::size_t element, int levels) const {
  for (int level = levels - 1; level >= 0; --level)
    element = list_holding(offsets_at(level), num_elements(level), element);
  return element;
}

ColumnView shaped_like(const ColumnView& like, Type type) {
  ColumnView result{type, like.length};
  for (int level = 0; level < type.depth; ++level) result.offsets_at(level) = like.offsets_at(level);
  return result;
}

void Buffer::Free::operator()(void* memory) const { ::operator delete(memory, kAlignment); }

std::size_t Buffer::taken_before() const { return batch_ == budget_->batch() ? bytes_of_batch_ : 0; }

void Buffer::remember_taken(std::size_t size) {
  batch_ = budget_->batch();
  bytes_of_batch_ = size;
}

void* Buffer::reserve_bytes(std::size_t size) {
  size += kPadding;
  if (budget_) {
    budget_->take(taken_before(), size);
    remember_taken(size);
  }
  return reserve_padded(size);
}

void* Buffer::reserve_bytes_anyway(std::size_t size) {
  size += kPadding;
  if (budget_) {
    budget_->take_anyway(taken_before(), size);
    remember_taken(size);
  }
  return reserve_padded(size);
}

void* Buffer::reserve_padded(std::size_t size) {
  if (size <= capacity_) return data_.get();
  const std::size_t capacity = std::max(size, capacity_ + capacity_ / 2);
  // Nothing is kept if there is no memory for it.
  release();
  data_.reset(::operator new(capacity, kAlignment));
  capacity_ = capacity;
  if (budget_) budget_->hold(capacity);
  return data_.get();
}

void Buffer::release() {
  if (budget_) budget_->release(capacity_);
  data_.reset();
  capacity_ = 0;
}

void ColumnBuffer::attach(BatchBudget& budget) {
  values.attach(budget);
  offsets.attach(budget);
  inner_offsets.attach(budget);
  innermost_offsets.attach(budget);
}

void ColumnBuffer::release() {
  values.release();
  offsets.release();
  inner_offsets.release();
  innermost_offsets.release();
}

}  // namespace skimline
