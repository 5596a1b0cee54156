// SPDX-License-Identifier: BSD-3-Clause
// Where values go that are found one after the other.
#pragma once

#include "compression/stored_numbers.h"
#include "ttree/entry_bytes.h"
#include "ttree/tree_columns.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
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

/// As static_cast; of a real number beyond an integer type the nearest integer, of NaN 0.
template <typename To, typename From>
To converted_number(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
    if (!(value == value)) return To{};
    if (value <= static_cast<From>(std::numeric_limits<To>::lowest()))
      return std::numeric_limits<To>::lowest();
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

/// The column of a basket, filled entry by entry.
class ColumnOutput {
 public:
  ColumnOutput(Type type, const BasketEntries& entries, BufferPool& pool)
      : type_(type), num_entries_(entries.num_entries), values_(pool, num_entries_ * size_of(type.scalar)) {
    for (int level = 0; level < type.depth; ++level) {
      offsets_.emplace_back(pool, (num_entries_ + 1) * sizeof(std::uint32_t));
      offsets_.back().push(std::uint32_t{0});
    }
  }

  void numbers(const StoredNumber& number, const std::byte* stored, std::size_t count) {
    std::byte* values = values_.extend(count * size_of(type_.scalar));
    if (number.scalar == type_.scalar)
      decode_numbers(number, stored, count, values);
    else
      decode_others(number, stored, count, values);
    num_values_ += count;
  }
  void zeros(std::size_t count) {
    const std::size_t size = count * size_of(type_.scalar);
    std::memset(values_.extend(size), 0, size);
    num_values_ += count;
  }
  void text(std::string_view text) {
    values_.push(text);
    ++num_values_;
  }
  /// Ends a list of a level, of which 0 is the list of the entry.
  void end_list(int level) {
    const bool is_innermost = level + 1 == type_.depth;
    offsets_[level].push(static_cast<std::uint32_t>(is_innermost ? num_values_ : num_lists_[level + 1]));
    ++num_lists_[level];
  }
  void end_entry() {
    if (type_.depth > 0) end_list(0);
  }

  DecodedBasket finish() && {
    DecodedBasket basket;
    basket.values = std::move(values_).take();
    basket.is_of_data = type_.scalar == ScalarType::kString;
    basket.view = {type_, num_entries_, basket.values.get()};
    for (int level = 0; level < type_.depth; ++level) {
      basket.offsets[level] = std::move(offsets_[level]).take();
      basket.view.offsets_at(level) = reinterpret_cast<std::uint32_t*>(basket.offsets[level].get());
    }
    return basket;
  }

 private:
  // Numbers of another type than the column's, which an older version of their class had.
  void decode_others(const StoredNumber& number, const std::byte* stored, std::size_t count,
                     std::byte* values) {
    visit_scalar(number.scalar, [&](auto from) {
      visit_scalar(type_.scalar, [&](auto to) {
        using From = typename decltype(from)::type;
        using To = typename decltype(to)::type;
        for (std::size_t i = 0; i < count; ++i) {
          From value{};
          decode_numbers(number, stored + i * number.stored_size(), 1, &value);
          const To converted = converted_number<To>(value);
          std::memcpy(values + i * sizeof(To), &converted, sizeof(To));
        }
      });
    });
  }

  Type type_;
  std::size_t num_entries_;
  std::size_t num_values_ = 0;
  std::array<std::size_t, kMaxDepth> num_lists_{};  // by level
  GrowingBuffer values_;
  std::vector<GrowingBuffer> offsets_;  // by level
};

}  // namespace skimline::io
