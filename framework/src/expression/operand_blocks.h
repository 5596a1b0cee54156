// SPDX-License-Identifier: BSD-3-Clause
// What an element-wise loop reads as arrays of one length, a block at a time, so that loops over them need
// not ask which operand is one value.
#pragma once

#include "expression/kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace skimline {

/// Values that stay in the first-level cache from one loop over them to the next.
inline constexpr std::size_t kOperandBlock = 256;

template <typename T, std::size_t kMaxOperands>
class OperandBlocks {
 public:
  /// One value that stands for all is written out.
  explicit OperandBlocks(std::span<const Operand> operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      values_[i] = static_cast<const T*>(operands[i].values);
      is_constant_[i] = operands[i].is_constant;
      if (is_constant_[i]) std::fill_n(written_out_[i].data(), kOperandBlock, *values_[i]);
    }
  }

  /// Values `first` to before `first + kOperandBlock` of an operand.
  const T* at(std::size_t operand, std::size_t first) const {
    return is_constant_[operand] ? written_out_[operand].data() : values_[operand] + first;
  }

 private:
  std::array<const T*, kMaxOperands> values_;
  std::array<bool, kMaxOperands> is_constant_;
  std::array<std::array<T, kOperandBlock>, kMaxOperands> written_out_;
};

/// Calls `use(first, size)` for blocks of at most kOperandBlock values.
template <typename Use>
void for_each_block(std::size_t count, const Use& use) {
  for (std::size_t first = 0; first < count; first += kOperandBlock)
    use(first, std::min(kOperandBlock, count - first));
}

}  // namespace skimline
