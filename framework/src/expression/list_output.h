// SPDX-License-Identifier: BSD-3-Clause
// Making lists from elements of other lists.
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

}  // namespace skimline
