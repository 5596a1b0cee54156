// SPDX-License-Identifier: BSD-3-Clause
// What a run sums up, each thread for itself, in any order.
#pragma once

#include "skimline/framework/column.h"

#include <cstddef>
#include <memory>
#include <span>

namespace skimline {

/// Sums over entries whose result must not depend on the order or the partition of the calls, to the last
/// bit.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  /// Takes the values of one batch, with the columns the accumulator was made for, all flat and of equal
  /// length, on behalf of thread slot `slot`; calls with the same slot never overlap. Returns the index of
  /// the first value that cannot be accepted (a weight that is not finite), or -1.
  virtual std::ptrdiff_t fill(std::size_t slot, std::span<const ColumnView> columns) = 0;
};

}  // namespace skimline
