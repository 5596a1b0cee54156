// SPDX-License-Identifier: BSD-3-Clause
// Columns in memory: what kernels read (ColumnView) and where they write (ColumnBuffer).
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace skimline {

/// Values of one column for consecutive entries; a view that owns nothing.
///
/// Flat: `values` has one value per entry, or a single one for all entries if `is_constant`.
/// Jagged: the list of entry i is values[offsets[i] .. offsets[i + 1]); offsets has `length` + 1 elements and
/// begins with 0.
/// Doubly jagged: the lists of entry i are those numbered offsets[i] .. offsets[i + 1], and list j is
/// values[inner_offsets[j] .. inner_offsets[j + 1]); inner_offsets has offsets[length] + 1 elements and
/// begins with 0. Triply jagged: list j has the lists of innermost_offsets in the same way.
/// Booleans take one byte each, 0 or 1. Strings are std::string_views whose characters live as long as the
/// view.
struct ColumnView {
  Type type;
  std::size_t length = 0;
  const void* values = nullptr;
  const std::uint32_t* offsets = nullptr;
  bool is_constant = false;
  const std::uint32_t* inner_offsets = nullptr;
  const std::uint32_t* innermost_offsets = nullptr;

  template <typename T>
  const T* data() const {
    return static_cast<const T*>(values);
  }
  /// The offsets of a level, of which 0 is the outermost.
  const std::uint32_t* offsets_at(int level) const {
    return level == 0 ? offsets : level == 1 ? inner_offsets : innermost_offsets;
  }
  const std::uint32_t*& offsets_at(int level) {
    return level == 0 ? offsets : level == 1 ? inner_offsets : innermost_offsets;
  }
  /// What lies behind all entries `level` lists deep: entries, lists, their elements, and so on.
  std::size_t num_elements(int level) const {
    std::size_t count = length;
    for (int i = 0; i < level; ++i) count = offsets_at(i)[count];
    return count;
  }
  /// Number of values behind all entries: `length` for flat columns, the sum of the (innermost) list sizes
  /// for others.
  std::size_t num_values() const { return is_constant ? 1 : num_elements(type.depth); }
  /// Each element of the lists as an entry of its own.
  ColumnView elements() const {
    return {{type.scalar, type.depth - 1}, num_elements(1), values, inner_offsets, false, innermost_offsets};
  }
  /// The entry whose lists hold number `element` of what is `levels` lists deep.
  std::size_t entry_holding(std::size_t element, int levels) const;
  /// The entry whose lists hold number `value` of the values.
  std::size_t entry_holding_value(std::size_t value) const { return entry_holding(value, type.depth); }
};

/// Returns a column of the type with the entries of `like` and, down to the depth of the type, its lists. The
/// values are still to be set.
ColumnView shaped_like(const ColumnView& like, Type type);

class BatchBudget;

/// Memory that is kept and reused from batch to batch. Contents are undefined after growth.
class Buffer {
 public:
  /// From now on what is reserved counts there: reserving may throw what asks for smaller batches. The budget
  /// must outlive the use of the buffer, which holds nothing yet.
  void attach(BatchBudget& budget) { budget_ = &budget; }
  /// Returns room for `count` values of T, aligned for vector instructions and padded by 64 bytes.
  template <typename T>
  T* reserve(std::size_t count) {
    return static_cast<T*>(reserve_bytes(count * sizeof(T)));
  }
  void* reserve_bytes(std::size_t size);
  /// The same where foreign code would have to pass on the demand for smaller batches: it never comes.
  void* reserve_bytes_anyway(std::size_t size);
  void* data() { return data_.get(); }
  /// Gives the memory back.
  void release();

 private:
  void* reserve_padded(std::size_t size);
  std::size_t taken_before() const;
  void remember_taken(std::size_t size);

  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> data_;
  std::size_t capacity_ = 0;
  BatchBudget* budget_ = nullptr;
  // Of the batch that it was used for last.
  std::uint64_t batch_ = 0;
  std::size_t bytes_of_batch_ = 0;
};

/// Where one column of a batch is computed; reused from batch to batch.
struct ColumnBuffer {
  Buffer values;
  Buffer offsets;
  Buffer inner_offsets;
  Buffer innermost_offsets;

  Buffer& offsets_at(int level) {
    return level == 0 ? offsets : level == 1 ? inner_offsets : innermost_offsets;
  }
  void attach(BatchBudget& budget);
  void release();
};

}  // namespace skimline
