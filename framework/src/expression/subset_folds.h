// SPDX-License-Identifier: BSD-3-Clause
// Reductions of many lists of one size side by side: row after row, of which each has one value of every
// list.
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace skimline {

/// So many lists are worked on together: the number of lists side by side is a multiple of it, or 1.
inline constexpr std::size_t kSubsetLanes = 4;

/// Rows `first_row` to before `first_row + num_rows` of `width` lists.
struct RowBlock {
  const void* values = nullptr;  ///< row by row
  std::size_t num_rows = 0;      ///< at least 1
  std::size_t width = 0;
  std::uint64_t first_row = 0;
};

/// What a function of a list does with such lists; the results are those of the function, to the last bit.
struct SubsetFold {
  /// Takes more rows in, those with row 0 first. `state` has kStateBytes for each list.
  void (*add)(const RowBlock& rows, void* state);
  /// Writes the result of list i to number entries[i] of `results`; `width` lists are side by side.
  void (*store)(const void* state, std::size_t width, std::span<const std::uint32_t> entries, void* results);

  static constexpr std::size_t kStateBytes = 16;
};

/// Nothing if lists of such values have no such function, or none of this kind.
std::optional<SubsetFold> subset_fold(std::string_view function, ScalarType values);

}  // namespace skimline
