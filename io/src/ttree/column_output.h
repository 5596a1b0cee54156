// SPDX-License-Identifier: BSD-3-Clause
// Where values go that are found one after the other.
#pragma once

#include "compression/stored_numbers.h"
#include "ttree/entry_bytes.h"
#include "ttree/tree_columns.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace skimline::io {

/// Memory that grows.
class GrowingBuffer {
 public:
  GrowingBuffer(BufferPool& pool, std::size_t capacity)
      : pool_(pool), capacity_(capacity), memory_(pool.take(capacity)) {}

  /// Returns room for `size` bytes behind those that are there.
  std::byte* extend(std::size_t size) {
    if (size > capacity_ - size_) grow(size);
    std::byte* room = memory_.get() + size_;
    size_ += size;
    return room;
  }
  template <typename T>
  void push(const T& value) {
    std::memcpy(extend(sizeof(T)), &value, sizeof(T));
  }
  std::size_t size() const { return size_; }
  BufferPool::Buffer take() && { return std::move(memory_); }

 private:
  void grow(std::size_t size) {
    capacity_ = std::max(2 * capacity_, size_ + size);
    BufferPool::Buffer larger = pool_.take(capacity_);
    if (size_ > 0) std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
  }

  BufferPool& pool_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  BufferPool::Buffer memory_;
};

/// The column of a basket, filled entry by entry.
class ColumnOutput {
 public:
  ColumnOutput(Type type, const BasketEntries& entries, BufferPool& pool)
      : type_(type),
        num_entries_(entries.num_entries),
        values_(pool, num_entries_ * size_of(type.scalar)),
        offsets_(pool, type.depth > 0 ? (num_entries_ + 1) * sizeof(std::uint32_t) : 0),
        inner_offsets_(pool, type.depth > 1 ? (num_entries_ + 1) * sizeof(std::uint32_t) : 0) {
    if (type.depth > 0) offsets_.push(std::uint32_t{0});
    if (type.depth > 1) inner_offsets_.push(std::uint32_t{0});
  }

  void numbers(const StoredNumber& number, const std::byte* stored, std::size_t count) {
    decode_numbers(number, stored, count, values_.extend(count * size_of(type_.scalar)));
    num_values_ += count;
  }
  void text(std::string_view text) {
    values_.push(text);
    ++num_values_;
  }
  /// Ends a list in the list of the entry.
  void end_inner_list() {
    inner_offsets_.push(static_cast<std::uint32_t>(num_values_));
    ++num_lists_;
  }
  void end_entry() {
    if (type_.depth > 0)
      offsets_.push(static_cast<std::uint32_t>(type_.depth == 1 ? num_values_ : num_lists_));
  }

  DecodedBasket finish() && {
    DecodedBasket basket{std::move(values_).take(),
                         std::move(offsets_).take(),
                         std::move(inner_offsets_).take(),
                         {},
                         type_.scalar == ScalarType::kString};
    basket.view = {type_, num_entries_, basket.values.get()};
    if (type_.depth > 0) basket.view.offsets = reinterpret_cast<std::uint32_t*>(basket.offsets.get());
    if (type_.depth > 1)
      basket.view.inner_offsets = reinterpret_cast<std::uint32_t*>(basket.inner_offsets.get());
    return basket;
  }

 private:
  Type type_;
  std::size_t num_entries_;
  std::size_t num_values_ = 0, num_lists_ = 0;
  GrowingBuffer values_, offsets_, inner_offsets_;
};

}  // namespace skimline::io
