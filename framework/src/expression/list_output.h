// SPDX-License-Identifier: BSD-3-Clause
// Making lists from elements of other lists, and bounding how long computed lists get.
#pragma once

#include "expression/kernel.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skimline {

/// Room for the positions of picked elements: the buffer of inner offsets, which lists of values leave
/// unused.
class Positions {
 public:
  /// Positions of a list may be written in whole chunks, so that short lists cost one branch: the next list
  /// overwrites what lies beyond, and there is room behind the last.
  static constexpr std::uint32_t kChunk = 4;

  Positions(const KernelCall& call, std::size_t count)
      : own_(call.type.depth == 1 ? 0 : count + kChunk),
        data_(call.type.depth == 1 ? call.results.inner_offsets.reserve<std::uint32_t>(count + kChunk)
                                   : own_.data()) {}
  std::uint32_t& operator[](std::size_t i) { return data_[i]; }
  std::uint32_t* data() { return data_; }

 private:
  std::vector<std::uint32_t> own_;
  std::uint32_t* data_;
};

/// The result of picking elements of inputs[0], a list or a list of lists whose elements are then the inner
/// lists. `offsets` gives the shape of the result, `positions` which of all elements each of its elements is.
ColumnView picked_elements(const KernelCall& call, const std::uint32_t* offsets,
                           const std::uint32_t* positions);

/// Stands for "none" among positions.
inline constexpr std::uint32_t kNoPosition = ~std::uint32_t{0};

/// The same for lists of values, where kNoPosition gives inputs[`fallback`], one value per entry.
ColumnView picked_elements_or(const KernelCall& call, const std::uint32_t* offsets,
                              const std::uint32_t* positions, std::size_t fallback);

/// Counts the elements that a kernel is about to make from sizes and numbers in the input, and lays out their
/// lists. Throws EntryFault where they would not fit into memory.
class ListLayout {
 public:
  /// Room for the offsets of `num_lists` lists.
  ListLayout(Buffer& offsets, std::size_t num_lists)
      : offsets_(offsets.reserve<std::uint32_t>(num_lists + 1)) {
    offsets_[0] = 0;
  }

  /// Appends a list.
  void add(std::size_t entry, std::uint64_t size) {
    check(entry, size, total_);
    total_ += size;
    offsets_[++num_lists_] = static_cast<std::uint32_t>(total_);
  }

  /// Throws if `size` more elements after `total` are too many.
  static void check(std::size_t entry, std::uint64_t size, std::uint64_t total) {
    if (size > kMaxListSize || total + size > kMaxElements) refuse(entry, size);
  }

  const std::uint32_t* offsets() const { return offsets_; }
  std::size_t num_elements() const { return total_; }

  static constexpr std::uint64_t kMaxListSize = std::uint64_t{1} << 24;
  static constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 28;

 private:
  [[noreturn]] static void refuse(std::size_t entry, std::uint64_t size);

  std::uint32_t* offsets_;
  std::size_t num_lists_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace skimline
