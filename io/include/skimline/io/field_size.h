// SPDX-License-Identifier: BSD-3-Clause
// How much the values of a field take.
#pragma once

namespace skimline::io {

/// Bytes of values; real numbers, as metadata can claim any.
struct FieldSize {
  double stored = 0;        ///< of all entries, in the files
  double in_memory = 0;     ///< of all entries, decoded
  double largest_page = 0;  ///< in memory; pages are decoded as a whole

  /// Adds that of other entries or columns.
  FieldSize& operator+=(const FieldSize& other);
};

}  // namespace skimline::io
