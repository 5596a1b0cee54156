// SPDX-License-Identifier: BSD-3-Clause
// What a run sums up, each thread for itself, in any order.
#pragma once

#include "skimline/framework/column.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace skimline {

/// A value that an accumulator does not take.
struct Refusal {
  std::size_t index = 0;   ///< of the value
  std::size_t column = 0;  ///< of the columns given
  std::string problem;     ///< "a weight that is not finite"
};

/// Sums over entries whose result must not depend on the order or the partition of the calls, to the last
/// bit.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  /// Takes the values of one batch, with the columns the accumulator was made for, all flat and of equal
  /// length, on behalf of thread slot `slot`; calls with the same slot never overlap. Returns the first value
  /// that cannot be accepted.
  virtual std::optional<Refusal> fill(std::size_t slot, std::span<const ColumnView> columns) = 0;
};

}  // namespace skimline
