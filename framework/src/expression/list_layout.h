// SPDX-License-Identifier: BSD-3-Clause
// Bounding how long computed lists get.
#pragma once

#include "expression/kernel.h"

#include <cstddef>
#include <cstdint>

namespace skimline {

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
